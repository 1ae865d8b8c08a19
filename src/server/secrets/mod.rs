//! Secrets at rest: sealed under a key that the database never sees.
//!
//! Owns the form of a sealed text and the keys that open it. Must not know what is sealed. A sealed text is bound to
//! the column and the row that it was written for, so that nobody who can write the database can move it elsewhere.
//! The cipher is ChaCha20-Poly1305 from `ring`, which TLS links already.

mod key_file;
mod keys;

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use self::keys::{Key, KeyRing};
use crate::server::random;

/// How a sealed text begins: the version of its form.
const FORM: &str = "x1";
/// A nonce of the cipher, in bytes.
const NONCE: usize = 12;

/// Where a sealed text belongs.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// `table.column`.
    pub column: &'static str,
    /// The row's key.
    pub row: Uuid,
}

impl Place {
    fn bytes(self) -> Vec<u8> {
        [b"impri\0", self.column.as_bytes(), b"\0", self.row.as_bytes()].concat()
    }
}

/// Why nothing was sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// This server has no key.
    #[error("this server has no key for secrets: {0}")]
    NoKey(String),
    /// Another key sealed it.
    #[error(
        "it was sealed with the key {0}, which this server does not have: add that key to IMPRI_SECRET_KEY, behind a comma, \
         or to the file of keys"
    )]
    UnknownKey(String),
    /// It is not what was sealed for this place.
    #[error("it is damaged, or was sealed for another place")]
    Damaged,
}

/// Why a text or a file holds no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It does not have the form.
    #[error("a key is 32 bytes as 43 base64url characters or 64 hexadecimal digits: openssl rand -hex 32")]
    Form,
    /// The file can't be read or written.
    #[error("{path}: {reason}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
    /// Others may read the file.
    #[error(
        "{0} can be read by others than its owner: chmod 600 it, and rotate the key if somebody may have read it"
    )]
    Open(PathBuf),
}

/// Where the keys come from.
#[derive(Debug)]
enum Source {
    /// From the settings.
    Settings,
    /// From a file, which another process may have added to.
    File(PathBuf),
    /// From nowhere, and why.
    Nowhere(String),
}

/// Seals and opens. Cheap to clone; shows no key.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    source: Source,
    keys: RwLock<KeyRing>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

impl Vault {
    fn new(source: Source, keys: KeyRing) -> Self {
        Self(Arc::new(Inner { source, keys: RwLock::new(keys) }))
    }

    /// A vault that opens and seals nothing, and says why.
    pub fn closed(why: impl Into<String>) -> Self {
        Self::new(Source::Nowhere(why.into()), KeyRing::default())
    }

    /// The keys of a setting, separated by commas: the first one seals, the others open what they sealed.
    ///
    /// # Errors
    /// If one of them is no key.
    pub fn from_setting(text: &str) -> Result<Self, KeyError> {
        Ok(Self::new(Source::Settings, KeyRing::parse(text)?))
    }

    /// The keys of a file, which is made with one new key if it is not there.
    ///
    /// # Errors
    /// If it can't be read or made, others may read it, or it holds no key.
    pub fn from_file(path: &Path) -> Result<Self, KeyError> {
        let keys = key_file::read_or_make(path)?;
        Ok(Self::new(Source::File(path.to_owned()), keys))
    }

    /// Whether it can seal, or why not.
    ///
    /// # Errors
    /// Without a key.
    pub fn check(&self) -> Result<(), SecretError> {
        self.sealing().map(|_| ())
    }

    /// The name of the key that seals.
    pub fn sealing_id(&self) -> Option<String> {
        self.sealing().ok().map(|key| key.id().to_owned())
    }

    /// The names of all keys, the sealing one first.
    pub fn ids(&self) -> Vec<String> {
        self.read().all().iter().map(|key| key.id().to_owned()).collect()
    }

    /// The file of the keys, if they are in one.
    pub fn file(&self) -> Option<&Path> {
        match &self.0.source {
            Source::File(path) => Some(path),
            Source::Settings | Source::Nowhere(_) => None,
        }
    }

