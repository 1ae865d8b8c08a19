//! Actions as rows of a list, and the tabs above it.

use super::Reader;
use crate::domain::action::Status;
use crate::server::db::finding::StatusCount;
use crate::server::db::listing::ListedAction;
use crate::server::text;
use crate::wire::inbox::{InboxRow, InboxView, NextCard, Tab};

/// How much of a preview a row shows, in characters.
const EXCERPT_CHARS: usize = 160;
/// The tabs, in the order of an action's life.
const TABS: [Status; 7] = [
    Status::Pending,
    Status::Approved,
    Status::Rejected,
    Status::Expired,
    Status::Executed,
    Status::ExecuteFailed,
    Status::Cancelled,
];

/// An action as a row; `word` is one that was looked for.
pub fn row(action: ListedAction, word: Option<&str>, reader: &Reader) -> InboxRow {
    let status = match action.status {
        Status::Pending if action.expires_at <= reader.now => Status::Expired,
        status => status,
    };
    // What nobody has noted yet ended with its time.
    let ended = (status != Status::Pending).then(|| action.ended_at.unwrap_or(action.expires_at));
    let mut excerpt = text::excerpt(action.format, &action.body_part, EXCERPT_CHARS);
    // A part from the middle begins with half a word. One that begins at the beginning of the text does not.
    if let (Some(_), true) = (word, action.is_inside) {
        let start = excerpt.find(' ').map_or(0, |at| at + 1);
        excerpt.replace_range(..start, "… ");
    }
    InboxRow {
        id: action.id.to_string(),
        status: status.as_str().to_owned(),
        kind: text::reveal_text(&action.kind),
        title: text::reveal_text(&action.title),
        agent: text::reveal_text(&action.agent),
        excerpt,
        created: reader.moment(action.created_at),
        expires: reader.moment(action.expires_at),
        ended: ended.map(|at| reader.moment(at)),
        by: action.decider.as_deref().map(text::reveal_text),
        edits: action.edits,
        not_idempotent: action.idempotent == Some(false),
        editable: action.editable,
    }
}

/// An action as the one to go on with.
pub fn next(action: ListedAction) -> NextCard {
    NextCard { id: action.id.to_string(), title: text::reveal_text(&action.title) }
}

/// The tabs with their counts. `pending` is how many wait, where the list is not narrowed and that is known better.
pub fn tabs(counts: &[StatusCount], pending: Option<u32>) -> Vec<Tab> {
    let text = |status: Status| {
        if let (Status::Pending, Some(pending)) = (status, pending) {
            return match pending {
                InboxView::COUNT_CAP.. => format!("{}+", InboxView::COUNT_CAP - 1),
                pending => pending.to_string(),
            };
        }
        match counts.iter().find(|count| count.status == status) {
            // Nothing among the newest says nothing of the rest.
            Some(StatusCount { number: 0, is_least: true, .. }) | None => String::new(),
            Some(count) if count.is_least => format!("{}+", count.number.min(99)),
            Some(count) => count.number.to_string(),
        }
    };
    TABS.map(|status| Tab { status: status.as_str().to_owned(), count: text(status) }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_says_how_far_it_was_counted() {
        let count = |status, number, is_least| StatusCount { status, number, is_least };
        let counts = [
            count(Status::Pending, 4, false),
            count(Status::Approved, 100, true),
            count(Status::Rejected, 12, true),
            count(Status::Expired, 0, true),
            count(Status::Executed, 0, false),
        ];
        let texts = |pending| tabs(&counts, pending).into_iter().map(|tab| tab.count).collect::<Vec<_>>();
        assert_eq!(texts(None), ["4", "99+", "12+", "", "0", "", ""]);
        assert_eq!(texts(Some(1_000))[0], "999+");
        assert_eq!(texts(Some(3))[0], "3");
    }
}
