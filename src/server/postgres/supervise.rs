//! The database process while it runs: starting it, restarting it, stopping it.
//!
//! Knows nothing about how the cluster came to be.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nix::sys::signal::Signal;
use tokio::{
    process::Child,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    cluster::{Cluster, PORT},
    error::PostgresError,
    find::Programs,
    log::{Said, forward_log},
    owner::Owner,
    postmaster::{self, Postmaster},
};

/// How long a start may take. Recovery after a crash replays at most about a gigabyte.
const START_PATIENCE: Duration = Duration::from_mins(3);

/// How long a start waits for the sessions of a killed database to end.
const LEFTOVER_PATIENCE: Duration = Duration::from_secs(30);

const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);
/// A database that ran this long was well, so the next backoff starts small again.
const WELL_AFTER: Duration = Duration::from_secs(10);

/// Settings that win over `postgresql.conf`: what durability, safety and the log reader rely on.
const SETTINGS: [&str; 16] = [
    "cluster_name=impri",
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "max_connections=100",
    "shared_buffers=128MB",
    "fsync=on",
    "full_page_writes=on",
    "synchronous_commit=on",
    // Compiling a query takes longer than any of ours runs.
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    "lc_messages=C",
    "logging_collector=off",
    "log_destination=stderr",
    // No prefix: the reader adds its own. Neither statements nor details: they hold people's data.
    "log_line_prefix=",
    "log_error_verbosity=terse",
];

/// Everything needed to run the process again.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    pub(super) cluster: Cluster,
    pub(super) owner: Owner,
    pub(super) programs: Programs,
    pub(super) socket_dir: PathBuf,
}

/// A running process and what it said lately.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    pid: i32,
    said: Said,
    since: Instant,
}

impl Launch {
    /// Starts the process and waits until it accepts connections.
    pub(super) async fn start(&self, interrupt: &CancellationToken) -> Result<Running, PostgresError> {
        let deadline = Instant::now() + LEFTOVER_PATIENCE;
        loop {
            let mut running = self.spawn().await?;
            match running.ready(&self.cluster.dir, interrupt).await {
                Ok(()) => return Ok(running),
                // When a database was killed, its sessions end as soon as they notice; until then their memory is
                // theirs, and PostgreSQL rightly refuses to start.
                Err(PostgresError::DiedAtStart { said, .. })
                    if said.contains("pre-existing shared memory") && Instant::now() < deadline =>
                {
                    tracing::info!("waiting for the last sessions of a killed database to end");
                    sleep(Duration::from_millis(500)).await;
                }
                Err(error) => {
                    running.stop(&[Signal::SIGINT, Signal::SIGQUIT]).await;
                    return Err(error);
                }
            }
        }
    }

    /// Starts the process; it may not be ready yet.
    async fn spawn(&self) -> Result<Running, PostgresError> {
        postmaster::clear(&self.cluster.dir, &self.socket_dir).await?;
        let program = self.programs.postgres();
        let mut command = self.owner.command(&program);
        command.arg("-D").arg(&self.cluster.dir);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(["-c", "log_min_error_statement=panic"]).args(["-c", "log_checkpoints=off"]);
        command.arg("-c").arg(format!("port={PORT}"));
        command.arg("-c").arg(setting("unix_socket_directories", quoted(&self.socket_dir)));
        command.arg("-c").arg(setting("hba_file", self.cluster.hba_file().as_os_str()));
        command.arg("-c").arg(setting("ident_file", self.cluster.ident_file().as_os_str()));
        // Its own process group: Ctrl-C in a terminal is for us, and we stop the database last.
        command.process_group(0).current_dir(&self.cluster.dir);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(PostgresError::io("Running", program))?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or_default();
        let said = Said::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(forward_log(stderr, said.clone()));
        }
        Ok(Running { child, pid, said, since: Instant::now() })
    }
}

impl Running {
    /// Waits until the database accepts connections.
    async fn ready(&mut self, cluster: &Path, interrupt: &CancellationToken) -> Result<(), PostgresError> {
        let deadline = Instant::now() + START_PATIENCE;
        loop {
            if Postmaster::read(cluster)?
                .is_some_and(|postmaster| postmaster.pid == self.pid && postmaster.is_ready)
            {
                return Ok(());
            }
            if Instant::now() > deadline {
                let waited_secs = START_PATIENCE.as_secs();
                return Err(PostgresError::NotReady { cluster: cluster.to_owned(), waited_secs });
            }
            tokio::select! {
                status = self.child.wait() => return Err(PostgresError::DiedAtStart {
                    cluster: cluster.to_owned(),
                    status: describe(status),
                    said: self.said.reason(),
                }),
                () = interrupt.cancelled() => return Err(PostgresError::Interrupted),
                () = sleep(Duration::from_millis(20)) => {}
            }
        }
    }

    /// Ends the process, with the next signal whenever one has not helped within five seconds.
    pub(super) async fn stop(&mut self, signals: &[Signal]) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        for stop in signals {
            postmaster::signal(self.pid, *stop);
            if timeout(Duration::from_secs(5), self.child.wait()).await.is_ok() {
                tracing::debug!(postgres.pid = self.pid, "the database has stopped");
                return;
            }
            tracing::warn!(postgres.pid = self.pid, signal = %stop, "the database has not stopped within 5 seconds");
        }
    }
}

impl Drop for Running {
    /// Whatever way we lose sight of the process, it is told to end.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            postmaster::signal(self.pid, Signal::SIGINT);
        }
    }
}

/// Keeps the database running until `shutdown`, then stops it with `signals`.
pub(super) async fn supervise(
    launch: Launch,
    mut running: Running,
    shutdown: CancellationToken,
    signals: &'static [Signal],
) {
    let mut backoff = FIRST_BACKOFF;
    loop {
        let status = tokio::select! {
            status = running.child.wait() => status,
            () = shutdown.cancelled() => return running.stop(signals).await,
        };
        if running.since.elapsed() >= WELL_AFTER {
            backoff = FIRST_BACKOFF;
        }
        tracing::error!(
            postgres.pid = running.pid,
            status = describe(status),
            said = running.said.reason(),
            restart_in_ms = backoff.as_millis(),
            "the database has ended, restarting it"
        );
        loop {
            tokio::select! {
                () = sleep(backoff) => {}
                () = shutdown.cancelled() => return,
            }
            backoff = LONGEST_BACKOFF.min(backoff * 2);
            match launch.spawn().await {
                Ok(restarted) => {
                    running = restarted;
                    break;
                }
                Err(error) => tracing::error!(%error, "the database could not be restarted"),
            }
        }
    }
}

fn describe(status: std::io::Result<ExitStatus>) -> String {
    status.map_or_else(|error| error.to_string(), |status| status.to_string())
}

fn setting(name: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut setting = OsString::from(name);
    setting.push("=");
    setting.push(value);
    setting
}

/// One entry of a list setting: a path may hold commas and spaces.
fn quoted(path: &Path) -> OsString {
    OsString::from(format!("\"{}\"", path.to_string_lossy().replace('"', "\"\"")))
}
