//! Which field of a form is wrong, and what it has to be.

use serde::{Deserialize, Serialize};

use crate::domain::channel::Rule;

/// A field of a form other than the decide form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Field {
    /// A person's name: 1 to 100 characters.
    Name,
    /// An e-mail address.
    Email,
    /// An e-mail address that nobody has an account with.
    EmailTaken,
    /// A password: 10 to 200 characters.
    Password,
    /// A project's name: 1 to 200 characters.
    Project,
    /// A reason: up to 2,000 characters.
    Comment,
    /// What a key may do: at least one.
    Scopes,
    /// How long a key lasts.
    Lifetime,
    /// A role.
    Role,
    /// The colours of the pages.
    Theme,
    /// A time zone.
    TimeZone,
    /// A channel's name: 1 to 200 characters.
    ChannelName,
    /// The sort of a channel.
    ChannelKind,
    /// Within how many seconds a burst becomes one message.
    Window,
    /// What a channel hears about.
    Filters,
    /// The channel that hears about another one's failures.
    Fallback,
    /// What seals secrets.
    Vault,
    /// The mail server, which only an operator names.
    MailServer,
    /// What a browser says about its subscription.
    Subscription,
    /// A test of a device.
    PushTest,
    /// A setting of a channel.
    Setting(Rule),
}

impl Field {
    pub(super) const ALL: [Self; 40] = [
        Self::Name,
        Self::Email,
        Self::EmailTaken,
        Self::Password,
        Self::Project,
        Self::Comment,
        Self::Scopes,
        Self::Lifetime,
        Self::Role,
        Self::Theme,
        Self::TimeZone,
        Self::ChannelName,
        Self::ChannelKind,
        Self::Window,
        Self::Filters,
        Self::Fallback,
        Self::Vault,
        Self::MailServer,
        Self::Subscription,
        Self::PushTest,
        Self::Setting(Rule::Url),
        Self::Setting(Rule::TelegramToken),
        Self::Setting(Rule::TelegramChat),
        Self::Setting(Rule::Topic),
        Self::Setting(Rule::Token),
        Self::Setting(Rule::Email),
        Self::Setting(Rule::Secret),
        Self::Setting(Rule::ButtonSecret),
        Self::Setting(Rule::Flag),
        Self::Setting(Rule::Ids),
        Self::Setting(Rule::People),
        Self::Setting(Rule::Snowflake),
        Self::Setting(Rule::Application),
        Self::Setting(Rule::Snowflakes),
        Self::Setting(Rule::PublicKey),
        Self::Setting(Rule::SlackBot),
        Self::Setting(Rule::SlackApp),
        Self::Setting(Rule::SlackChannel),
        Self::Setting(Rule::SlackIds),
        Self::Setting(Rule::SlackPeople),
    ];

