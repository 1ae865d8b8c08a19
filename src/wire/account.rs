//! A person's own account.

use serde::{Deserialize, Serialize};

use super::Moment;
use super::channels::ChatView;
use super::push::PushView;
use crate::domain::channel::ChannelKind;
use crate::domain::preferences::Theme;
use crate::domain::role::Role;

/// What the account page shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountView {
    /// Their name.
    pub name: String,
    /// The address that they sign in with.
    pub email: String,
    /// The project they work in.
    pub project: String,
    /// What they may do there.
    pub role: Role,
    /// The colours that they chose.
    pub theme: Theme,
    /// Whether single keys do something in the inbox.
    pub shortcuts: bool,
    /// The time zone that they chose; empty for the project's.
    pub time_zone: String,
    /// The project's time zone.
    pub project_time_zone: String,
    /// Every time zone to choose from, by region.
    pub zones: Vec<ZoneGroup>,
    /// Now, in the time zone that counts.
    pub now: Moment,
    /// Where they are signed in: this one first, then the last used.
    pub sessions: Vec<SessionView>,
    /// Accounts on chat platforms that stand for them.
    pub chats: Vec<ChatView>,
    /// Platforms with a chat from which they could decide.
    pub linkable: Vec<ChannelKind>,
    /// A code that links one more; shown this once.
    pub code: Option<ChatCode>,
    /// The devices that they are told on; none where they decide nothing.
    pub push: Option<PushView>,
}

/// A code that links an account on a chat platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatCode {
    /// The platform.
    pub kind: ChannelKind,
    /// The code.
    pub text: String,
}

/// The time zones of a part of the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneGroup {
    /// Which part.
    pub region: String,
    /// Their IANA names.
    pub names: Vec<String>,
}

/// A place where somebody is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionView {
    /// `ses_…`.
    pub id: String,
    /// `Firefox on Linux`.
    pub device: String,
    /// The network address that signed in.
    pub address: String,
    /// Since when.
    pub began: Moment,
    /// When it was last used, to the minute.
    pub seen: Moment,
    /// Whether it is the one that asks.
    pub is_this: bool,
}
