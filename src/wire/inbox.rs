//! The inbox: one tab of actions that fit what is looked for, and what stands in its place when there is nothing.

use serde::{Deserialize, Serialize};

use super::Moment;

/// What the page's address asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxFilter {
    /// The tab: a status; what waits, if absent.
    #[serde(default)]
    pub status: Option<String>,
    /// Beginnings of words in title or text.
    #[serde(default)]
    pub q: Option<String>,
    /// Exactly this kind.
    #[serde(default)]
    pub kind: Option<String>,
    /// Exactly this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The first day, `2026-11-29`, by the clocks of who reads.
    #[serde(default)]
    pub since: Option<String>,
    /// The last day, included.
    #[serde(default)]
    pub until: Option<String>,
    /// The order of what waits: [`InboxFilter::DUE`]; the newest first, if absent.
    #[serde(default)]
    pub order: Option<String>,
    /// Where the page before ended.
    #[serde(default)]
    pub cursor: Option<String>,
}

impl InboxFilter {
    /// The order in which what runs out next is first.
    pub const DUE: &'static str = "due";

    /// What is carried from page to page besides the tab and the place in it: what narrows the list, and its order.
    pub fn kept(&self) -> [(&'static str, Option<&str>); 6] {
        let Self { q, kind, agent, since, until, order, .. } = self;
        [("q", q), ("kind", kind), ("agent", agent), ("since", since), ("until", until), ("order", order)]
            .map(|(name, value)| (name, value.as_deref()))
    }

    /// Whether what waits is to be ordered by the time that is left.
    pub fn is_by_due(&self) -> bool {
        self.order.as_deref() == Some(Self::DUE)
    }

    /// The tab.
    pub fn tab(&self) -> &str {
        self.status.as_deref().unwrap_or("pending")
    }

    /// Whether something is looked for within the tab.
    pub fn is_narrow(&self) -> bool {
        [&self.q, &self.kind, &self.agent, &self.since, &self.until].iter().any(|part| part.is_some())
    }
}

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxView {
    /// In the order of the list.
    pub rows: Vec<InboxRow>,
    /// Continues the list where this page ends.
    pub next_cursor: Option<String>,
    /// How many wait in all, counted up to [`InboxView::COUNT_CAP`].
    pub pending: u32,
    /// The first row's id, whatever page this is: what a desk shows beside the list when nothing is selected.
    pub first_id: Option<String>,
    /// Every tab.
    pub tabs: Vec<Tab>,
    /// The newest action that the reader has been shown, for asking later what came after it.
    pub seen: Option<String>,
    /// How many came after what the reader has been shown, counted up to [`InboxView::NEWER_CAP`].
    pub newer: u32,
    /// How many that wait run out within [`InboxView::SOON`], counted up to [`InboxView::NEWER_CAP`].
    pub running_out: u32,
    /// In how many seconds there will be one more of them, if nothing else happens.
    pub more_run_out_in: Option<i64>,
    /// Whether the reader's role allows deciding.
    pub may_decide: bool,
    /// Whether it allows mending channels.
    pub may_manage: bool,
    /// Kinds to choose from.
    pub kinds: Vec<String>,
    /// Agents to choose from.
    pub agents: Vec<String>,
    /// What was wrong with the filter, if anything, as a sentence.
    pub problem: Option<String>,
    /// Channels that did not tell people what they should have, each in a sentence.
    pub trouble: Vec<String>,
    /// Shown while the project has never had an action.
    pub welcome: Option<Welcome>,
}

impl InboxView {
    /// The count stops here; more is shown as `999+`.
    pub const COUNT_CAP: u32 = 1_000;
    /// The count of what is new stops here, and that of what runs out.
    pub const NEWER_CAP: u32 = 100;
    /// What ends within so many minutes runs out.
    pub const SOON: i64 = 15;
}

/// One status to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tab {
    /// The status.
    pub status: String,
    /// How many fit, for a reader: `3`, `99+`.
    pub count: String,
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
    /// Some of the preview as one line of plain text: its beginning, or what stands around what was looked for.
    pub excerpt: String,
    /// When it was proposed.
    pub created: Moment,
    /// When it stops waiting.
    pub expires: Moment,
    /// When it came to its present status, if it does not wait any more.
    pub ended: Option<Moment>,
    /// Who decided.
    pub by: Option<String>,
    /// How many values they edited.
    pub edits: u32,
    /// The agent said that running it twice is not the same as once.
    pub not_idempotent: bool,
    /// Something in it may be edited.
    pub editable: bool,
}

/// The card to go on with after one that is past deciding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextCard {
    /// `act_…`.
    pub id: String,
    /// One line; invisible characters already made visible.
    pub title: String,
}

/// The first five minutes: a command that makes the first card appear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// A fresh agent key, shown while it is still in the session that made it.
    pub key: Option<String>,
    /// A shell command that proposes a first action to this very server, ready to paste.
    pub command: String,
}
