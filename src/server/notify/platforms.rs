//! How this server reaches platforms: the operator's settings, and the clients made of them.

use super::outbound::Outbound;
use super::{OutboundPolicy, email};
use crate::domain::channel::ChannelKind;
use crate::server::config::Smtp;

/// Where Telegram's Bot API is (<https://core.telegram.org/bots/api#making-requests>).
const TELEGRAM: &str = "https://api.telegram.org";

/// Where Discord's API is (<https://docs.discord.com/developers/reference#api-reference-base-url>).
const DISCORD: &str = "https://discord.com";

/// What an operator says about platforms.
#[derive(Debug, Clone)]
pub struct PlatformSettings {
    /// Where messages may go.
    pub policy: OutboundPolicy,
    /// Where a Bot API server of one's own is; Telegram's, if absent.
    pub telegram_api: Option<String>,
    /// The mail server; without one there is no e-mail.
    pub smtp: Option<Smtp>,
    /// Where Discord's API is reached, such as a proxy; at Discord's, if absent.
    pub discord_api: Option<String>,
}

impl Default for PlatformSettings {
    fn default() -> Self {
        Self {
            policy: OutboundPolicy { allow_private_targets: false },
            telegram_api: None,
            discord_api: None,
            smtp: None,
        }
    }
}

/// The clients.
#[derive(Debug)]
pub struct Platforms {
    guarded: Outbound,
    telegram: (String, Outbound),
    smtp: Option<Smtp>,
    discord: (String, Outbound),
}

impl Platforms {
    /// Clients for these settings.
    pub fn new(settings: PlatformSettings) -> Self {
        let guarded = Outbound::new(settings.policy);
        // The operator's own choice may be inside their network.
        let reach = |own: Option<String>, usual: &str| match own {
            Some(base) => {
                let open = Outbound::new(OutboundPolicy { allow_private_targets: true });
                (base.trim_end_matches('/').to_owned(), open)
            }
            None => (usual.to_owned(), guarded.clone()),
        };
        let telegram = reach(settings.telegram_api, TELEGRAM);
        let discord = reach(settings.discord_api, DISCORD);
        Self { guarded, telegram, discord, smtp: settings.smtp }
    }

    /// For addresses that an administrator of the project chose.
    pub fn guarded(&self) -> &Outbound {
        &self.guarded
    }

    /// Where the Bot API is, and the client for it.
    pub fn telegram(&self) -> (&str, &Outbound) {
        (&self.telegram.0, &self.telegram.1)
    }

    /// The operator's mail server.
    pub fn smtp(&self) -> Option<&Smtp> {
        self.smtp.as_ref()
    }

    /// What an operator has to do before there are channels of a sort, as the rest of a sentence; none if nothing.
    pub fn lacks(&self, kind: ChannelKind) -> Option<&'static str> {
        (kind == ChannelKind::Email && self.smtp.is_none()).then_some(email::NOT_SET_UP)
    }

    /// Where Discord is, and the client for it.
    pub fn discord(&self) -> (&str, &Outbound) {
        (&self.discord.0, &self.discord.1)
    }
}
