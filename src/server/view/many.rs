//! Several actions on one page, each shown whole or said not to be.

use super::{Reader, content, context};
use crate::domain::action::Action;
use crate::domain::content::Content;
use crate::domain::decision::{Decider, NOT_IDEMPOTENT, Verdict};
use crate::domain::ids::ReviewerId;
use crate::domain::text::Undo;
use crate::server::db::context::PastAction;
use crate::server::text;
use crate::wire::many::{DoneItem, Gone, ManyItem, NotDecided};

/// Body and payload up to so many characters and lines together are shown whole.
const WHOLE_CHARS: usize = 1_500;
const WHOLE_LINES: usize = 40;
/// Of a longer body so many lines of so many characters together are shown.
const HEAD_LINES: usize = 6;
const HEAD_CHARS: usize = 400;

/// Whether the whole content is shown on a page with others. Otherwise it can't be approved there.
pub fn is_whole(content: &Content) -> bool {
    let payload = payload_text(content).unwrap_or_default();
    let (body, payload) = (content.preview.body.as_str(), payload.as_str());
    let chars = body.chars().count() + payload.chars().count();
    let target = content.target_url.as_deref().unwrap_or_default();
    chars <= WHOLE_CHARS
        && body.lines().count() + payload.lines().count() <= WHOLE_LINES
        && target.chars().count() <= WHOLE_CHARS
}

fn payload_text(content: &Content) -> Option<String> {
    content.payload.as_ref().map(|payload| format!("{payload:#}"))
}

/// Whether an approval needs a tick of its own.
pub fn is_special(action: &Action, same: Option<&PastAction>) -> bool {
    action.asks_again()
        || !action.editable.is_empty()
        || same.is_some()
        || !content::warnings(action, &action.content, None).is_empty()
}

/// An action that waits, for a page with others. `same` is the latest decision about the same content.
pub fn item(action: &Action, same: Option<&PastAction>, me: ReviewerId, reader: &Reader) -> ManyItem {
    let content = &action.content;
    let is_whole = is_whole(content);
    let body = &content.preview.body;
    let head = if is_whole { body } else { head(body) };
    let payload = payload_text(content);
    let hidden = body.chars().count() - head.chars().count();
    let rest = (!is_whole).then(|| match (hidden, &payload) {
        (0, _) => "The payload".to_owned(),
        (hidden, None) => content::counted(hidden, "more character"),
        (hidden, Some(_)) => format!("{} and the payload", content::counted(hidden, "more character")),
    });
    ManyItem {
        id: action.id.to_string(),
        kind: text::reveal_text(content.kind.as_str()),
        title: text::inline(content.title.as_str()),
        title_text: text::reveal_text(content.title.as_str()),
        agent: text::reveal_text(&action.agent),
        expires: reader.moment(action.expires_at),
        target: content.target_url.as_deref().map(content::target),
        undo: action.undo.as_ref().map(Undo::as_str).map(text::inline),
        body: if is_whole { content::preview(content).0.html } else { text::plain(head) },
        payload: payload.filter(|_| is_whole).map(|payload| text::plain(&payload)),
        rest,
        // What is too long is opened, where its card says all of this.
        reasons: if is_whole { reasons(action, same, me, reader) } else { Vec::new() },
        digest: action.content_sha256.to_string(),
        digest_short: action.content_sha256.short(),
    }
}

/// The first lines of a text.
fn head(body: &str) -> &str {
    let lines = body.match_indices('\n').nth(HEAD_LINES - 1).map_or(body.len(), |(at, _)| at);
    let chars = body.char_indices().nth(HEAD_CHARS).map_or(body.len(), |(at, _)| at);
    &body[..lines.min(chars)]
}

/// Why an approval needs a tick of its own, in sentences; empty exactly if it needs none.
fn reasons(action: &Action, same: Option<&PastAction>, me: ReviewerId, reader: &Reader) -> Vec<String> {
    let mut reasons = Vec::new();
    if action.asks_again() {
        reasons.push(NOT_IDEMPOTENT.to_owned());
    }
    if !action.editable.is_empty() {
        let paths: Vec<String> =
            action.editable.iter().map(|path| text::reveal_text(&path.to_string())).collect();
        reasons.push(format!("Editable: {}. Here it is approved as it was proposed.", paths.join(", ")));
    }
    if let Some(past) = same {
        let word = match past.verdict {
            Verdict::Approve => "approved",
            Verdict::Reject => "rejected",
        };
        let by = context::by(past.reviewer, &past.decider, me);
        let ago = reader.moment(past.decided_at).relative;
        reasons.push(format!("The same content was {word} by {by} {ago}."));
    }
    reasons.extend(content::warnings(action, &action.content, None));
    reasons
}

/// An action that does not wait, or that is not there.
pub fn gone(id: &str, action: Option<&Action>, me: ReviewerId, reader: &Reader) -> Gone {
    let by = action.and_then(Action::decision).map(|decision| match &decision.decider {
        Decider::Reviewer { id, name } => context::by(Some(*id), name, me),
        Decider::Key { name, .. } => text::reveal_text(name),
    });
    Gone {
        id: id.to_owned(),
        title: action.map(|action| text::reveal_text(action.approved_content().title.as_str())),
        status: action.map(|action| action.status(reader.now).as_str().to_owned()).unwrap_or_default(),
        by,
    }
}

/// What came of an action.
pub fn done(
    id: &str,
    action: Option<&Action>,
    reason: Option<&NotDecided>,
    me: ReviewerId,
    reader: &Reader,
) -> DoneItem {
    DoneItem { now: gone(id, action, me, reader), reason: reason.map(NotDecided::sentence) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_a_line_or_before_it_is_too_long() {
        assert_eq!(head("a\nb"), "a\nb");
        assert_eq!(head("1\n2\n3\n4\n5\n6\n7\n8"), "1\n2\n3\n4\n5\n6");
        assert_eq!(head(&"é".repeat(500)).chars().count(), HEAD_CHARS);
    }
}
