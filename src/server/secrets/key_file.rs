//! The file of keys: made once, read by its owner only, and replaced in one step.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::KeyError;
use super::keys::KeyRing;
use crate::server::random;

const HEAD: &str = "# Keys of Impri's secrets. The first one seals, the others open what they sealed before.\n\
                    # Keep a copy where the database's copies are not: without its key a secret is lost.\n";

/// The keys in the file, which is made with one new key if there is none.
pub(super) fn read_or_make(path: &Path) -> Result<KeyRing, KeyError> {
    match read(path) {
        Err(KeyError::File { reason, .. }) if reason.kind() == ErrorKind::NotFound => {}
        outcome => return outcome,
    }
    let failed = |reason| KeyError::File { path: path.to_owned(), reason };
    if let Some(directory) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    }
    let beside = write_beside(path, &format!("{HEAD}{}\n", random::token()))?;
    // A link is made whole or not at all, and never in the place of a file that another server made meanwhile.
    let linked = fs::hard_link(&beside, path);
    fs::remove_file(&beside).map_err(failed)?;
    keep(path)?;
    match linked {
        Err(reason) if reason.kind() != ErrorKind::AlreadyExists => Err(failed(reason)),
        _ => read(path),
    }
}

/// The keys in the file.
pub(super) fn read(path: &Path) -> Result<KeyRing, KeyError> {
    KeyRing::parse(&text(path)?)
}

fn text(path: &Path) -> Result<String, KeyError> {
    let failed = |reason| KeyError::File { path: path.to_owned(), reason };
    let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(KeyError::Open(path.to_owned()));
    }
    fs::read_to_string(path).map_err(failed)
}

/// Puts a new key before those in the file.
pub(super) fn add(path: &Path) -> Result<KeyRing, KeyError> {
    let failed = |reason| KeyError::File { path: path.to_owned(), reason };
    // Of two that add at a time, one would write without the key that the other seals with by then. The file itself is
    // replaced, so what is locked is its folder.
    let _alone =
        Flock::lock(folder(path)?, FlockArg::LockExclusive).map_err(|(_, error)| failed(error.into()))?;
    let before = text(path)?;
    let keys: Vec<&str> = before.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let beside = write_beside(path, &format!("{HEAD}{}\n{}\n", random::token(), keys.join("\n")))?;
    fs::rename(&beside, path).map_err(failed)?;
    keep(path)?;
    read(path)
}

/// Has the file under its name survive a loss of power: what is sealed next is lost without it.
fn keep(path: &Path) -> Result<(), KeyError> {
    folder(path)?.sync_all().map_err(|reason| KeyError::File { path: path.to_owned(), reason })
}

fn folder(path: &Path) -> Result<File, KeyError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).map_err(|reason| KeyError::File { path: folder.to_owned(), reason })
}

fn write_beside(path: &Path, text: &str) -> Result<PathBuf, KeyError> {
    let beside = path.with_extension(format!("new-{}", hex::encode(random::bytes::<6>())));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|reason| KeyError::File { path: beside.clone(), reason })?;
    Ok(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> PathBuf {
        std::env::temp_dir().join(format!("impri-keys-{}", hex::encode(random::bytes::<8>())))
    }

    fn ids(keys: &KeyRing) -> Vec<String> {
        keys.all().iter().map(|key| key.id().to_owned()).collect()
    }

    #[test]
    fn a_file_is_made_once_for_its_owner_and_grows_at_the_front() {
        let path = directory().join("secret.key");
        let first = ids(&read_or_make(&path).expect("made"));
        assert_eq!(ids(&read_or_make(&path).expect("read")), first);
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        let both = ids(&add(&path).expect("added"));
        assert_eq!((both.len(), &both[1..]), (2, &first[..]));
        let left: Vec<_> = fs::read_dir(path.parent().expect("a folder")).expect("readable").collect();
        assert_eq!(left.len(), 1, "nothing is left beside it");
        let added: Vec<String> = std::thread::scope(|scope| {
            let adders: Vec<_> = (0..8).map(|_| scope.spawn(|| ids(&add(&path).expect("added")))).collect();
            adders.into_iter().map(|adder| adder.join().expect("no panic").remove(0)).collect()
        });
        let all = ids(&read(&path).expect("read"));
        assert!(all.len() == 10 && added.iter().all(|id| all.contains(id)), "{added:?} {all:?}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("its owner");
        assert!(matches!(read(&path), Err(KeyError::Open(_))));
        fs::remove_dir_all(path.parent().expect("a folder")).expect("removed");
    }
}
