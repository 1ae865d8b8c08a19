//! What is looked at once more before it is approved.

use super::card::changes;
use crate::domain::action::Action;
use crate::domain::editable::Edit;
use crate::server::text;
use crate::wire::card::{DecideForm, SecondLook};

/// The action with what differs from its proposal.
pub fn second_look(action: &Action, form: DecideForm, edits: &[Edit]) -> SecondLook {
    let content = &action.content;
    SecondLook {
        form,
        title: text::reveal_text(content.title.as_str()),
        title_html: text::inline(content.title.as_str()),
        kind: text::reveal_text(content.kind.as_str()),
        agent: text::reveal_text(&action.agent),
        not_idempotent: action.asks_again(),
        changes: changes(content, edits),
    }
}
