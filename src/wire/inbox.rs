//! The list of actions that wait, and what stands in its place when nothing does.

use serde::{Deserialize, Serialize};

use super::Moment;

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxView {
    /// Newest first.
    pub rows: Vec<InboxRow>,
    /// Continues the list where this page ends.
    pub next_cursor: Option<String>,
    /// How many wait in all, counted up to [`InboxView::COUNT_CAP`].
    pub pending: u32,
    /// The newest row's id, whatever page this is: what a desk shows beside the list when nothing is selected.
    pub first_id: Option<String>,
    /// Shown while the project has never had an action.
    pub welcome: Option<Welcome>,
}

impl InboxView {
    /// The count stops here; more is shown as `999+`.
    pub const COUNT_CAP: u32 = 1_000;
}

/// One action in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxRow {
    /// `act_…`.
    pub id: String,
    /// The status text, for `data-state`.
    pub status: String,
    /// The agent's vocabulary.
    pub kind: String,
    /// One line; invisible characters already made visible.
    pub title: String,
    /// The agent: the name of the key that proposed it.
    pub agent: String,
    /// The beginning of the preview as one line of plain text.
    pub excerpt: String,
    /// When it was proposed.
    pub created: Moment,
    /// When it stops waiting.
    pub expires: Moment,
    /// The agent said that running it twice is not the same as once.
    pub not_idempotent: bool,
    /// Something in it may be edited.
    pub editable: bool,
}

/// The first five minutes: a command that makes the first card appear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// A fresh agent key, shown while it is still in the session that made it.
    pub key: Option<String>,
    /// A shell command that proposes a first action to this very server, ready to paste.
    pub command: String,
}
