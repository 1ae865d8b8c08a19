//! Which OS user the database runs as, and what that user may reach.
//!
//! PostgreSQL refuses to run as root, so root hands its part of the data directory to an unprivileged user. Knows
//! nothing about clusters.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, lchown},
    path::{Path, PathBuf},
};

use nix::unistd::{Uid, User, geteuid};
use tokio::process::Command;

use super::error::PostgresError;

/// Whom root runs the database as, first choice first.
const UNPRIVILEGED_USERS: [&str; 3] = ["impri", "postgres", "nobody"];

/// The OS user of the database.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub(super) name: String,
    uid: u32,
    gid: u32,
    /// Whether we are root and become this user for the database.
    is_switched: bool,
}

impl Owner {
    /// Finds the user for the database in `state_dir`: ourselves, or as root whoever owns it already.
    pub(super) fn of(state_dir: &Path) -> Result<Self, PostgresError> {
        if !geteuid().is_root() {
            return Self::with_uid(geteuid(), false);
        }
        match fs::symlink_metadata(state_dir) {
            Ok(metadata) if metadata.uid() != 0 => {
                return Self::with_uid(Uid::from_raw(metadata.uid()), true);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(PostgresError::io("Looking at", state_dir)(error)),
        }
        let user = UNPRIVILEGED_USERS
            .iter()
            .find_map(|name| User::from_name(name).ok().flatten().filter(|user| !user.uid.is_root()))
            .ok_or(PostgresError::NoUnprivilegedUser)?;
        Ok(Self::new(user, true))
    }

    fn with_uid(uid: Uid, is_switched: bool) -> Result<Self, PostgresError> {
        let user =
            User::from_uid(uid).ok().flatten().ok_or(PostgresError::NamelessUser { uid: uid.as_raw() })?;
        Ok(Self::new(user, is_switched))
    }

    fn new(user: User, is_switched: bool) -> Self {
        Self { name: user.name, uid: user.uid.as_raw(), gid: user.gid.as_raw(), is_switched }
    }

    /// Whether we are root and the database is not.
    pub(super) fn is_switched(&self) -> bool {
        self.is_switched
    }

    /// A command that runs as this user, with an empty environment and no supplementary groups.
    ///
    /// Our environment stays ours: it can hold passwords, and `PGPORT` and its kin would override settings.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C");
        if self.is_switched {
            // With a uid from root, the standard library also drops root's supplementary groups.
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Makes `dir` a directory that only this user can enter, or makes sure that it is one.
    pub(super) fn claim_dir(&self, dir: &Path) -> Result<(), PostgresError> {
        match DirBuilder::new().mode(0o700).create(dir) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(PostgresError::io("Creating", dir)(error)),
        }
        let metadata = fs::symlink_metadata(dir).map_err(PostgresError::io("Looking at", dir))?;
        if !metadata.is_dir() {
            let error = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(PostgresError::io("Using", dir)(error));
        }
        if metadata.uid() == 0 && self.is_switched {
            self.take_over(dir).map_err(PostgresError::io("Changing the owner of", dir))?;
        } else if metadata.uid() != self.uid {
            let owner = metadata.uid();
            let owner = User::from_uid(Uid::from_raw(owner))
                .ok()
                .flatten()
                .map_or(owner.to_string(), |user| user.name);
            return Err(PostgresError::WrongOwner { path: dir.to_owned(), owner, user: self.name.clone() });
        }
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
            .map_err(PostgresError::io("Changing the permissions of", dir))
    }

    /// Gives `path` and all below it to this user: new directories, and backups that root unpacked.
    fn take_over(&self, path: &Path) -> io::Result<()> {
        if fs::symlink_metadata(path)?.is_dir() {
            for entry in fs::read_dir(path)? {
                self.take_over(&entry?.path())?;
            }
        }
        lchown(path, Some(self.uid), Some(self.gid))
    }

    /// Makes sure that this user can run `program` inside `dir`.
    ///
    /// Tried rather than computed, because access lists and mount options have a say too.
    pub(super) async fn check_access(&self, program: &Path, dir: &Path) -> Result<(), PostgresError> {
        let attempt = self.command(program).arg("--version").current_dir(dir).output().await;
        match attempt {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let closed = self.first_closed(dir).or_else(|| self.first_closed(program));
                Err(PostgresError::Closed {
                    user: self.name.clone(),
                    closed: closed.unwrap_or_else(|| dir.to_owned()),
                })
            }
            Err(error) => Err(PostgresError::io("Running", program)(error)),
        }
    }

    /// The topmost directory on the way to `path` that this user may not enter.
    fn first_closed(&self, path: &Path) -> Option<PathBuf> {
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.reverse();
        ancestors.into_iter().find(|dir| self.is_closed(dir)).map(Path::to_owned)
    }

    fn is_closed(&self, dir: &Path) -> bool {
        let Ok(metadata) = fs::metadata(dir) else { return false };
        let enter = if metadata.uid() == self.uid {
            0o100
        } else if metadata.gid() == self.gid {
            0o010
        } else {
            0o001
        };
        metadata.mode() & enter == 0
    }
}
