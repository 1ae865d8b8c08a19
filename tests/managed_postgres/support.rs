//! A server process with a data directory of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use impri::server::postgres;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use sqlx::{Connection as _, PgConnection};

/// How long anything may take: far more than it does, for slow machines.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A directory that goes when it is dropped, and that other users can reach.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("impri-it-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary directory");
        Self(fs::canonicalize(path).expect("its real path"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // What is left in a temporary directory hurts nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An `impri serve` that is stopped, with its database, when it is dropped.
pub(crate) struct Server {
    child: Child,
    data_dir: PathBuf,
    log: PathBuf,
}

impl Server {
    /// Starts one, without waiting for anything.
    pub(crate) fn spawn(data_dir: &Path) -> Self {
        Self::spawn_with(Command::new(env!("CARGO_BIN_EXE_impri")), data_dir)
    }

    pub(crate) fn spawn_with(mut command: Command, data_dir: &Path) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("impri-it-{}-{}.log", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let log = env::temp_dir().join(name);
        let stderr = fs::File::create(&log).expect("a log file");
        for (name, _) in env::vars_os() {
            if name == "DATABASE_URL" || name.to_string_lossy().starts_with("IMPRI_") {
                command.env_remove(name);
            }
        }
        let child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data_dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .expect("the server starts");
        Self { child, data_dir: data_dir.to_owned(), log }
    }

    /// Starts one, and waits until its database can be used.
    pub(crate) async fn start(data_dir: &Path) -> Self {
        let mut server = Self::spawn(data_dir);
        server.wait_for_database(None).await;
        server
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a process id")
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the log")
    }

    /// Waits for a usable database that is not the process `not`, and returns its process.
    #[track_caller]
    pub(crate) fn wait_for_database(&mut self, not: Option<i32>) -> impl Future<Output = i32> + use<'_> {
        let caller = std::panic::Location::caller();
        async move {
            let deadline = Instant::now() + PATIENCE;
            loop {
                if let Some(pid) = postmaster_pid(&self.data_dir)
                    && Some(pid) != not
                    && is_alive(pid)
                    && connect(&self.data_dir).await.is_some()
                {
                    return pid;
                }
                let ended = self.child.try_wait().expect("the state of our child");
                assert!(ended.is_none(), "{caller}: the server ended ({ended:?}):\n{}", self.log());
                assert!(Instant::now() < deadline, "{caller}: no database in time:\n{}", self.log());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).expect("our child can be signalled");
    }

    /// Waits until the server has ended.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of our child") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server the way nobody can prepare for.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::SIGKILL);
        self.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::SIGTERM);
            self.wait();
        }
        let _ = fs::remove_file(&self.log);
    }
}

/// The process that `postmaster.pid` names, if any.
pub(crate) fn postmaster_pid(data_dir: &Path) -> Option<i32> {
    fs::read_to_string(pid_file(data_dir)).ok()?.lines().next()?.trim().parse().ok()
}

pub(crate) fn pid_file(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres/cluster/postmaster.pid")
}

pub(crate) fn is_alive(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}

/// A connection to the database that runs in `data_dir`, if one can be had now.
pub(crate) async fn connect(data_dir: &Path) -> Option<PgConnection> {
    let options = postgres::running(data_dir).expect("readable")?;
    PgConnection::connect_with(&options).await.ok()
}

/// Waits until `condition` holds.
#[track_caller]
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not happen in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}
