//! The last decision made here, said once, beside what comes next.

use leptos::prelude::*;

use super::status_badge::Badge;
use crate::ui::desk::Desk;
use crate::wire::card::{Card, Outcome};

/// The line. It is there from the start, so that a screen reader hears it change.
#[component]
pub fn OutcomeLine(
    /// The table.
    desk: Desk,
) -> impl IntoView {
    view! { <div role="status" class="outcome-line">{move || desk.outcome().map(line)}</div> }
}

fn line(outcome: Outcome) -> impl IntoView {
    let label = match outcome.status.as_str() {
        "approved" => "Approved",
        _ => "Rejected",
    };
    let edits = match outcome.edits {
        0 => String::new(),
        1 => ", with 1 edit".to_owned(),
        count => format!(", with {count} edits"),
    };
    view! {
        <p>
            <Badge state=outcome.status label=label.to_owned() />
            <a href=format!("/inbox/{}", outcome.id)>{outcome.title}</a>
            {edits}
        </p>
    }
}

/// The outcome that a decided card shows, for who comes back to it after a plain form post.
pub fn outcome_of(card: &Card) -> Option<Outcome> {
    let decision = card.decision.as_ref()?;
    let status = if decision.verdict == "approve" { "approved" } else { "rejected" };
    Some(Outcome {
        id: card.id.clone(),
        status: status.to_owned(),
        title: card.title.clone(),
        edits: u32::try_from(decision.changes.len()).unwrap_or(u32::MAX),
    })
}
