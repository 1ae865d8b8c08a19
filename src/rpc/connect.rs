//! How agents are connected, and the keys that they get.

use leptos::prelude::*;

use crate::wire::connect::ConnectView;
use crate::wire::error::UiError;

/// What to paste where. A key that was just made is in it, once.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_connect")]
pub async fn load_connect() -> Result<ConnectView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::connect(&reviewer).await)
}

/// Makes a key for an agent; the page that follows shows it.
///
/// # Errors
/// If the person may not, or the name does not fit.
#[server(prefix = "/rpc", endpoint = "make_agent_key")]
pub async fn make_agent_key(name: String) -> Result<(), UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    let outcome = door::make_agent_key(&reviewer, &name).await;
    door::finish_redirect(outcome, door::after_agent_key)
}
