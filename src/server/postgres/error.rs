//! What can keep the managed database from running, each as one sentence that says what to do.
//!
//! Owns the wording only; nothing here looks at the system. A cause is part of its sentence, so it is not given as a
//! `source` too, which would print it twice.

use std::{io, path::PathBuf};

/// Why the managed database is not running.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// No usable `initdb` and `postgres` on this machine.
    #[error(
        "No PostgreSQL was found: install it (Debian, Ubuntu: apt-get install postgresql; macOS: brew install \
         postgresql@16) or name a database of your own with DATABASE_URL."
    )]
    NotInstalled,

    /// There are binaries, but none new enough.
    #[error(
        "PostgreSQL {found} in {folder} is too old: install PostgreSQL {minimum} or newer, or name a database of \
         your own with DATABASE_URL."
    )]
    TooOld {
        /// The newest major version there is.
        found: u32,
        /// Where it is.
        folder: PathBuf,
        /// The oldest one that will do.
        minimum: u32,
    },

    /// The cluster was made by a major version that is not installed.
    #[error(
        "The database in {cluster} was made by PostgreSQL {needed}, but only PostgreSQL {found} is installed: \
         install version {needed} again (Debian, Ubuntu: apt-get install postgresql-{needed}; macOS: brew install \
         postgresql@{needed}), or move the data with pg_dump."
    )]
    WrongMajor {
        /// The data directory of PostgreSQL.
        cluster: PathBuf,
        /// What made it.
        needed: u32,
        /// What there is.
        found: String,
    },

    /// The cluster's `PG_VERSION` does not hold a version.
    #[error(
        "{path} does not hold a PostgreSQL version: restore the data directory from a backup, or move it away."
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },

    /// Another process uses the data directory.
    #[error(
        "Another impri (process {}) uses the data directory {data_dir}: stop it first, or give this one its own --data-dir.",
        pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string())
    )]
    InUse {
        /// The directory.
        data_dir: PathBuf,
        /// The holder, when it could be read.
        pid: Option<i32>,
    },

    /// Something belongs to an OS user who is not us.
    #[error(
        "{path} belongs to the user {owner}, but this is {user}: run as {owner}, or choose another --data-dir."
    )]
    WrongOwner {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        owner: String,
        /// Who needs it.
        user: String,
    },

    /// The unprivileged user that the database runs as can't reach the data directory or the binaries.
    #[error(
        "The database runs as the user {user}, because PostgreSQL refuses to run as root, and {user} may not enter \
         {closed}: choose another --data-dir (such as /var/lib/impri), or run chmod o+x {closed}."
    )]
    Closed {
        /// The OS user.
        user: String,
        /// The first directory that stops them.
        closed: PathBuf,
    },

    /// PostgreSQL needs an OS user with a name.
    #[error(
        "The user id {uid} has no name on this machine, which PostgreSQL needs: add it to /etc/passwd, or name a \
         database of your own with DATABASE_URL."
    )]
    NamelessUser {
        /// The id.
        uid: u32,
    },

    /// We are root and there is nobody to run the database as.
    #[error(
        "PostgreSQL refuses to run as root and there is no user to run it as: create one (useradd --system postgres), \
         or start impri as an ordinary user."
    )]
    NoUnprivilegedUser,

    /// `initdb` failed.
    #[error("The database could not be created in {cluster}; initdb said: {said}")]
    Initdb {
        /// Where.
        cluster: PathBuf,
        /// The last thing it said.
        said: String,
    },

    /// The server process ended before it accepted connections.
    #[error("The database in {cluster} did not start ({status}); it said: {said}")]
    DiedAtStart {
        /// Where.
        cluster: PathBuf,
        /// How it ended.
        status: String,
        /// The last thing it said.
        said: String,
    },

    /// The server process runs, but never became ready.
    #[error(
        "The database in {cluster} was not ready after {waited_secs} seconds: look at the disk and the log, then start \
         again."
    )]
    NotReady {
        /// Where.
        cluster: PathBuf,
        /// How long we waited.
        waited_secs: u64,
    },

    /// A database that an earlier server left behind can't be ended.
    #[error(
        "The database process {pid}, which an earlier impri left behind, does not stop: end it with kill -QUIT {pid}, \
         then start again."
    )]
    LeftBehind {
        /// Its id.
        pid: i32,
    },

    /// We were asked to stop before the database was up.
    #[error("The start was interrupted.")]
    Interrupted,

    /// The operating system refused something.
    #[error("{what} {path} failed ({reason}): make the place writable, or choose another --data-dir.")]
    Io {
        /// What was tried, as a gerund.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },

    /// The database refused us.
    #[error("The managed database in {cluster} refused a connection: {reason}")]
    Connect {
        /// Where.
        cluster: PathBuf,
        /// What the driver said.
        reason: sqlx::Error,
    },
}

impl PostgresError {
    /// Says what was being done to which path when the system refused.
    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io { what, path, reason }
    }
}
