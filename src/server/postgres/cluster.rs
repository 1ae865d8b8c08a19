//! The cluster on disk: where its parts are, making it, and who may connect to it.
//!
//! Layout of a data directory: `lock`; `postgres/`, which belongs to the database's OS user alone, with `cluster/`
//! (PostgreSQL's own files), `run/` (the socket) and the two access files. Knows nothing about running processes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
};

use nix::unistd::{Uid, User, geteuid};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::{error::PostgresError, find::Programs, owner::Owner};

/// The role and the database that the product uses.
pub(super) const NAME: &str = "impri";

/// The port; only part of the socket's name, as nothing listens on a network.
pub(super) const PORT: u16 = 5432;

/// How long the path of a socket may be: 104 bytes with the final zero on macOS, 108 on Linux.
const SOCKET_PATH_MAX_BYTES: usize = 103;

/// The parts of one data directory.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    state_dir: PathBuf,
    /// PostgreSQL's data directory.
    pub(super) dir: PathBuf,
}

impl Cluster {
    pub(super) fn new(data_dir: &Path) -> Self {
        let state_dir = data_dir.join("postgres");
        Self { dir: state_dir.join("cluster"), state_dir }
    }

    pub(super) fn owner(&self) -> Result<Owner, PostgresError> {
        Owner::of(&self.state_dir)
    }

    /// Makes the directory that belongs to the database.
    pub(super) fn claim(&self, owner: &Owner) -> Result<(), PostgresError> {
        owner.claim_dir(&self.state_dir)
    }

    /// Makes sure that the database's user can work here.
    pub(super) async fn check_access(&self, owner: &Owner, programs: &Programs) -> Result<(), PostgresError> {
        owner.check_access(&programs.postgres(), &self.state_dir).await
    }

    /// The major version that made the cluster; `None` when there is no cluster yet.
    pub(super) fn made_by(&self) -> Result<Option<u32>, PostgresError> {
        let path = self.dir.join("PG_VERSION");
        match fs::read_to_string(&path) {
            Ok(text) => text.trim().parse().map(Some).map_err(|_| PostgresError::Damaged { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PostgresError::io("Reading", path)(error)),
        }
    }

    /// Runs `initdb`, beside the final place: a start that is interrupted leaves no half cluster there.
    pub(super) async fn create(
        &self,
        owner: &Owner,
        programs: &Programs,
        interrupt: &CancellationToken,
    ) -> Result<(), PostgresError> {
        tracing::info!(
            postgres.major = programs.major,
            user = owner.name,
            "creating the database, a few seconds"
        );
        self.remove_unfinished()?;
        // With our pid, so that an initdb that outlives a killed server can't write into this one's attempt.
        let unfinished = self.state_dir.join(format!("new-{}", std::process::id()));
        // Not every system has C.UTF-8; plain C sorts alike and knows fewer capitals.
        let mut said = String::new();
        for locale in ["C.UTF-8", "C"] {
            let mut initdb = owner.command(&programs.initdb());
            initdb
                .arg("-D")
                .arg(&unfinished)
                .args(["--encoding=UTF8", "--data-checksums", "--auth-local=peer", "--auth-host=reject"])
                .arg(format!("--locale={locale}"))
                .arg(format!("--username={NAME}"))
                .current_dir(&self.state_dir)
                .kill_on_drop(true);
            let output = tokio::select! {
                output = initdb.output() => output.map_err(PostgresError::io("Running", programs.initdb()))?,
                () = interrupt.cancelled() => return Err(PostgresError::Interrupted),
            };
            if output.status.success() {
                return fs::rename(&unfinished, &self.dir).map_err(PostgresError::io("Moving", unfinished));
            }
            let stderr = String::from_utf8_lossy(&output.stderr);
            let is_locale_missing = stderr.contains("locale");
            let error = stderr.lines().rfind(|line| line.contains("error")).unwrap_or(&stderr);
            error.trim().clone_into(&mut said);
            if !is_locale_missing {
                break;
            }
        }
        Err(PostgresError::Initdb { cluster: self.dir.clone(), said })
    }

    fn remove_unfinished(&self) -> Result<(), PostgresError> {
        let io = |what| PostgresError::io(what, &self.state_dir);
        for entry in fs::read_dir(&self.state_dir).map_err(io("Reading"))? {
            let entry = entry.map_err(io("Reading"))?;
            if entry.file_name().as_bytes().starts_with(b"new-") {
                fs::remove_dir_all(entry.path()).map_err(PostgresError::io("Removing", entry.path()))?;
            }
        }
        Ok(())
    }

    /// Makes the directory of the socket, which only the database's user (and root) can enter.
    pub(super) fn claim_socket_dir(&self, owner: &Owner) -> Result<PathBuf, PostgresError> {
        let dir = self.socket_dir(owner);
        owner.claim_dir(&dir)?;
        Ok(dir)
    }

    /// `run/`, or for a data directory too deep for a socket a short place that its path names.
    fn socket_dir(&self, owner: &Owner) -> PathBuf {
        let dir = self.state_dir.join("run");
        if dir.join(format!(".s.PGSQL.{PORT}")).as_os_str().len() <= SOCKET_PATH_MAX_BYTES {
            return dir;
        }
        // Root has a place where nobody can be first to take the name. In /tmp they can, and are refused.
        let run = Path::new("/run");
        let parent = if owner.is_switched() && run.is_dir() { run } else { Path::new("/tmp") };
        let digest = hex::encode(Sha256::digest(self.state_dir.as_os_str().as_bytes()));
        parent.join(format!("impri-{}", &digest[..16]))
    }

    /// Writes who may connect: the kernel vouches for the OS user at the other end of the socket.
    ///
    /// `peer` with a map needs no password anywhere, and works when root starts a database that runs as another
    /// user. Root is always on the list, since it could become any of the others.
    pub(super) fn write_access(&self) -> Result<(), PostgresError> {
        self.write("pg_hba.conf", "local all all peer map=impri\n")?;
        let state_dir = fs::symlink_metadata(&self.state_dir)
            .map_err(PostgresError::io("Looking at", &self.state_dir))?;
        let mut uids = vec![0, state_dir.uid(), geteuid().as_raw()];
        uids.sort_unstable();
        uids.dedup();
        let users = uids.into_iter().filter_map(|uid| User::from_uid(Uid::from_raw(uid)).ok().flatten());
        let map: Vec<String> = users.map(|user| format!("impri \"{}\" {NAME}\n", user.name)).collect();
        self.write("pg_ident.conf", &map.concat())
    }

    pub(super) fn hba_file(&self) -> PathBuf {
        self.state_dir.join("pg_hba.conf")
    }

    pub(super) fn ident_file(&self) -> PathBuf {
        self.state_dir.join("pg_ident.conf")
    }

    /// Replaces a file; never writes through what is there, as the database's user could have put a link there.
    fn write(&self, name: &str, text: &str) -> Result<(), PostgresError> {
        let path = self.state_dir.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(PostgresError::io("Replacing", path)(error));
            }
            _ => {}
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(&path)
            .and_then(|mut file| {
                // Whatever our umask: the database's user must read it, and the directory keeps the others out.
                file.set_permissions(fs::Permissions::from_mode(0o644))?;
                file.write_all(text.as_bytes())
            })
            .map_err(PostgresError::io("Writing", path))
    }
}

