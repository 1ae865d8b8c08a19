//! The place where the card on the table is shown.

use leptos::prelude::*;

use super::alert::Alert;
use super::card::{CardView, version};
use super::outcome_line::OutcomeLine;
use super::problem::problem;
use crate::ui::desk::Desk;
use crate::wire::error::UiError;

/// The card, what came of the last one, and why there is none.
///
/// A card that changed is made anew, so that nothing typed into one can turn up in another.
#[component]
pub fn CardPane(
    /// The table.
    desk: Desk,
) -> impl IntoView {
    view! {
        <div class="card-pane" id="card-pane" aria-busy=move || desk.is_busy().then_some("true")>
            <OutcomeLine desk=desk />
            {move || refusal_of_ended(desk).map(|sentence| view! { <Alert sentence=sentence /> })}
            <For each=move || desk.card() key=version let:card>
                <CardView card=card desk=desk />
            </For>
            {move || desk.problem().map(|error| problem(&error))}
        </div>
    }
}

/// A card without a decision bar has no other place to say why nothing was decided.
fn refusal_of_ended(desk: Desk) -> Option<String> {
    let is_pending = desk.card().is_some_and(|card| card.status == "pending");
    let refusal = desk.refusal().filter(|_| !is_pending)?;
    (refusal != UiError::SignedOut).then(|| refusal.to_string())
}
