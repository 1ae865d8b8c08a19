//! What is looked at once more before it is approved.

use super::card::changes;
use super::content;
use crate::domain::action::Action;
use crate::domain::editable::{Edit, apply};
use crate::domain::text::Undo;
use crate::server::text;
use crate::wire::card::{DecideForm, SecondLook};

/// The action as it would be approved, and what differs from its proposal.
pub fn second_look(action: &Action, form: DecideForm, edits: &[Edit]) -> SecondLook {
    // Edits that can't be applied are refused when they are sent; until then the proposal is what there is to see.
    let shown = apply(&action.content, edits).unwrap_or_else(|_| action.content.clone());
    let (version, rendered) = content::content(&shown, shown.digest());
    SecondLook {
        form,
        title: text::reveal_text(shown.title.as_str()),
        title_html: text::inline(shown.title.as_str()),
        kind: text::reveal_text(shown.kind.as_str()),
        agent: text::reveal_text(&action.agent),
        not_idempotent: action.asks_again(),
        changes: changes(&action.content, edits),
        warnings: content::warnings(action, &shown, Some(&rendered)),
        target: shown.target_url.as_deref().map(content::target),
        undo: action.undo.as_ref().map(Undo::as_str).map(text::inline),
        content: version,
    }
}
