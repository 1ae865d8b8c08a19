//! The settings of each sort of channel: their names in the JSON, what they must be, and what a form says about them.

use serde::{Deserialize, Serialize};

use super::{ChannelKind, slack};

/// What a setting must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// An http or https address.
    Url,
    /// `123456:ABC…`, as Telegram's `BotFather` gives it.
    TelegramToken,
    /// A chat's number, or the name of a public one.
    TelegramChat,
    /// A topic of ntfy.
    Topic,
    /// A token without white space.
    Token,
    /// An e-mail address.
    Email,
    /// 16 to 256 characters.
    Secret,
    /// The same, where another secret stands beside it.
    ButtonSecret,
    /// Yes or no.
    Flag,
    /// Up to 50 numbers of accounts.
    Ids,
    /// Numbers of accounts, and the address of the person that each stands for.
    People,
    /// A number that Discord gave to something.
    Snowflake,
    /// The number of an application of Discord's.
    Application,
    /// Up to 50 of Discord's numbers.
    Snowflakes,
    /// 64 hexadecimal digits.
    PublicKey,
    /// `xoxb-…`.
    SlackBot,
    /// `xapp-…`.
    SlackApp,
    /// `C…` or `G…`.
    SlackChannel,
    /// Up to 50 of `U…`.
    SlackIds,
    /// `U…`, and the address of the person that each stands for.
    SlackPeople,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 20] = [
        Self::Url,
        Self::TelegramToken,
        Self::TelegramChat,
        Self::Topic,
        Self::Token,
        Self::Email,
        Self::Secret,
        Self::ButtonSecret,
        Self::Flag,
        Self::Ids,
        Self::People,
        Self::Snowflake,
        Self::Application,
        Self::Snowflakes,
        Self::PublicKey,
        Self::SlackBot,
        Self::SlackApp,
        Self::SlackChannel,
        Self::SlackIds,
        Self::SlackPeople,
    ];

    /// The rule, as the rest of a sentence that begins with the setting's name.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Url => "must be an http or https address.",
            Self::TelegramToken => "must be a bot's token: digits, a colon, and letters.",
            Self::TelegramChat => {
                "must be a chat's number, or @ and the name of a public one; up to 50 characters."
            }
            Self::Topic => "must be 1 to 64 of A–Z, a–z, 0–9, _, / and -.",
            Self::Token => "must be visible ASCII characters without spaces, up to 512.",
            Self::Email => "must be an e-mail address.",
            Self::Secret => "must be 16 to 256 characters.",
            Self::ButtonSecret => "must be 16 to 256 characters, or left out.",
            Self::Flag => "must be true or false.",
            Self::Ids => "must be a list of up to 50 numbers of accounts, each above 0.",
            Self::People => {
                "must be an object of up to 50: an account's number, and a person's e-mail address."
            }
            Self::Snowflake => "must be a number of Discord's: 1 to 20 digits.",
            Self::Application => "must be an application's number: 1 to 20 digits.",
            Self::Snowflakes => {
                "must be a list of up to 50 numbers of Discord accounts: 1 to 20 digits each."
            }
            Self::PublicKey => "must be the application's public key: 64 hexadecimal digits.",
            Self::SlackBot => "must be a bot's token: xoxb- and letters, digits and dashes.",
            Self::SlackApp => "must be an app-level token: xapp- and letters, digits and dashes.",
            Self::SlackChannel => "must be a channel's ID: C or G, and 6 or more of A–Z and 0–9.",
            Self::SlackIds => "must be a list of up to 50 member IDs: U, and 6 or more of A–Z and 0–9.",
            Self::SlackPeople => "must be an object of up to 50: a member ID, and a person's e-mail address.",
        }
    }
}

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in the JSON and in forms.
    pub name: &'static str,
    /// Whether it is sealed at rest and masked in every answer.
    pub is_secret: bool,
    /// Whether there is no channel without it.
    pub is_required: bool,
    /// What it must be.
    pub rule: Rule,
    /// What a form calls it.
    pub label: &'static str,
    /// What a form says about it.
    pub hint: &'static str,
}

