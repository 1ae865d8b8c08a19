//! Which database a command works on, and what seals the secrets in it.

use std::path::PathBuf;

use clap::Args;

use crate::server::config::{ConfigError, DatabaseSource, VaultSource};

/// Which database a command works on.
#[derive(Debug, Args)]
pub struct DatabaseArgs {
    /// Use this PostgreSQL, such as `postgres://impri:secret@db.example/impri`, instead of running one
    #[arg(
        long,
        env = "DATABASE_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true,
        help_heading = "Database"
    )]
    pub database_url: Option<String>,

    /// Keep the managed database and its lock here [default: ~/.local/share/impri, as root /var/lib/impri]
    #[arg(long, env = "IMPRI_DATA_DIR", value_name = "DIR", global = true, help_heading = "Database")]
    pub data_dir: Option<PathBuf>,

    /// Seal secrets at rest with this key, 32 bytes as 64 hexadecimal digits; older keys follow behind commas; others on
    /// this machine can read a flag, so use the variable [default: a file that the first start makes in the data directory]
    #[arg(
        long,
        env = "IMPRI_SECRET_KEY",
        value_name = "KEYS",
        hide_env_values = true,
        global = true,
        help_heading = "Database"
    )]
    pub secret_key: Option<String>,
}

impl DatabaseArgs {
    /// Where the key of secrets comes from.
    pub fn vault(&self) -> VaultSource {
        VaultSource::new(self.secret_key.clone(), self.data_dir.clone())
    }

    /// Where that is.
    ///
    /// # Errors
    ///
    /// When the address is not one, or there is no home directory.
    pub fn source(&self) -> Result<DatabaseSource, ConfigError> {
        DatabaseSource::new(self.database_url.as_deref(), self.data_dir.clone())
    }
}
