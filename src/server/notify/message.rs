//! A message to people, before any platform has given it its form: what it says, in parts, and what can be pressed.
//!
//! Owns the parts and how they are cut when a platform has no room for all of them. It must not know platforms. The
//! invariant: whoever is offered to approve was shown the whole content; if anything is missing, the message says how
//! much, and there is nothing to approve with.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::domain::content::PreviewFormat;

/// What a part is, which says how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Place {
    /// Something that this server says before all else.
    Note,
    /// What it is about, in this server's words.
    Heading,
    /// The action in one line, in the agent's words.
    Title,
    /// Kind and agent: names that others chose.
    Origin,
    /// Time left and the like: what this server knows.
    Fact,
    /// What to mind before reading on.
    Warning,
    /// Where it will happen: the agent's words.
    Target,
    /// What will happen: the agent's words.
    Preview(PreviewFormat),
    /// The arguments: the agent's words.
    Payload,
    /// What the agent claims besides.
    Claim,
    /// What came of it: what this server knows.
    Outcome,
    /// Somebody's words about that.
    Words,
}

impl Place {
    /// What is named when it is missing.
    fn name(self) -> &'static str {
        match self {
            Self::Note | Self::Heading | Self::Origin | Self::Fact | Self::Outcome => "what is known",
            Self::Title => "the title",
            Self::Warning => "the warnings",
            Self::Target => "the target",
            Self::Preview(_) => "the preview",
            Self::Payload => "the payload",
            Self::Claim => "the undo note",
            Self::Words => "the words about it",
        }
    }

    /// What is kept first when there is no room for all.
    fn rank(self) -> u8 {
        match self {
            Self::Note | Self::Heading | Self::Title | Self::Origin | Self::Fact | Self::Outcome => 0,
            Self::Warning => 1,
            Self::Target | Self::Words => 2,
            Self::Preview(_) => 3,
            Self::Claim => 4,
            Self::Payload => 5,
        }
    }
}

/// One part. Its text has every invisible character marked, and no markup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What it is.
    pub place: Place,
    /// What stands before it, in this server's words; empty for nothing.
    pub label: &'static str,
    /// What it says.
    pub text: String,
}

impl Part {
    /// A part without a label.
    pub fn new(place: Place, text: impl Into<String>) -> Self {
        Self { place, label: "", text: text.into() }
    }

    /// The same with a label.
    pub fn labelled(place: Place, label: &'static str, text: impl Into<String>) -> Self {
        Self { place, label, text: text.into() }
    }
}

/// What buttons carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// For a yes; holds for this channel, action and content alone. None where a yes is asked about once more: the card
    /// does that.
    pub approve: Option<String>,
    /// For a no.
    pub reject: String,
}

/// What a message is about, for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// `act_…`; `test` for a message that only tries a channel.
    pub action: String,
    /// As the agent wrote it.
    pub title: String,
    /// As the agent wrote it.
    pub kind: String,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// What it says in one line, where a platform has a line of its own for that.
    pub subject: String,
    /// What it says.
    pub parts: Vec<Part>,
    /// Where the card or the inbox is.
    pub link: String,
    /// What is pressed to go there.
    pub link_label: &'static str,
    /// The buttons, while there is something to press and the platform can carry an answer back.
    pub ask: Option<Ask>,
    /// Minutes until nobody can decide any more, while somebody can.
    pub minutes_left: Option<i64>,
    /// What it is about, for programs.
    pub about: About,
}

impl Message {
    /// What tells it from a message that says something else. How much time is left is no part of that: it is less every
    /// minute, and no message is changed for it.
    pub fn digest(&self) -> [u8; 32] {
        let all = Self { minutes_left: None, ..self.clone() };
        Sha256::digest(serde_json::to_vec(&all).unwrap_or_default()).into()
    }
}

/// What a platform has room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// In the order of the message.
    pub parts: Vec<Part>,
    /// What is missing, as a sentence; none if nothing is.
    pub missing: Option<String>,
}

/// Room that is kept for the sentence on what is missing.
const SENTENCE: usize = 240;

