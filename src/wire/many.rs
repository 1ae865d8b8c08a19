//! Deciding several actions at once: what is about to be decided, and what came of each.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Moment;
use super::card::Target;
use super::error::UiError;
use super::safe_html::SafeHtml;

/// Most actions that are decided at once: a page of the list.
pub const MANY_MAX: usize = 50;

/// What is about to be decided, for a reader who has not said yes yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ManyView {
    /// `approve` or `reject`.
    pub verdict: String,
    /// Shown whole, and nothing special about them.
    pub plain: Vec<ManyItem>,
    /// Shown whole, and to be ticked one by one.
    pub special: Vec<ManyItem>,
    /// Too long to be shown whole here, so they can't be approved here.
    pub long: Vec<ManyItem>,
    /// Chosen, but not waiting any more.
    pub gone: Vec<Gone>,
    /// What was wrong with the address, if anything, as a sentence.
    pub problem: Option<String>,
}

/// One action that is about to be decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManyItem {
    /// `act_…`.
    pub id: String,
    /// The agent's vocabulary, invisible characters revealed.
    pub kind: String,
    /// The title with invisible characters and look-alikes marked.
    pub title: SafeHtml,
    /// The same as plain text, for labels.
    pub title_text: String,
    /// The agent: the name of the key that proposed it.
    pub agent: String,
    /// When it stops waiting.
    pub expires: Moment,
    /// Where it will happen.
    pub target: Option<Target>,
    /// How the agent says it could be walked back.
    pub undo: Option<SafeHtml>,
    /// Its body as on its card or, if it is too long for this page, its first lines as text.
    pub body: SafeHtml,
    /// Its payload as indented JSON; none if it has none or is too long for this page.
    pub payload: Option<SafeHtml>,
    /// How much there is that is not shown, in words; none if everything is.
    pub rest: Option<String>,
    /// Why it has to be ticked by itself, in sentences.
    pub reasons: Vec<String>,
    /// SHA-256 of the content as 64 hexadecimal digits; the form posts it.
    pub digest: String,
    /// Its first digits in the form that readers compare.
    pub digest_short: String,
}

/// An action that is past deciding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// `act_…`.
    pub id: String,
    /// Its title; none if there is no such action.
    pub title: Option<String>,
    /// Its status.
    pub status: String,
    /// Who decided: `you`, or a name.
    pub by: Option<String>,
}

/// What the form posts: id → the digest of what was shown.
pub type Picks = HashMap<String, String>;

/// Everything that the form posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManySent {
    /// `approve` or `reject`.
    #[serde(default)]
    pub verdict: String,
    /// Why, for all of them.
    #[serde(default)]
    pub comment: String,
    /// What was ticked.
    #[serde(default)]
    pub picks: Picks,
    /// What was ticked where a tick of its own was asked for.
    #[serde(default)]
    pub own: Picks,
    /// Every action with a box on the page.
    #[serde(default)]
    pub shown: Vec<String>,
}

/// Why one of several was not decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotDecided {
    /// Refused as it would be alone.
    Refused(UiError),
    /// Its box was not ticked.
    Unticked,
    /// It needs a tick of its own.
    OwnTick,
    /// Too long to be shown whole with the others.
    TooLong,
}

impl NotDecided {
    /// A short stable word for the address bar.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(error) => error.code(),
            Self::Unticked => "unticked",
            Self::OwnTick => "own-tick",
            Self::TooLong => "too-long",
        }
    }

    /// The reason that a code in the address bar stands for.
    pub fn from_code(code: &str) -> Option<Self> {
        match code {
            "unticked" => Some(Self::Unticked),
            "own-tick" => Some(Self::OwnTick),
            "too-long" => Some(Self::TooLong),
            other => UiError::from_code(other).map(Self::Refused),
        }
    }

    /// What happened, as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Refused(error) => error.to_string(),
            Self::Unticked => "You left it unticked, so nothing was decided.".to_owned(),
            Self::OwnTick => "It needs a tick of its own. Nothing was approved; open it.".to_owned(),
            Self::TooLong => {
                "It is too long to be approved with others. Nothing was approved; open it.".to_owned()
            }
        }
    }
}

/// What came of each of several actions: its id, and why it was not decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManyOutcome {
    /// In the order in which they were decided.
    pub items: Vec<(String, Option<NotDecided>)>,
}

/// The same, for a reader.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ManyDone {
    /// Decided by this form.
    pub decided: Vec<DoneItem>,
    /// Not decided by it.
    pub left: Vec<DoneItem>,
}

/// One of several actions, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneItem {
    /// The action as it is now.
    pub now: Gone,
    /// Why it was not decided.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_round_trip() {
        for reason in [
            NotDecided::Unticked,
            NotDecided::OwnTick,
            NotDecided::TooLong,
            NotDecided::Refused(UiError::Expired),
            NotDecided::Refused(UiError::AlreadyDecided),
        ] {
            assert_eq!(NotDecided::from_code(reason.code()), Some(reason));
        }
        assert_eq!(NotDecided::from_code("<script>"), None);
    }
}
