//! The flags and variables of `impri serve`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum, builder::BoolishValueParser};

use super::{AddressArgs, DatabaseArgs, PlatformArgs};
use crate::server::config::{
    Config, ConfigError, FirstAdmin, LogFormat, LogSettings, MetricsAccess, RateSettings,
    parse_checkpoint_url, parse_log_filter,
};

/// The settings of the server.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub address: AddressArgs,

    #[command(flatten)]
    pub database: DatabaseArgs,

    /// Believe the last address of X-Forwarded-For: only behind a reverse proxy that sets it
    #[arg(long, env = "IMPRI_BEHIND_PROXY", action = ArgAction::SetTrue, value_parser = BoolishValueParser::new())]
    pub behind_proxy: bool,

    #[command(flatten)]
    pub platforms: PlatformArgs,

    /// Append every signed checkpoint of the history to this file, too; keep it where whoever can write the database
    /// can't
    #[arg(long, env = "IMPRI_CHECKPOINT_FILE", value_name = "FILE")]
    pub checkpoint_file: Option<PathBuf>,

    /// Post every signed checkpoint of the history to this https address, too, again until it takes it
    #[arg(long, env = "IMPRI_CHECKPOINT_URL", value_name = "URL", hide_env_values = true)]
    pub checkpoint_url: Option<String>,

    /// How many requests of a sort one key may make in a minute: `off`, or what differs from
    /// propose=6000,read=60000,decide=6000,run=12000,manage=600,export=30
    #[arg(long, env = "IMPRI_RATE_LIMITS", value_name = "LIMITS", default_value = "")]
    pub rate_limits: String,

    /// Serve /metrics for Prometheus to everybody who reaches this server
    #[arg(long, env = "IMPRI_METRICS", action = ArgAction::SetTrue, value_parser = BoolishValueParser::new())]
    pub metrics: bool,

    /// Serve /metrics for Prometheus to whoever sends this as a bearer token
    #[arg(long, env = "IMPRI_METRICS_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,

    /// Log events from this level up: error, warn, info, debug or trace; or directives such as warn,impri=debug
    #[arg(long, env = "IMPRI_LOG_LEVEL", value_name = "LEVEL", default_value = "info")]
    pub log_level: String,

    /// Log lines for people, or JSON objects for machines
    #[arg(long, env = "IMPRI_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormatArg,

    /// Make this the first account, instead of the set-up page
    #[arg(long, env = "IMPRI_ADMIN_EMAIL", value_name = "EMAIL")]
    pub admin_email: Option<String>,

    /// The first account's password; others on this machine can read a flag, so use the variable or the file
    #[arg(long, env = "IMPRI_ADMIN_PASSWORD", value_name = "PASSWORD", hide_env_values = true)]
    pub admin_password: Option<String>,

    /// Read the first account's password from this file
    #[arg(long, env = "IMPRI_ADMIN_PASSWORD_FILE", value_name = "FILE")]
    pub admin_password_file: Option<PathBuf>,
}

impl ServeArgs {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// The first one that is wrong.
    pub fn into_config(self) -> Result<Config, ConfigError> {
        Ok(Config {
            listen: self.address.listen,
            public_url: self.address.given()?,
            database: self.database.source()?,
            log: LogSettings { filter: parse_log_filter(&self.log_level)?, format: self.log_format.into() },
            first_admin: FirstAdmin::new(
                self.admin_email,
                self.admin_password,
                self.admin_password_file.as_deref(),
            )?,
            platforms: self.platforms.settings()?,
            vault: self.database.vault(),
            behind_proxy: self.behind_proxy,
            checkpoint_file: self.checkpoint_file,
            checkpoint_url: self
                .checkpoint_url
                .as_deref()
                .map(|url| parse_checkpoint_url(url, self.platforms.allow_private_targets))
                .transpose()?,
            rates: RateSettings::parse(&self.rate_limits)?,
            metrics: MetricsAccess::new(self.metrics, self.metrics_token),
        })
    }
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormatArg {
    /// For people
    Text,
    /// One object a line
    Json,
}

impl From<LogFormatArg> for LogFormat {
    fn from(format: LogFormatArg) -> Self {
        match format {
            LogFormatArg::Text => Self::Text,
            LogFormatArg::Json => Self::Json,
        }
    }
}
