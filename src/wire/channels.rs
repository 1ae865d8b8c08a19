//! Channels, as an administrator manages them in the browser; and accounts on chat platforms, as their owner does.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Moment;
use crate::domain::channel::ChannelKind;

/// The settings of a form of a channel, by their names.
pub type SettingTexts = HashMap<String, String>;

/// What the page of channels shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelsView {
    /// The oldest first.
    pub channels: Vec<ChannelView>,
    /// What came of trying one just before; shown this once.
    pub tested: Option<TestedView>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelView {
    /// `nchan_…`.
    pub id: String,
    /// Its name, invisible characters revealed.
    pub name: String,
    /// Its sort.
    pub kind: ChannelKind,
    /// Whether it is told anything.
    pub enabled: bool,
    /// When a message last arrived.
    pub delivered: Option<Moment>,
    /// When one last failed.
    pub failed: Option<Moment>,
    /// Why, until a message arrives.
    pub error: Option<String>,
    /// How many messages wait.
    pub pending: i64,
    /// Whether a program can't tell its requests from anybody else's: it has no signing secret.
    pub is_unsigned: bool,
    /// Kinds that it hears about, with commas; empty for all.
    pub kinds: String,
    /// Agents that it hears about, with commas; empty for all.
    pub agents: String,
    /// Within how many seconds a burst becomes one message.
    pub window_secs: i32,
    /// Which channel hears about its failures.
    pub fallback: Option<String>,
    /// Its settings, as a form shows them: what is secret is masked.
    pub settings: Vec<(String, String)>,
}

/// What came of trying a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedView {
    /// `nchan_…`.
    pub id: String,
    /// Whether the platform took the message.
    pub ok: bool,
    /// What it said.
    pub answer: String,
}

/// An account on a chat platform that stands for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatView {
    /// The platform, as forms name it.
    pub platform: String,
    /// The platform, as people call it.
    pub label: String,
    /// What the platform calls it.
    pub user: String,
    /// Its name there, invisible characters revealed.
    pub name: String,
    /// When it was linked.
    pub linked: Moment,
}
