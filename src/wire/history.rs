//! The audit history as a page shows it.

use serde::{Deserialize, Serialize};

use super::Moment;
use super::card::ChangeView;
use super::safe_html::SafeHtml;

/// What the page's address holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryFilter {
    /// `act_…`.
    #[serde(default)]
    pub action: Option<String>,
    /// `rev_…`, `key_…`, `clock`, `operator` or `anonymous`.
    #[serde(default)]
    pub person: Option<String>,
    /// An event kind (`action.approved`) or a group (`action.`, `decisions`).
    #[serde(default)]
    pub event: Option<String>,
    /// The kind of the action, exactly.
    #[serde(default)]
    pub kind: Option<String>,
    /// The name of the key that proposed the action, exactly.
    #[serde(default)]
    pub agent: Option<String>,
    /// Through which door: `web`.
    #[serde(default)]
    pub channel: Option<String>,
    /// `approve` or `reject`.
    #[serde(default)]
    pub verdict: Option<String>,
    /// Anything: only decisions that changed what was proposed.
    #[serde(default)]
    pub edited: Option<String>,
    /// The first day, `2026-11-29`, in the reader's time zone.
    #[serde(default)]
    pub since: Option<String>,
    /// The last day, included.
    #[serde(default)]
    pub until: Option<String>,
    /// Where the page before ended.
    #[serde(default)]
    pub cursor: Option<String>,
}

impl HistoryFilter {
    /// Its parts as the address has them.
    pub fn pairs(&self) -> [(&'static str, Option<&str>); 11] {
        let Self { action, person, event, kind, agent, channel, verdict, edited, since, until, cursor } =
            self;
        [
            ("action", action.as_deref()),
            ("person", person.as_deref()),
            ("event", event.as_deref()),
            ("kind", kind.as_deref()),
            ("agent", agent.as_deref()),
            ("channel", channel.as_deref()),
            ("verdict", verdict.as_deref()),
            ("edited", edited.as_deref()),
            ("since", since.as_deref()),
            ("until", until.as_deref()),
            ("cursor", cursor.as_deref()),
        ]
    }
}

/// One page of history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryView {
    /// Newest first.
    pub events: Vec<HistoryEvent>,
    /// Continues where this page ends.
    pub next_cursor: Option<String>,
    /// If the page is not full although there may be more: how far back was looked.
    #[serde(default)]
    pub looked_back_to: Option<Moment>,
    /// Everybody who can be filtered by.
    pub people: Vec<Choice>,
    /// Every kind of event that can be filtered by.
    pub kinds: Vec<Choice>,
    /// Kinds of actions to choose from.
    #[serde(default)]
    pub action_kinds: Vec<String>,
    /// Agents to choose from.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Every channel that can be filtered by.
    #[serde(default)]
    pub channels: Vec<Choice>,
    /// What was wrong with the filter, if anything, as a sentence.
    pub problem: Option<String>,
    /// How far the history is sealed, if it is.
    #[serde(default)]
    pub seal: Option<SealView>,
}

/// A part of the history for paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportView {
    /// The facts, with everything that names the filter.
    pub page: HistoryView,
    /// Who made it.
    pub by: String,
    /// When.
    pub at: Moment,
    /// The name of the project.
    pub project: String,
}

/// How far a history is sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealView {
    /// The place of the last sealed event.
    pub event: i64,
    /// When it was sealed.
    pub at: Moment,
    /// When the last checkpoint was signed.
    pub signed: Option<Moment>,
    /// Where checkpoints are sent, too.
    #[serde(default)]
    pub receivers: Vec<ReceiverView>,
}

/// How a receiver of checkpoints does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiverView {
    /// Its host.
    pub host: String,
    /// When it took one last.
    pub took: Option<Moment>,
    /// Since when it takes none, and why.
    pub failing: Option<(Moment, String)>,
}

/// One thing to choose in a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What the address holds.
    pub value: String,
    /// What a person reads.
    pub label: String,
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEvent {
    /// Its number.
    pub id: i64,
    /// The kind's text (`action.approved`), for `data-event`.
    pub kind: String,
    /// What happened, in a word or two: `Approved`.
    pub label: String,
    /// When.
    pub at: Moment,
    /// Who: a name, or `Clock`.
    pub who: String,
    /// What they did, for the middle of a sentence: `approved`.
    pub did: String,
    /// `reviewer`, `key`, `clock`, `operator`, `anonymous`.
    pub who_kind: String,
    /// Through which door, in words: `Web`, `API`.
    pub through: String,
    /// The same as the end of a sentence: `in the inbox`; none if it says nothing new.
    pub place: Option<String>,
    /// Its place in the sealed chain; none if it is not sealed yet.
    pub seal: Option<i64>,
    /// How long it took since what happened to the action before: `waited 4 min`.
    pub step: Option<String>,
    /// The action's id and title, where there is one.
    pub action: Option<ActionRef>,
    /// The rest of the sentence: `with 1 edit`, `nobody decided within 2 h`.
    pub note: Option<String>,
    /// A reason or a detail in somebody's own words.
    pub quote: Option<SafeHtml>,
    /// What was edited, before and after.
    pub changes: Vec<ChangeView>,
}

/// An action that a fact is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionRef {
    /// `act_…`.
    pub id: String,
    /// Its title, invisible characters revealed.
    pub title: String,
}
