//! Reading and deciding actions.

use leptos::prelude::*;

use crate::wire::card::{Card, EditTexts, Outcome, Sure};
use crate::wire::error::UiError;
use crate::wire::inbox::{InboxFilter, InboxView, NextCard};

/// One page of a tab. `seen` is the newest action that the reader was shown before; what came later is only counted.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_inbox")]
pub async fn load_inbox(
    #[server(default)] filter: InboxFilter,
    #[server(default)] seen: Option<String>,
) -> Result<InboxView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    let fresh_key = door::fresh_key().await;
    door::finish(door::services()?.inbox(&reviewer, &filter, seen.as_deref(), fresh_key).await)
}

/// One action, whole.
///
/// # Errors
/// Without a session; for an id of no action of this project.
#[server(prefix = "/rpc", endpoint = "load_card")]
pub async fn load_card(id: String) -> Result<Card, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.card(&reviewer, &id).await)
}

/// What waits next after an action that is past deciding, in the list that `filter` stands for.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_next")]
pub async fn load_next(
    id: String,
    #[server(default)] filter: InboxFilter,
) -> Result<Option<NextCard>, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.next_waiting(&reviewer, &filter, &id).await)
}

/// Approves, edits and approves, or rejects. `verdict` is `approve` or `reject`; `seen` is the digest that the page
/// showed; `edits` maps places in the action's editable list to the texts of their controls. What is edited or not
/// idempotent is approved only with `sure`: a plain form without it is asked once more. `filter` is the list that the card
/// was opened from, which a plain form leads back to.
///
/// # Errors
/// Nothing was decided then; see [`UiError`].
#[server(prefix = "/rpc", endpoint = "decide_action")]
pub async fn decide_action(
    id: String,
    seen: String,
    verdict: String,
    #[server(default)] comment: String,
    #[server(default)] edits: EditTexts,
    #[server(default)] sure: Sure,
    #[server(default)] filter: InboxFilter,
) -> Result<Outcome, UiError> {
    use crate::server::door;
    use crate::wire::card::DecideForm;
    let reviewer = door::reviewer().await?;
    let form = DecideForm { id, seen, verdict, comment, edits, sure: sure.0 };
    let outcome = door::services()?.decide_in_inbox(&reviewer, &form).await;
    door::finish_decision(&form.id, &filter, outcome)
}

/// Sends the latest callback about an action again.
///
/// # Errors
/// Without a session; for an id of no action of this project.
#[server(prefix = "/rpc", endpoint = "replay_callback")]
pub async fn replay_callback(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    let outcome = door::services()?.replay_from_inbox(&reviewer, &id).await;
    // What names an action has the characters of an id.
    door::Form::Pressed
        .finish(outcome, |done| if done.is_ok() { format!("/inbox/{id}") } else { "/inbox".to_owned() })
}
