//! Channels: where people are told that something waits, and what belongs to the set-up of each sort.
//!
//! Owns the sorts, their settings and the rules of these. It must not know how anything is sent.

mod check;
mod discord;
mod fields;
mod slack;

use serde::{Deserialize, Serialize};

pub use self::check::{Config, Filters, check_config, check_filters, check_name, check_window};
pub use self::discord::is_bot as is_discord_bot;
pub use self::fields::{Field, Rule, fields, rule_of};

/// The sort of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// A Telegram bot in a chat.
    Telegram,
    /// Slack.
    Slack,
    /// Discord.
    Discord,
    /// E-mail.
    Email,
    /// A topic of an ntfy server.
    Ntfy,
    /// A program's address.
    Webhook,
}

impl ChannelKind {
    /// Every sort.
    pub const ALL: [Self; 6] =
        [Self::Telegram, Self::Slack, Self::Discord, Self::Email, Self::Ntfy, Self::Webhook];

    /// The text of the JSON and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Telegram => "telegram",
            Self::Slack => "slack",
            Self::Discord => "discord",
            Self::Email => "email",
            Self::Ntfy => "ntfy",
            Self::Webhook => "webhook",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Telegram => "Telegram",
            Self::Slack => "Slack",
            Self::Discord => "Discord",
            Self::Email => "E-mail",
            Self::Ntfy => "ntfy",
            Self::Webhook => "Webhook",
        }
    }

    /// Whether its messages can be changed afterwards, or answered where a channel wants that, so that they are kept true.
    pub fn keeps_messages_true(self) -> bool {
        match self {
            Self::Telegram | Self::Slack | Self::Discord | Self::Email => true,
            Self::Ntfy | Self::Webhook => false,
        }
    }

    /// Whether what comes in a burst becomes one message there. A program is told of each action.
    pub fn gathers_bursts(self) -> bool {
        self != Self::Webhook
    }
}

/// How a channel does, at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is told nothing.
    Paused,
    /// The last message did not arrive.
    Fails,
    /// The last message arrived.
    Works,
    /// No message was sent yet, but for tests that failed.
    New,
}

impl Standing {
    /// By whether it is told anything, a failure is noted of it, and a message ever arrived.
    pub fn of(is_enabled: bool, is_failing: bool, has_arrived: bool) -> Self {
        match (is_enabled, is_failing, has_arrived) {
            (false, ..) => Self::Paused,
            (true, true, _) => Self::Fails,
            (true, false, true) => Self::Works,
            (true, false, false) => Self::New,
        }
    }

    /// What the style calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paused => "paused",
            Self::Fails => "fails",
            Self::Works => "works",
            Self::New => "new",
        }
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Paused => "Paused",
            Self::Fails => "Fails",
            Self::Works => "Works",
            Self::New => "Not used yet",
        }
    }
}

/// What is noted of a channel begins so while nothing is heard from it: what is pressed there comes to nothing.
pub const UNHEARD: &str = "nothing is heard from it, so its buttons do nothing: ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sorts_have_their_names() {
        for kind in ChannelKind::ALL {
            assert_eq!(ChannelKind::from_text(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(ChannelKind::from_text("pager"), None);
    }
}