/// Makes the data directory, and returns it as the absolute path that processes and sockets are named by.
///
/// As root it is left open for passing through, because the part inside it that belongs to the database's user
/// must be reachable for them.
pub(super) fn claim_data_dir(data_dir: &Path) -> Result<PathBuf, PostgresError> {
    let io = |what| PostgresError::io(what, data_dir);
    if !data_dir.exists() {
        if let Some(parent) = data_dir.parent() {
            fs::create_dir_all(parent).map_err(io("Creating"))?;
        }
        fs::DirBuilder::new().mode(0o700).create(data_dir).map_err(io("Creating"))?;
    }
    let data_dir = fs::canonicalize(data_dir).map_err(io("Finding"))?;
    let metadata = fs::metadata(&data_dir).map_err(io("Looking at"))?;
    if geteuid().is_root() && metadata.uid() == 0 {
        fs::set_permissions(&data_dir, fs::Permissions::from_mode(metadata.mode() | 0o011))
            .map_err(io("Changing the permissions of"))?;
    }
    Ok(data_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_data_directory_gets_a_short_socket_path() {
        let owner = Owner::of(Path::new("/nowhere")).expect("an owner");
        let near = Cluster::new(Path::new("/data"));
        assert_eq!(near.socket_dir(&owner), Path::new("/data/postgres/run"));
        let deep = Cluster::new(&Path::new("/data").join("deep".repeat(30)));
        let deeper = Cluster::new(&Path::new("/data").join("deep".repeat(31)));
        let dir = deep.socket_dir(&owner);
        assert!(dir.as_os_str().len() + 14 <= SOCKET_PATH_MAX_BYTES, "{}", dir.display());
        assert_ne!(dir, deeper.socket_dir(&owner));
        assert_eq!(dir, deep.socket_dir(&owner), "the same place at every start");
    }
}
