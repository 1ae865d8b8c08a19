//! Where the key comes from that seals secrets at rest.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::{Secret, environment};
use crate::server::secrets::{KeyError, Vault};

/// The file of keys in the data directory.
const FILE: &str = "secret.key";

/// Where the key comes from.
#[derive(Debug)]
pub enum VaultSource {
    /// From the settings.
    Setting(Secret),
    /// From a file.
    File(PathBuf),
    /// From nowhere: there is neither.
    Nowhere,
}

impl VaultSource {
    /// The setting, if there is one; else the file in the data directory, be it the given or the usual one.
    pub fn new(setting: Option<String>, data_dir: Option<PathBuf>) -> Self {
        if let Some(setting) = setting.filter(|text| !text.trim().is_empty()) {
            return Self::Setting(Secret::new(setting));
        }
        let directory = data_dir.or_else(|| environment::default_data_dir().ok());
        directory.map_or(Self::Nowhere, |directory| Self::File(directory.join(FILE)))
    }

    /// The vault of a server, which makes the file if it is not there. A server whose file can't be made goes on
    /// without: it refuses to store secrets, and says why.
    ///
    /// # Errors
    /// If the setting or the file holds no key, or others may read the file.
    pub fn open(&self) -> Result<Vault, KeyError> {
        match self {
            Self::Setting(text) => Vault::from_setting(text.expose()),
            Self::File(path) => match Vault::from_file(path) {
                Err(KeyError::File { path, reason }) => {
                    let why =
                        format!("{} can't be read or made: {reason}; set IMPRI_SECRET_KEY", path.display());
                    tracing::warn!("secrets can't be stored: {why}");
                    Ok(Vault::closed(why))
                }
                outcome => outcome,
            },
            Self::Nowhere => Ok(Vault::closed("there is no data directory; set IMPRI_SECRET_KEY")),
        }
    }

    /// The vault of a command, which makes nothing.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_existing(&self) -> Result<Vault, KeyError> {
        match self {
            Self::File(path) => match std::fs::metadata(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let why = format!(
                        "{} is not there; impri serve makes it at its first start, and where the server has its key from \
                         IMPRI_SECRET_KEY, this shell needs that, too",
                        path.display()
                    );
                    Ok(Vault::closed(why))
                }
                _ => self.open(),
            },
            Self::Setting(_) | Self::Nowhere => self.open(),
        }
    }
}
