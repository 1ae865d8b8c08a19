//! Actions in words, for messages: what a person needs to decide, and afterwards what came of it.
//!
//! Owns what a message says. It must not know platforms. Every text of an agent or a person passes through
//! [`text::reveal_text`], so that nothing in it is unseen.

use time::macros::format_description;

use super::message::{About, Ask, Message, Part, Place};
use crate::domain::Instant;
use crate::domain::action::{Action, ActionState, RunResult, Status};
use crate::domain::decision::{Decision, NOT_IDEMPOTENT, Verdict};
use crate::domain::text::{Comment, Undo};
use crate::server::db::channel_messages::InList;
use crate::server::{text, view};

/// Actions that a list names; of the others it says how many they are.
const LISTED: usize = 10;
/// Longest words about an outcome, in characters.
const WORDS_MAX: usize = 600;

/// What surrounds a message.
pub struct Around<'a> {
    /// When it is written.
    pub now: Instant,
    /// The origin that people reach this server at.
    pub public_url: &'a str,
}

impl Around<'_> {
    fn card(&self, action: &Action) -> String {
        format!("{}/inbox/{}", self.public_url, action.id)
    }
}

/// An action as it stands now: with everything that is to be approved while it waits, with its outcome afterwards.
/// `lead` stands before all else; `ask` is for the buttons, if the platform has some.
pub fn card(action: &Action, lead: Option<String>, ask: Option<Ask>, around: &Around<'_>) -> Message {
    let content = &action.content;
    let waits = action.status(around.now) == Status::Pending;
    let title = text::reveal_text(action.approved_content().title.as_str());
    let mut parts: Vec<Part> = lead.into_iter().map(|lead| Part::new(Place::Note, lead)).collect();
    parts.push(Part::new(Place::Title, title.clone()));
    parts.extend(if waits { waiting(action, around.now) } else { ended(action, around.now) });
    Message {
        subject: title,
        parts,
        link: around.card(action),
        link_label: if waits && !action.editable.is_empty() { "Open to edit" } else { "Open" },
        ask: ask.filter(|_| waits),
        minutes_left: waits.then(|| (action.expires_at - around.now).whole_minutes()),
        about: About {
            action: action.id.to_string(),
            title: content.title.as_str().to_owned(),
            kind: content.kind.as_str().to_owned(),
        },
    }
}

/// In one part, with a label of ours: a kind may be a whole sentence.
fn origin(action: &Action) -> Part {
    let kind = text::reveal_text(action.content.kind.as_str());
    let said = format!("{kind}, proposed by {}", text::reveal_text(&action.agent));
    Part::labelled(Place::Origin, "Kind and agent", said)
}

fn waiting(action: &Action, now: Instant) -> Vec<Part> {
    let content = &action.content;
    let left = view::between(action.expires_at - now);
    let mut parts = vec![
        origin(action),
        Part::new(Place::Fact, format!("Decide within {left}, until {}", moment(action.expires_at))),
    ];
    if action.asks_again() {
        parts.push(Part::new(Place::Warning, NOT_IDEMPOTENT));
    }
    parts.extend(view::warnings(action).into_iter().map(|sentence| Part::new(Place::Warning, sentence)));
    if let Some(url) = &content.target_url {
        parts.push(Part::labelled(Place::Target, "Target", text::reveal_text(url)));
    }
    let body = text::reveal_text(&content.preview.body);
    parts.push(match body.is_empty() {
        true => Part::new(Place::Fact, "The preview is empty."),
        false => Part::new(Place::Preview(content.preview.format), body),
    });
    if let Some(payload) = &content.payload {
        parts.push(Part::labelled(Place::Payload, "Payload", text::reveal_text(&format!("{payload:#}"))));
    }
    if let Some(undo) = action.undo.as_ref().map(Undo::as_str) {
        let label = "The agent says on undoing it";
        parts.push(Part::labelled(Place::Claim, label, text::reveal_text(undo)));
    }
    parts
}

