//! The place where one card is shown.

use leptos::prelude::*;

use super::alert::Alert;
use super::card::CardView;
use super::outcome_line::OutcomeLine;
use crate::wire::card::Card;
use crate::wire::error::UiError;
use crate::wire::typed::Typed;

/// The card, what came of the last one, and what went wrong.
///
/// Whatever stands here has a key. In the browser it is replaced when the key is another one, and as a whole, so that
/// nothing typed into one card can turn up in another.
#[component]
pub fn CardPane(
    /// The card.
    card: Card,
    /// What was decided just before.
    decided: Option<Card>,
    /// Why nothing was decided just before.
    refusal: Option<UiError>,
    /// What was typed into it and not used yet.
    #[prop(optional)]
    typed: Typed,
) -> impl IntoView {
    let refusal = refusal.map(|refusal| refusal.to_string());
    // A card without a decide form has no other place to say why nothing was decided.
    let (on_form, on_pane) =
        if card.status == "pending" && card.may_decide { (refusal, None) } else { (None, refusal) };
    view! {
        <OutcomeLine decided=decided />
        <div id="trouble" class="trouble">{on_pane.map(|sentence| view! { <Alert sentence=sentence /> })}</div>
        <div class="card-pane" id="card-pane">
            <CardView card=card refusal=on_form typed=typed />
        </div>
    }
}

/// Something else in the place of a card.
#[component]
pub fn NoCard(
    /// What was decided just before.
    decided: Option<Card>,
    /// Distinguishes it from other things that may stand here.
    key: &'static str,
    /// What stands here.
    children: Children,
) -> impl IntoView {
    view! {
        <OutcomeLine decided=decided />
        <div id="trouble" class="trouble"></div>
        <div class="card-pane" id="card-pane">
            <div class="no-card" data-key=key>
                {children()}
            </div>
        </div>
    }
}
