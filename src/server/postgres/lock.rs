//! The lock that lets one process at a time own a data directory.
//!
//! The lock is the kernel's, so it goes with its holder however that ends; the text in the file only names them.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown},
    path::{Path, PathBuf},
    time::Duration,
};

use nix::{fcntl::OFlag, unistd::geteuid};
use tokio::time::{Instant, sleep};

use super::error::PostgresError;

/// What the holder of a data directory is doing with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// `impri serve`: holds it until it is told to stop.
    Server,
    /// Any other command: holds it for a moment.
    Command,
}

impl Holder {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "serve",
            Self::Command => "command",
        }
    }
}

/// Proof that this process owns a data directory; dropping it gives the directory up.
#[derive(Debug)]
pub struct DataDirLock {
    data_dir: PathBuf,
    holder: Holder,
    _file: File,
}

/// What came of asking for the lock.
#[derive(Debug)]
pub enum LockAttempt {
    /// It is ours.
    Acquired(DataDirLock),
    /// Somebody else has it.
    HeldBy {
        /// Their process id, unless they have not written it yet.
        pid: Option<i32>,
        /// What they are doing, unless they have not written it yet.
        holder: Option<Holder>,
    },
}

impl DataDirLock {
    /// Takes the lock of `data_dir`, which must exist, if nobody has it.
    ///
    /// # Errors
    ///
    /// When the lock file can't be opened or written.
    pub fn try_acquire(data_dir: &Path, holder: Holder) -> Result<LockAttempt, PostgresError> {
        let path = data_dir.join("lock");
        let io = |what| PostgresError::io(what, path.clone());
        // As root we may be in a directory of somebody else's, who could have put a link here.
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlag::O_NOFOLLOW.bits())
            .open(&path)
            .map_err(io("Opening the lock file"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                file.read_to_string(&mut text).map_err(io("Reading the lock file"))?;
                let (pid, holder) = parse(&text);
                return Ok(LockAttempt::HeldBy { pid, holder });
            }
            Err(TryLockError::Error(source)) => return Err(io("Locking")(source)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| give_to_owner_of(data_dir, &file))
            .and_then(|()| writeln!(file, "{} {}", std::process::id(), holder.as_str()))
            .map_err(io("Writing the lock file"))?;
        Ok(LockAttempt::Acquired(Self { data_dir: data_dir.to_owned(), holder, _file: file }))
    }

    /// Takes the lock for a server: waits for a passing command, but not for another server.
    ///
    /// # Errors
    ///
    /// [`PostgresError::InUse`] when another server has it.
    pub(super) async fn acquire_for_server(data_dir: &Path) -> Result<Self, PostgresError> {
        let started = Instant::now();
        loop {
            let (pid, patience) = match Self::try_acquire(data_dir, Holder::Server)? {
                LockAttempt::Acquired(lock) => return Ok(lock),
                LockAttempt::HeldBy { pid, holder: Some(Holder::Server) } => (pid, Duration::ZERO),
                LockAttempt::HeldBy { pid, holder: Some(Holder::Command) } => (pid, Duration::from_secs(15)),
                // Its holder took it this very moment and has not said who it is.
                LockAttempt::HeldBy { pid, holder: None } => (pid, Duration::from_secs(1)),
            };
            if started.elapsed() >= patience {
                return Err(PostgresError::InUse { data_dir: data_dir.to_owned(), pid });
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// The directory that is locked.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// What we said we would do with it.
    pub fn holder(&self) -> Holder {
        self.holder
    }
}

/// Root may run a command in somebody's data directory; the lock must stay theirs to take.
fn give_to_owner_of(data_dir: &Path, file: &File) -> io::Result<()> {
    let owner = fs::metadata(data_dir)?;
    if geteuid().is_root() { fchown(file, Some(owner.uid()), Some(owner.gid())) } else { Ok(()) }
}

fn parse(text: &str) -> (Option<i32>, Option<Holder>) {
    let mut words = text.split_whitespace();
    let pid = words.next().and_then(|word| word.parse().ok());
    let holder = words.next().and_then(|word| {
        [Holder::Server, Holder::Command].into_iter().find(|holder| holder.as_str() == word)
    });
    (pid, holder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_holder_or_admits_not_to_know() {
        assert_eq!(parse("42 serve\n"), (Some(42), Some(Holder::Server)));
        assert_eq!(parse("42 command\n"), (Some(42), Some(Holder::Command)));
        assert_eq!(parse(""), (None, None));
    }
}