    /// Makes a new key that seals from now on, in the file; the others stay and open what they sealed. False if the
    /// keys are in no file.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn add_key(&self) -> Result<bool, KeyError> {
        let Some(path) = self.file() else { return Ok(false) };
        let keys = key_file::add(path)?;
        *self.0.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(true)
    }

    /// Seals a secret for its place.
    ///
    /// # Errors
    /// Without a key.
    pub fn seal(&self, place: Place, secret: &str) -> Result<String, SecretError> {
        let key = self.sealing()?;
        let nonce = random::bytes::<NONCE>();
        let mut sealed = nonce.to_vec();
        sealed.extend(key.seal(nonce, &place.bytes(), secret.as_bytes()));
        Ok(format!("{FORM}.{}.{}", key.id(), URL_SAFE_NO_PAD.encode(sealed)))
    }

    /// Opens what was sealed for a place.
    ///
    /// # Errors
    /// If the key is not there, or it is not what was sealed there.
    pub fn open(&self, place: Place, sealed: &str) -> Result<String, SecretError> {
        let (id, text) = parts(sealed).ok_or(SecretError::Damaged)?;
        let key = self.key(id)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SecretError::Damaged)?;
        let (nonce, bytes) = bytes.split_first_chunk::<NONCE>().ok_or(SecretError::Damaged)?;
        let opened = key.open(*nonce, &place.bytes(), bytes).ok_or(SecretError::Damaged)?;
        String::from_utf8(opened).map_err(|_| SecretError::Damaged)
    }

    /// Whether the key that seals now sealed this.
    pub fn is_current(&self, sealed: &str) -> bool {
        parts(sealed).map(|(id, _)| id.to_owned()) == self.sealing_id()
    }

    fn sealing(&self) -> Result<Key, SecretError> {
        self.read().all().first().cloned().ok_or_else(|| self.no_key())
    }

    fn key(&self, id: &str) -> Result<Key, SecretError> {
        if let Some(key) = self.read().by_id(id) {
            return Ok(key);
        }
        // A command may have made a new one since this server started.
        if let Some(path) = self.file()
            && let Ok(keys) = key_file::read(path)
        {
            *self.0.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        }
        let keys = self.read();
        match keys.by_id(id) {
            Some(key) => Ok(key),
            None if keys.all().is_empty() => Err(self.no_key()),
            None => Err(SecretError::UnknownKey(id.to_owned())),
        }
    }

    fn no_key(&self) -> SecretError {
        SecretError::NoKey(match &self.0.source {
            Source::Nowhere(why) => why.clone(),
            Source::Settings | Source::File(_) => "the keys are empty".to_owned(),
        })
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, KeyRing> {
        self.0.keys.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key's name and the rest of a sealed text.
fn parts(sealed: &str) -> Option<(&str, &str)> {
    sealed.strip_prefix(FORM)?.strip_prefix('.')?.split_once('.')
}

/// How a secret is shown: its last four characters, if it has more than four.
pub fn masked(secret: &str) -> String {
    let count = secret.chars().count();
    let shown = if count > 4 { count - 4 } else { count };
    format!("****{}", secret.chars().skip(shown).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place = Place { column: "notification_channel.secrets", row: Uuid::from_u128(1) };

    fn key() -> String {
        hex::encode(random::bytes::<32>())
    }

    #[test]
    fn what_is_sealed_opens_in_its_place_only() {
        let vault = Vault::from_setting(&key()).expect("a key");
        let sealed = vault.seal(HERE, "token-1").expect("sealed");
        assert!(!sealed.contains("token-1") && vault.is_current(&sealed));
        assert_ne!(sealed, vault.seal(HERE, "token-1").expect("sealed"), "each time another nonce");
        assert_eq!(vault.open(HERE, &sealed).as_deref(), Ok("token-1"));
        let elsewhere =
            [Place { row: Uuid::from_u128(2), ..HERE }, Place { column: "receipt_key.sealed_key", ..HERE }];
        for place in elsewhere {
            assert_eq!(vault.open(place, &sealed), Err(SecretError::Damaged), "{place:?}");
        }
        let mut changed = sealed.clone().into_bytes();
        let last = changed.len() - 2;
        changed[last] = if changed[last] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).expect("ASCII");
        for damaged in [changed.as_str(), "", "x1", "x1.", "token-1", &sealed[..sealed.len() / 2]] {
            assert!(vault.open(HERE, damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn older_keys_open_and_unknown_ones_are_named() {
        let (old, new) = (key(), key());
        let before = Vault::from_setting(&old).expect("a key");
        let sealed = before.seal(HERE, "s").expect("sealed");
        let rotated = Vault::from_setting(&format!("{new}, {old}")).expect("two keys");
        assert_eq!(rotated.open(HERE, &sealed).as_deref(), Ok("s"));
        assert!(!rotated.is_current(&sealed));
        let other = Vault::from_setting(&new).expect("a key");
        let id = before.sealing_id().expect("a key");
        assert_eq!(other.open(HERE, &sealed), Err(SecretError::UnknownKey(id)));
        let closed = Vault::closed("the file is on the moon");
        assert_eq!(closed.seal(HERE, "s"), Err(SecretError::NoKey("the file is on the moon".into())));
        assert!(matches!(closed.open(HERE, &sealed), Err(SecretError::NoKey(_))));
    }

    #[test]
    fn nothing_but_a_key_is_a_key() {
        for wrong in ["", ",", "hunter2", &key()[1..], &format!("{}!", &key()[..63])] {
            assert!(Vault::from_setting(wrong).is_err(), "{wrong}");
        }
        let vault = Vault::from_setting(&random::token()).expect("43 base64url characters");
        assert!(!format!("{vault:?}").contains(&vault.sealing_id().expect("a key")));
    }

    #[test]
    fn a_mask_keeps_the_end_of_what_is_long_enough() {
        for (secret, shown) in
            [("", "****"), ("abcd", "****"), ("abcde", "****bcde"), ("xoxb-é234", "****é234")]
        {
            assert_eq!(masked(secret), shown, "{secret}");
        }
    }
}
