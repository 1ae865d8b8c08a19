//! How to connect an agent, as a page shows it.

use serde::{Deserialize, Serialize};

use super::Moment;

/// The page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectView {
    /// Whether the person may make keys.
    pub may_make_keys: bool,
    /// A key that was just made and stands in the snippets; shown this once.
    pub fresh: Option<FreshAgentKey>,
    /// Whether the person may decide, and so try it.
    pub may_try: bool,
    /// What has arrived.
    pub arrival: Arrival,
    /// One for each kind of host.
    pub hosts: Vec<HostHelp>,
}

/// Whether an agent has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// Whose actions are looked at: the name of a key, or everybody's.
    pub of: Option<String>,
    /// The newest one.
    pub newest: Option<ArrivedAction>,
}

/// An action that arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivedAction {
    /// `act_…`.
    pub id: String,
    /// Its title, invisible characters revealed.
    pub title: String,
    /// The name of the key that proposed it.
    pub agent: String,
    /// When.
    pub at: Moment,
}

/// A key that can still be seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshAgentKey {
    /// What it is for.
    pub name: String,
    /// `im_…`.
    pub key: String,
}

/// What to do in one kind of host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostHelp {
    /// For the address of the section.
    pub id: String,
    /// The host's name.
    pub name: String,
    /// What to know.
    pub about: String,
    /// What to paste.
    pub snippets: Vec<Snippet>,
}

/// Something to paste.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// Where it goes, or what it does.
    pub label: String,
    /// The text.
    pub text: String,
}
