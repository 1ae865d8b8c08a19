//! Deciding several actions at once.

use leptos::prelude::*;

use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;
use crate::wire::many::{ManyDone, ManyOutcome, ManySent, ManyView, NotDecided};

/// What is about to be decided: these ids, with this verdict.
///
/// # Errors
/// Without a session, or the role to decide.
#[server(prefix = "/rpc", endpoint = "load_many")]
pub async fn load_many(
    #[server(default)] verdict: String,
    #[server(default)] ids: Vec<String>,
) -> Result<ManyView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.many(&reviewer, &verdict, &ids).await)
}

/// Decides what was ticked. `filter` is the list to go back to.
///
/// # Errors
/// Without a session, or the role to decide; if the form is none of ours. What could not be decided is said one by one.
#[server(prefix = "/rpc", endpoint = "decide_many")]
pub async fn decide_many(
    #[server(default)] sent: ManySent,
    #[server(default)] filter: InboxFilter,
) -> Result<ManyOutcome, UiError> {
    use crate::server::door;
    let page = |result: &Result<ManyOutcome, UiError>| door::after_many(&filter, result);
    door::Form::Pressed
        .run(page, |services, member| async move { services.decide_many(&member, &sent).await })
        .await
}

/// What became of several actions: ids, and why they were not decided.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_many_done")]
pub async fn load_many_done(
    #[server(default)] items: Vec<(String, Option<NotDecided>)>,
) -> Result<ManyDone, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.many_done(&reviewer, &items).await)
}