fn ended(action: &Action, now: Instant) -> Vec<Part> {
    let mut parts = vec![origin(action), Part::new(Place::Outcome, outcome(action, now))];
    let mut words = |label, said: &str| {
        let said = text::reveal_text(said);
        let short: String = said.chars().take(WORDS_MAX).collect();
        let more = if short.len() < said.len() { "…" } else { "" };
        parts.push(Part::labelled(Place::Words, label, format!("{short}{more}")));
    };
    if let Some(comment) =
        action.decision().and_then(|decision| decision.comment.as_ref()).map(Comment::as_str)
    {
        words("Reason", comment);
    }
    if let ActionState::Reported { result: RunResult { detail: Some(detail), .. }, .. } = &action.state {
        words("The agent says", detail);
    }
    parts
}

/// What came of an action, in a sentence.
pub fn outcome(action: &Action, now: Instant) -> String {
    match &action.state {
        ActionState::Pending if action.status(now) == Status::Pending => "Waits for a decision.".to_owned(),
        ActionState::Pending | ActionState::Expired => {
            format!(
                "Expired: nobody decided within {}.",
                view::between(action.expires_at - action.created_at)
            )
        }
        ActionState::Cancelled => "Withdrawn: there is nothing to decide any more.".to_owned(),
        ActionState::Approved { decision, claim } => {
            let claimed = if claim.is_some() { " It is being run." } else { "" };
            format!("{}{claimed}", decided(decision))
        }
        ActionState::Rejected { decision } => decided(decision),
        ActionState::Reported { decision, result, .. } => {
            let came = if result.succeeded { "Executed" } else { "Failed" };
            format!("{} {came} {}.", decided(decision), moment(result.at))
        }
    }
}

fn decided(decision: &Decision) -> String {
    let verdict = match decision.verdict {
        Verdict::Approve => "Approved",
        Verdict::Reject => "Rejected",
    };
    let by = text::reveal_text(decision.decider.name());
    let through = view::through(&decision.channel);
    let edits = match decision.edits.len() {
        0 => String::new(),
        count => format!(" with {}", view::counted(count, "edit")),
    };
    format!("{verdict} by {by} through {through} {}{edits}.", moment(decision.decided_at))
}

/// Several actions that came at once, each as it stands.
pub fn list(actions: &[InList], around: &Around<'_>) -> Message {
    let waiting = actions.iter().filter(|action| action.status(around.now) == Status::Pending).count();
    let subject = match waiting {
        0 => format!("{}, all decided", view::counted(actions.len(), "action")),
        waiting => format!("{} waiting for a decision", view::counted(waiting, "action")),
    };
    let mut parts = vec![Part::new(Place::Heading, subject.clone())];
    for action in actions.iter().take(LISTED) {
        let title: String = text::reveal_text(&action.title).chars().take(120).collect();
        let stands = match action.status(around.now) {
            Status::Pending => "waits",
            Status::Approved => "approved",
            Status::Rejected => "rejected",
            Status::Expired => "expired",
            Status::Cancelled => "withdrawn",
            Status::Executed => "executed",
            Status::ExecuteFailed => "failed",
        };
        parts.push(Part::labelled(Place::Words, stands, title));
    }
    if let Some(more) = actions.len().checked_sub(LISTED).filter(|more| *more > 0) {
        parts.push(Part::new(Place::Fact, format!("And {more} more.")));
    }
    Message {
        subject,
        parts,
        link: format!("{}/inbox", around.public_url),
        link_label: "Open the inbox",
        ask: None,
        minutes_left: actions
            .iter()
            .filter(|action| action.status(around.now) == Status::Pending)
            .map(|action| (action.expires_at - around.now).whole_minutes())
            .min(),
        about: About { action: String::new(), title: String::new(), kind: "action.pending".to_owned() },
    }
}

/// A message that tries a channel.
pub fn test(channel: &str, around: &Around<'_>) -> Message {
    let subject = "Test message from Impri".to_owned();
    let said =
        format!("The channel {} works. Nothing waits for you because of this.", text::reveal_text(channel));
    Message {
        parts: vec![Part::new(Place::Heading, subject.clone()), Part::new(Place::Fact, said)],
        about: About { action: "test".to_owned(), title: subject.clone(), kind: "test".to_owned() },
        subject,
        link: format!("{}/inbox", around.public_url),
        link_label: "Open the inbox",
        ask: None,
        minutes_left: None,
    }
}

/// An instant as people in several places read it.
fn moment(at: Instant) -> String {
    let form = format_description!("[day padding:none] [month repr:short] [year], [hour]:[minute] UTC");
    // A moment has all of these.
    at.to_offset(time::UtcOffset::UTC).format(form).unwrap_or_default()
}
