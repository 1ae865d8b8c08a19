//! The last decision made here, said once, beside what comes next.

use leptos::prelude::*;

use super::status_badge::Badge;
use crate::wire::card::Card;

/// The line. It is there from the start, so that a screen reader hears it change.
#[component]
pub fn OutcomeLine(
    /// What was decided, if this page comes after a decision.
    decided: Option<Card>,
) -> impl IntoView {
    view! { <div role="status" id="outcome" class="outcome-line">{decided.and_then(line)}</div> }
}

fn line(card: Card) -> Option<impl IntoView> {
    let decision = card.decision?;
    let (state, label) = match decision.verdict.as_str() {
        "approve" => ("approved", "Approved"),
        _ => ("rejected", "Rejected"),
    };
    let edits = match decision.changes.len() {
        0 => None,
        1 => Some("with 1 edit".to_owned()),
        count => Some(format!("with {count} edits")),
    };
    Some(view! {
        <p>
            <Badge state=state.to_owned() label=label.to_owned() />
            <a href=format!("/inbox/{}", card.id)>{card.title}</a>
            {edits.map(|edits| view! { <span>{edits}</span> })}
        </p>
    })
}