pub(super) const fn open(name: &'static str, rule: Rule, label: &'static str, hint: &'static str) -> Field {
    Field { name, is_secret: false, is_required: false, rule, label, hint }
}

pub(super) const fn secret(name: &'static str, rule: Rule, label: &'static str, hint: &'static str) -> Field {
    Field { is_secret: true, ..open(name, rule, label, hint) }
}

const fn required(field: Field) -> Field {
    Field { is_required: true, ..field }
}

const NTFY: [Field; 3] = [
    required(secret("url", Rule::Url, "Server", "Your own, or https://ntfy.sh.")),
    required(open(
        "topic",
        Rule::Topic,
        "Topic",
        "On a server without accounts whoever knows it can read along: choose one that nobody guesses.",
    )),
    secret(
        "token",
        Rule::Token,
        "Access token",
        "If the topic needs one: tk_… of an account that may write to it.",
    ),
];

const WEBHOOK: [Field; 2] = [
    required(secret(
        "url",
        Rule::Url,
        "Address",
        "Gets a POST with JSON for each action that begins to wait.",
    )),
    secret(
        "hmac_secret",
        Rule::Secret,
        "Signing secret",
        "16 to 256 characters. With it each request is signed like a callback, so that the receiver knows where it is from.",
    ),
];

const EMAIL: [Field; 2] = [
    required(open(
        "address",
        Rule::Email,
        "Address",
        "Who gets the mails. They hold the whole card and a link to it; nothing in them decides.",
    )),
    open(
        "outcomes",
        Rule::Flag,
        "Say what came of it",
        "A mail can't be changed. With this, another one in the same thread says how an action ended.",
    ),
];

const TELEGRAM: [Field; 6] = [
    required(secret(
        "bot_token",
        Rule::TelegramToken,
        "Bot token",
        "In Telegram write /newbot to @BotFather; it answers with the token.",
    )),
    required(open(
        "chat_id",
        Rule::TelegramChat,
        "Chat",
        "The number of the chat, -100… for a group, or @name of a public one. Add the bot to the chat first.",
    )),
    open(
        "approval_mode",
        Rule::Flag,
        "Decide from the chat",
        "Messages get the buttons Approve and Reject. Only people of this project who linked their Telegram account can \
         use them.",
    ),
    open(
        "allowed_approver_user_ids",
        Rule::Ids,
        "Only these accounts",
        "Numbers of Telegram accounts. If there are some, nobody else decides from this chat.",
    ),
    open(
        "approvers",
        Rule::People,
        "Who an account stands for",
        "For accounts that nobody linked: number=e-mail, one a line.",
    ),
    secret(
        "hmac_secret",
        Rule::Secret,
        "Button secret",
        "What the buttons are signed with. Leave it empty and one is made.",
    ),
];

/// The settings of a sort of channel.
pub fn fields(kind: ChannelKind) -> &'static [Field] {
    match kind {
        ChannelKind::Ntfy => &NTFY,
        ChannelKind::Webhook => &WEBHOOK,
        ChannelKind::Email => &EMAIL,
        ChannelKind::Telegram => &TELEGRAM,
        ChannelKind::Discord => &super::discord::FIELDS,
        ChannelKind::Slack => &slack::FIELDS,
    }
}

/// What a setting must be that `message` refuses, whichever sort of channel has it: sorts share names.
pub fn rule_of(name: &str, message: &str) -> Option<Rule> {
    let all = || ChannelKind::ALL.into_iter().flat_map(fields).filter(|field| field.name == name);
    let is_meant = |field: &&Field| message == field.rule.sentence() || message.ends_with(field.hint);
    all().find(is_meant).or_else(|| all().next()).map(|field| field.rule)
}