    /// What fits, as a sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Name => "A name has 1 to 100 characters.",
            Self::Email => "That is not an e-mail address.",
            Self::EmailTaken => "There is an account with that e-mail address already.",
            Self::Password => "A password has 10 to 200 characters.",
            Self::Project => "A project's name has 1 to 200 characters.",
            Self::Comment => "A reason has up to 2,000 characters, and none of them is NUL.",
            Self::Scopes => "A key may do at least one thing: tick what.",
            Self::Lifetime => "Choose from the list how long the key lasts.",
            Self::Role => "Choose a role from the list.",
            Self::Theme => "Choose one of the themes.",
            Self::TimeZone => "Choose a time zone from the list.",
            Self::ChannelName => "A channel's name has 1 to 200 characters.",
            Self::ChannelKind => "Choose a sort of channel from the list.",
            Self::Window => "The time for a burst is 10 to 3600 seconds.",
            Self::Filters => {
                "Kinds and agents have 1 to 100 characters each, and there are up to 50 of them."
            }
            Self::Fallback => "Choose another channel from the list.",
            Self::Vault => "This server can't store secrets now: its log and impri secrets status say why.",
            Self::MailServer => {
                "This server can't send mails: whoever runs it names a mail server with IMPRI_SMTP_HOST and a sender with \
                 IMPRI_SMTP_FROM."
            }
            Self::Subscription => {
                "This browser can't be told: its push service is not one that this server writes to, or there are 20 devices \
                 already."
            }
            Self::PushTest => "The push service did not take the test: the line of the device says why.",
            Self::Setting(Rule::Url) => "The address must be an http or https address.",
            Self::Setting(Rule::TelegramToken) => {
                "The bot token must be digits, a colon, and letters, as @BotFather gives it."
            }
            Self::Setting(Rule::TelegramChat) => {
                "The chat must be a number, or @ and the name of a public one."
            }
            Self::Setting(Rule::Topic) => "The topic has 1 to 64 of A–Z, a–z, 0–9, _, / and -.",
            Self::Setting(Rule::Token) => "The token has no spaces and up to 512 characters.",
            Self::Setting(Rule::Email) => "The address must be an e-mail address.",
            Self::Setting(Rule::Secret) => "The secret has 16 to 256 characters.",
            Self::Setting(Rule::ButtonSecret) => "The button secret has 16 to 256 characters, or none.",
            Self::Setting(Rule::Flag) => "That can only be on or off.",
            Self::Setting(Rule::Ids) => "Accounts are numbers above 0 with spaces between them, up to 50.",
            Self::Setting(Rule::People) => "Write number=e-mail, one a line, up to 50.",
            Self::Setting(Rule::Application) => "The application's number has 1 to 20 digits.",
            Self::Setting(Rule::Snowflake) => {
                "Discord's numbers have 1 to 20 digits: switch on the developer mode there, and copy the ID."
            }
            Self::Setting(Rule::Snowflakes) => {
                "Accounts are numbers of Discord's with spaces between them, up to 50."
            }
            Self::Setting(Rule::PublicKey) => "The public key has 64 hexadecimal digits.",
            Self::Setting(Rule::SlackBot) => {
                "The bot token begins with xoxb-, and is needed without a webhook."
            }
            Self::Setting(Rule::SlackApp) => {
                "The app-level token begins with xapp-. To decide from the chat, it or the signing secret is needed."
            }
            Self::Setting(Rule::SlackChannel) => {
                "The channel ID is C or G and 6 or more of A–Z and 0–9, and is needed without a webhook."
            }
            Self::Setting(Rule::SlackIds) => {
                "Members are IDs such as U012AB3CD with spaces between them, up to 50."
            }
            Self::Setting(Rule::SlackPeople) => "Write member ID=e-mail, one a line, up to 50.",
        }
    }

    /// The control that it stands in, by its name in every form that has it. A channel's settings are told apart by the
    /// sort of the channel; what no control can mend has none.
    pub fn control(self) -> Option<&'static str> {
        match self {
            Self::Name | Self::ChannelName => Some("name"),
            Self::Email | Self::EmailTaken => Some("email"),
            Self::Password => Some("password"),
            Self::Project => Some("project"),
            Self::Comment => Some("comment"),
            Self::Scopes => Some("scopes"),
            Self::Lifetime => Some("days"),
            Self::Role => Some("role"),
            Self::Theme => Some("theme"),
            Self::TimeZone => Some("time_zone"),
            Self::Window => Some("window"),
            Self::Filters => Some("kinds"),
            Self::Fallback => Some("fallback"),
            Self::ChannelKind
            | Self::Vault
            | Self::MailServer
            | Self::Subscription
            | Self::PushTest
            | Self::Setting(_) => None,
        }
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Name => "bad-name",
            Self::Email => "bad-email",
            Self::EmailTaken => "email-taken",
            Self::Password => "bad-password",
            Self::Project => "bad-project",
            Self::Comment => "bad-comment",
            Self::Scopes => "bad-scopes",
            Self::Lifetime => "bad-lifetime",
            Self::Role => "bad-role",
            Self::Theme => "bad-theme",
            Self::TimeZone => "bad-time-zone",
            Self::ChannelName => "bad-channel-name",
            Self::ChannelKind => "bad-channel-type",
            Self::Window => "bad-window",
            Self::Filters => "bad-filters",
            Self::Fallback => "bad-fallback",
            Self::Vault => "no-vault",
            Self::MailServer => "no-mail-server",
            Self::Subscription => "bad-subscription",
            Self::PushTest => "push-failed",
            Self::Setting(Rule::Url) => "bad-url",
            Self::Setting(Rule::TelegramToken) => "bad-bot-token",
            Self::Setting(Rule::TelegramChat) => "bad-chat",
            Self::Setting(Rule::Topic) => "bad-topic",
            Self::Setting(Rule::Token) => "bad-token",
            Self::Setting(Rule::Email) => "bad-address",
            Self::Setting(Rule::Secret) => "bad-secret",
            Self::Setting(Rule::ButtonSecret) => "bad-button-secret",
            Self::Setting(Rule::Flag) => "bad-flag",
            Self::Setting(Rule::Ids) => "bad-accounts",
            Self::Setting(Rule::People) => "bad-people",
            Self::Setting(Rule::Snowflake) => "bad-discord-id",
            Self::Setting(Rule::Application) => "bad-discord-application",
            Self::Setting(Rule::Snowflakes) => "bad-discord-accounts",
            Self::Setting(Rule::PublicKey) => "bad-public-key",
            Self::Setting(Rule::SlackBot) => "bad-slack-bot",
            Self::Setting(Rule::SlackApp) => "bad-slack-app",
            Self::Setting(Rule::SlackChannel) => "bad-slack-channel",
            Self::Setting(Rule::SlackIds) => "bad-slack-members",
            Self::Setting(Rule::SlackPeople) => "bad-slack-people",
        }
    }
}
