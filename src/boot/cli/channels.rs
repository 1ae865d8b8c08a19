//! The flags of `impri channels` and `impri secrets`, and how a server reaches platforms.

use clap::{ArgAction, Args, Subcommand, builder::BoolishValueParser};

use super::{AddressArgs, DatabaseArgs, SmtpArgs};
use crate::server::config::{BaseUrl, ConfigError};
use crate::server::notify::{OutboundPolicy, PlatformSettings};

/// How platforms are reached.
#[derive(Debug, Args)]
pub struct PlatformArgs {
    /// Let callbacks and channels go to private and loopback addresses too
    #[arg(
        long,
        env = "IMPRI_ALLOW_PRIVATE_TARGETS",
        action = ArgAction::SetTrue,
        value_parser = BoolishValueParser::new(),
        global = true
    )]
    pub allow_private_targets: bool,

    /// Reach Telegram's Bot API here, at a server of your own
    #[arg(long, env = "IMPRI_TELEGRAM_API", value_name = "URL", global = true)]
    pub telegram_api: Option<String>,

    #[command(flatten)]
    pub smtp: SmtpArgs,
    /// Reach Discord's API here, at a proxy of your own
    #[arg(long, env = "IMPRI_DISCORD_API", value_name = "URL", global = true)]
    pub discord_api: Option<String>,
    /// Reach Slack's API here, at a proxy of your own
    #[arg(long, env = "IMPRI_SLACK_API", value_name = "URL", global = true)]
    pub slack_api: Option<String>,
}

impl PlatformArgs {
    /// The same, checked.
    ///
    /// # Errors
    /// The first one that is wrong.
    pub fn settings(&self) -> Result<PlatformSettings, ConfigError> {
        let address = |url: &Option<String>, wrong: fn(String) -> ConfigError| {
            let url = url.as_deref().filter(|url| !url.is_empty());
            url.map(|url| match BaseUrl::parse(url) {
                Ok(parsed) => Ok(parsed.as_str().to_owned()),
                Err(_) => Err(wrong(url.to_owned())),
            })
            .transpose()
        };
        Ok(PlatformSettings {
            policy: OutboundPolicy { allow_private_targets: self.allow_private_targets },
            smtp: self.smtp.settings()?,
            telegram_api: address(&self.telegram_api, ConfigError::TelegramApi)?,
            discord_api: address(&self.discord_api, ConfigError::DiscordApi)?,
            slack_api: address(&self.slack_api, ConfigError::SlackApi)?,
        })
    }
}

/// `impri channels`
#[derive(Debug, Args)]
pub struct ChannelsArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(flatten)]
    pub address: AddressArgs,
    #[command(flatten)]
    pub platforms: PlatformArgs,
    #[command(subcommand)]
    pub command: ChannelsCommand,
}

/// What can be done with channels from a shell; the page /channels and the API make them.
#[derive(Debug, Subcommand)]
pub enum ChannelsCommand {
    /// Look whether every channel works, without a message that anybody sees; ends with 1 if one does not, and with 3 if
    /// none is broken and this shell lacks a setting without which it can't tell of one
    Doctor,
    /// List all channels with their health
    List,
    /// Have a channel say that it works, in a message to its people
    Test {
        /// The channel's id or name, as the list shows it
        channel: String,
    },
}

/// `impri secrets`
#[derive(Debug, Args)]
pub struct SecretsArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: SecretsCommand,
}

/// What can be done with what is sealed at rest.
#[derive(Debug, Subcommand)]
pub enum SecretsCommand {
    /// Say with which keys the secrets are sealed; ends with 1 if one of them can't be opened
    Status,
    /// Make a new key in the file of keys, or take the first one that was given, and seal every secret anew with it
    Rotate,
}
