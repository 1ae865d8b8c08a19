//! The running database process, as `postmaster.pid` describes it, and ending it.
//!
//! Owns that file's format and the question whether the process it names is really ours: after a reboot, or in a
//! container, the number often belongs to somebody else.

use std::{
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use nix::{
    errno::Errno,
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tokio::{
    process::Command,
    time::{Instant, sleep},
};

use super::{cluster::PORT, error::PostgresError};

/// How long each signal of a stop may take.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// What `postmaster.pid` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Postmaster {
    pub(super) pid: i32,
    pub(super) port: u16,
    /// Where its socket is; `None` in the first moments of a start.
    pub(super) socket_dir: Option<PathBuf>,
    /// Whether it accepts connections.
    pub(super) is_ready: bool,
}

impl Postmaster {
    /// Reads the file in `cluster`; `None` when there is none, or it was only begun.
    pub(super) fn read(cluster: &Path) -> Result<Option<Self>, PostgresError> {
        let path = cluster.join("postmaster.pid");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PostgresError::io("Reading", path)(error)),
        }
    }

    /// The lines are: pid, data directory, start time, port, socket directory, address, shared memory, status.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let line = |index: usize| lines.get(index).copied().unwrap_or_default();
        Some(Self {
            pid: line(0).parse().ok().filter(|pid| *pid > 1)?,
            port: line(3).parse().unwrap_or_default(),
            socket_dir: Some(line(4)).filter(|dir| !dir.is_empty()).map(PathBuf::from),
            is_ready: line(7) == "ready",
        })
    }

    /// Ends the process, which is not our child.
    async fn end(&self, cluster: &Path) -> Result<(), PostgresError> {
        for stop in [Signal::SIGINT, Signal::SIGQUIT] {
            signal(self.pid, stop);
            let deadline = Instant::now() + STOP_PATIENCE;
            while Instant::now() < deadline {
                if !self.is_running(cluster).await {
                    return Ok(());
                }
                sleep(Duration::from_millis(20)).await;
            }
        }
        Err(PostgresError::LeftBehind { pid: self.pid })
    }

    /// Whether the process exists and is a database server on `cluster`.
    ///
    /// Told by its command line, where our `-D` is. A process that has ended and was not reaped has none.
    async fn is_running(&self, cluster: &Path) -> bool {
        let wanted = cluster.as_os_str().as_bytes();
        match fs::read(format!("/proc/{}/cmdline", self.pid)) {
            Ok(arguments) => arguments.split(|byte| *byte == 0).any(|argument| argument == wanted),
            Err(_) if Path::new("/proc/self").exists() => false,
            Err(_) => {
                let ps = Command::new("ps")
                    .args(["-ww", "-o", "args=", "-p", &self.pid.to_string()])
                    .output()
                    .await;
                ps.is_ok_and(|ps| ps.stdout.windows(wanted.len()).any(|window| window == wanted))
            }
        }
    }
}

/// Makes `cluster` free for a start: ends the database that a killed server left behind, and its lock files.
///
/// Stopped rather than adopted: its log pipe ended with its server, and it runs with that server's settings.
///
/// # Errors
///
/// When it does not end.
pub(super) async fn clear(cluster: &Path, socket_dir: &Path) -> Result<(), PostgresError> {
    if let Some(postmaster) = Postmaster::read(cluster)?
        && postmaster.is_running(cluster).await
    {
        tracing::info!(
            postgres.pid = postmaster.pid,
            "stopping the database that an earlier server left running"
        );
        postmaster.end(cluster).await?;
    }
    for lock_file in [cluster.join("postmaster.pid"), socket_dir.join(format!(".s.PGSQL.{PORT}.lock"))] {
        remove_if_misleading(&lock_file)?;
    }
    Ok(())
}

/// Removes a lock file of a database that has ended if PostgreSQL would take it for one in use.
///
/// PostgreSQL sees to a file whose process is gone, and looks for its leftovers in shared memory. But it can't tell a
/// number that somebody else got since, or an ended process that init has not reaped yet, and would refuse to start
/// for as long as they are there. It still looks for leftovers then, by the cluster's inode.
fn remove_if_misleading(lock_file: &Path) -> Result<(), PostgresError> {
    let text = match fs::read_to_string(lock_file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(PostgresError::io("Reading", lock_file)(error)),
    };
    let pid = text.lines().next().and_then(|line| line.trim().parse().ok()).unwrap_or_default();
    if kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH) {
        return Ok(());
    }
    fs::remove_file(lock_file).map_err(PostgresError::io("Removing", lock_file))
}

/// Sends a signal; a process that has ended meanwhile is fine.
pub(super) fn signal(pid: i32, signal: Signal) {
    if let Err(error) = kill(Pid::from_raw(pid), signal)
        && error != Errno::ESRCH
    {
        tracing::warn!(postgres.pid = pid, %signal, %error, "could not signal the database");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READY: &str = "4711\n/data/cluster\n1764410000\n5432\n/data/run\n\n  1234567     98304\nready   \n";

    #[test]
    fn reads_a_ready_server() {
        let expected =
            Postmaster { pid: 4711, port: 5432, socket_dir: Some("/data/run".into()), is_ready: true };
        assert_eq!(Postmaster::parse(READY), Some(expected));
    }

    #[test]
    fn a_file_that_was_only_begun_is_not_ready() {
        assert_eq!(Postmaster::parse(""), None);
        assert_eq!(Postmaster::parse("1\n"), None, "never signal init");
        let begun = Postmaster::parse("4711\n/data/cluster\n1764410000\n5432\n\n").expect("has a pid");
        assert!(!begun.is_ready);
        assert_eq!(begun.socket_dir, None);
    }

    #[tokio::test]
    async fn a_number_that_somebody_else_got_is_not_a_database() {
        let ours = i32::try_from(std::process::id()).expect("fits");
        let postmaster = Postmaster { pid: ours, port: 5432, socket_dir: None, is_ready: true };
        assert!(!postmaster.is_running(Path::new("/data/cluster")).await);
    }
}
