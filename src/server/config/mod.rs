//! The settings of a server, checked and typed.
//!
//! Owns what a valid setting is, and the only reading of the environment outside the command-line parser. Must not
//! know flags: `boot` fills these types from them.

mod base_url;
mod checkpoint_url;
mod environment;
mod error;
mod log;
mod public_url;
mod rates;
mod smtp;
mod vault;

use std::{
    fmt::{self, Debug, Formatter},
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr as _,
};

use sqlx::postgres::PgConnectOptions;

use super::notify::PlatformSettings;

pub use self::{
    base_url::BaseUrl,
    checkpoint_url::parse_checkpoint_url,
    environment::check_environment,
    error::ConfigError,
    log::{LogFormat, LogSettings, parse_log_filter},
    public_url::PublicUrl,
    rates::{RateClass, RateSettings},
    smtp::{Smtp, SmtpError, SmtpSource, SmtpTls},
    vault::VaultSource,
};

/// Everything `impri serve` can be told.
#[derive(Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The address people and agents reach the server at; see [`Config::public_url_for`].
    pub public_url: Option<PublicUrl>,
    /// Where the database is.
    pub database: DatabaseSource,
    /// What to log.
    pub log: LogSettings,
    /// The first account, made at the first start without the set-up page.
    pub first_admin: Option<FirstAdmin>,
    /// How platforms are reached, and where messages may go.
    pub platforms: PlatformSettings,
    /// Where the key comes from that seals secrets at rest.
    pub vault: VaultSource,
    /// Whether a reverse proxy's word on the caller's address counts.
    pub behind_proxy: bool,
    /// Where checkpoints of the history are appended, too.
    pub checkpoint_file: Option<PathBuf>,
    /// Where they are sent, too.
    pub checkpoint_url: Option<url::Url>,
    /// How much a key may ask.
    pub rates: RateSettings,
    /// Who may read `/metrics`.
    pub metrics: MetricsAccess,
}

impl Config {
    /// The public address, which without a setting is the one that was bound.
    pub fn public_url_for(&self, bound: SocketAddr) -> PublicUrl {
        PublicUrl::or_bound(self.public_url.clone(), bound)
    }
}

/// Who may read `/metrics`.
#[derive(Debug, Clone, Default)]
pub enum MetricsAccess {
    /// Nobody: there is no such page.
    #[default]
    Off,
    /// Everybody who reaches the server.
    Open,
    /// Whoever sends this as a bearer token.
    Token(Secret),
}

impl MetricsAccess {
    /// Puts the two settings together: a token closes what would be open.
    pub fn new(is_open: bool, token: Option<String>) -> Self {
        match token.filter(|token| !token.is_empty()) {
            Some(token) => Self::Token(Secret(token)),
            None if is_open => Self::Open,
            None => Self::Off,
        }
    }
}

/// Where the database is.
#[derive(Debug)]
pub enum DatabaseSource {
    /// Somebody else's server.
    External(DatabaseUrl),
    /// Our own, in this data directory.
    Managed(PathBuf),
}

impl DatabaseSource {
    /// The given database, else a managed one in the given data directory, else in the usual one.
    ///
    /// # Errors
    ///
    /// When the address is not one, or there is no usual data directory.
    pub fn new(url: Option<&str>, data_dir: Option<PathBuf>) -> Result<Self, ConfigError> {
        match (url, data_dir) {
            (Some(url), _) => DatabaseUrl::parse(url).map(Self::External),
            (None, Some(data_dir)) => {
                std::path::absolute(&data_dir).map(Self::Managed).map_err(|_| ConfigError::DataDir)
            }
            (None, None) => environment::default_data_dir().map(Self::Managed),
        }
    }
}

/// How to connect to a database of the operator's; holds a password, so it does not show itself.
#[derive(Clone)]
pub struct DatabaseUrl(Box<PgConnectOptions>);

impl DatabaseUrl {
    fn parse(url: &str) -> Result<Self, ConfigError> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(ConfigError::DatabaseUrl("it must begin with postgres://".to_owned()));
        }
        let options =
            PgConnectOptions::from_str(url).map_err(|error| ConfigError::DatabaseUrl(error.to_string()))?;
        Ok(Self(Box::new(options)))
    }

    /// What the driver needs.
    pub fn connect_options(&self) -> PgConnectOptions {
        PgConnectOptions::clone(&self.0).application_name("impri")
    }
}

impl Debug for DatabaseUrl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

/// The account that an unattended set-up begins with.
#[derive(Debug)]
pub struct FirstAdmin {
    /// The address to sign in with; checked where accounts are made.
    pub email: String,
    /// The password; checked where accounts are made.
    pub password: Secret,
}

impl FirstAdmin {
    /// Puts the three settings together; an account needs an address and exactly one source of a password.
    ///
    /// # Errors
    ///
    /// When one is missing or there is one too many, or the file can't be read.
    pub fn new(
        email: Option<String>,
        password: Option<String>,
        password_file: Option<&Path>,
    ) -> Result<Option<Self>, ConfigError> {
        let password = match (password, password_file) {
            (Some(_), Some(_)) => return Err(ConfigError::TwoAdminPasswords),
            (Some(password), None) => Some(password),
            (None, Some(path)) => {
                let text = fs::read_to_string(path)
                    .map_err(|reason| ConfigError::PasswordFile { path: path.to_owned(), reason })?;
                // Editors and echo end a file with a newline that is no part of the password.
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
            (None, None) => None,
        };
        match (email, password) {
            (None, None) => Ok(None),
            (Some(email), Some(password)) => Ok(Some(Self { email, password: Secret(password) })),
            (Some(_), None) => Err(ConfigError::AdminWithoutPassword),
            (None, Some(_)) => Err(ConfigError::AdminWithoutEmail),
        }
    }
}

/// A value that must not get into a log.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Keeps a value out of logs.
    pub fn new(value: String) -> Self {
        Self(value)
    }

    /// Hands the value out, to whoever needs it in the open.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Debug for Secret {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show_themselves() {
        let url = DatabaseUrl::parse("postgres://me:hunter2@db.example/impri").expect("an address");
        let admin =
            FirstAdmin::new(Some("a@b.example".into()), Some("hunter2".into()), None).expect("complete");
        assert!(!format!("{url:?}{admin:?}").contains("hunter2"));
    }

    #[test]
    fn an_external_database_is_a_postgres_address() {
        for wrong in ["", "mysql://a/b", "localhost:5432", "postgres://a:port/b"] {
            assert!(DatabaseSource::new(Some(wrong), None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_first_account_is_complete_or_refused() {
        let email = || Some("a@b.example".to_owned());
        let password = || Some("correct horse".to_owned());
        assert!(matches!(FirstAdmin::new(None, None, None), Ok(None)));
        assert!(matches!(FirstAdmin::new(email(), password(), None), Ok(Some(_))));
        assert!(matches!(FirstAdmin::new(email(), None, None), Err(ConfigError::AdminWithoutPassword)));
        assert!(matches!(FirstAdmin::new(None, password(), None), Err(ConfigError::AdminWithoutEmail)));
        let both = FirstAdmin::new(email(), password(), Some(Path::new("/x")));
        assert!(matches!(both, Err(ConfigError::TwoAdminPasswords)));
    }
}