/// Cuts a message so that its parts measure `limit` at most in all.
///
/// `measure` says how much room a part takes with its label and whatever stands around it.
pub fn fit(parts: &[Part], limit: usize, measure: impl Fn(&Part) -> usize) -> Fitted {
    if parts.iter().map(&measure).sum::<usize>() <= limit {
        return Fitted { parts: parts.to_vec(), missing: None };
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|index| parts[*index].place.rank());
    let mut room = limit.saturating_sub(SENTENCE);
    let mut kept: Vec<Option<Part>> = vec![None; parts.len()];
    let mut missing: Vec<(usize, String)> = Vec::new();
    for index in order {
        let part = &parts[index];
        let cut = cut(part, room, &measure);
        let left = part.text.chars().count() - cut.as_ref().map_or(0, |cut| cut.text.chars().count());
        if left > 0 || cut.is_none() {
            let what = match &cut {
                Some(_) => format!("{} of {}", characters(left), part.place.name()),
                None => part.place.name().to_owned(),
            };
            missing.push((index, what));
        }
        room -= cut.as_ref().map_or(0, &measure);
        kept[index] = cut;
    }
    missing.sort_by_key(|(index, _)| *index);
    let names: Vec<String> = missing.into_iter().map(|(_, what)| what).collect();
    let missing =
        format!("Not shown here, for want of room: {}. Open the card to see all of it.", names.join(", "));
    Fitted { parts: kept.into_iter().flatten().collect(), missing: Some(missing) }
}

/// The longest beginning of a part that has room; none if not a line of it has.
fn cut(part: &Part, room: usize, measure: impl Fn(&Part) -> usize) -> Option<Part> {
    if measure(part) <= room {
        return Some(part.clone());
    }
    let ends: Vec<usize> = part.text.char_indices().map(|(at, _)| at).collect();
    let beginning = |chars: usize| Part { text: part.text[..ends[chars]].to_owned(), ..part.clone() };
    // How many characters have room: a longer beginning never takes less.
    let (mut fits, mut too_many) = (0, ends.len());
    while too_many - fits > 1 {
        let middle = usize::midpoint(fits, too_many);
        if measure(&beginning(middle)) <= room { fits = middle } else { too_many = middle }
    }
    (fits >= 20).then(|| beginning(fits))
}

fn characters(count: usize) -> String {
    crate::server::view::counted(count, "more character")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(part: &Part) -> usize {
        part.text.chars().count() + 1
    }

    fn message(body: &str, payload: &str) -> Vec<Part> {
        vec![
            Part::new(Place::Title, "Write to Acme"),
            Part::new(Place::Preview(PreviewFormat::Plain), body),
            Part::new(Place::Payload, payload),
        ]
    }

    #[test]
    fn what_fits_is_whole() {
        let parts = message("body", "{}");
        assert_eq!(fit(&parts, 22, size), Fitted { parts, missing: None });
    }

    #[test]
    fn what_is_missing_is_said_with_how_much() {
        let parts = message(&"x".repeat(2_000), "{\"a\": 1}");
        let fitted = fit(&parts, 1_000, size);
        let sentence = fitted.missing.expect("something is missing");
        let shown = fitted.parts[1].text.len();
        assert_eq!(fitted.parts.len(), 2);
        let left = crate::server::view::counted(2_000 - shown, "more character");
        assert!(sentence.contains(&format!("{left} of the preview, the payload")), "{sentence}");
        assert!(sentence.chars().count() <= SENTENCE, "{sentence}");
    }

    proptest! {
        #[test]
        fn a_cut_message_fits_and_says_so(body in "\\PC{0,3000}", payload in "\\PC{0,600}", limit in 300_usize..4000) {
            let parts = message(&body, &payload);
            let fitted = fit(&parts, limit, size);
            let is_whole = fitted.parts == parts;
            prop_assert_eq!(is_whole, fitted.missing.is_none());
            let sentence = fitted.missing.as_ref().map_or(0, |text| text.chars().count());
            prop_assert!(fitted.parts.iter().map(size).sum::<usize>() + sentence <= limit);
            for part in &fitted.parts {
                let from = parts.iter().find(|one| one.place == part.place).expect("one of them");
                prop_assert!(from.text.starts_with(&part.text));
            }
        }
    }
}
