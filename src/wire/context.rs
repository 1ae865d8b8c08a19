//! What was decided before, beside what is to be decided now. Facts only: nothing here says what is right.

use serde::{Deserialize, Serialize};

use super::Moment;
use super::safe_html::SafeHtml;

/// What a decider may want to know of the past.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CardContext {
    /// The same or nearly the same, decided before; the latest first.
    pub alike: Vec<Alike>,
    /// The last decisions for this kind and agent; the latest first.
    pub past: Vec<PastDecision>,
}

/// An action like this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// Every character of the content is the same; otherwise nearly every one.
    pub is_same: bool,
    /// What was decided.
    pub decision: PastDecision,
}

/// A decision of the past, in a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PastDecision {
    /// The action.
    pub id: String,
    /// Its title, invisible characters revealed.
    pub title: String,
    /// `approved` or `rejected`.
    pub verdict: String,
    /// Who: `you`, or a name.
    pub by: String,
    /// When.
    pub at: Moment,
    /// How many values were edited.
    pub edits: u32,
    /// Why.
    pub comment: Option<SafeHtml>,
    /// How the run ended, if a result was reported.
    pub run: Option<PastRun>,
}

/// How a run ended, as the agent reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// `executed` or `execute_failed`.
    pub status: String,
    /// When it was reported.
    pub at: Moment,
    /// In the agent's words.
    pub detail: Option<SafeHtml>,
}
