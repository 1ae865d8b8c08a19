//! How agents are connected, and the keys that they get.

use leptos::prelude::*;

use crate::wire::connect::ConnectView;
use crate::wire::error::UiError;

/// What to paste where. A key that was just made is in it, once. `key` is the id of the key whose first action is
/// waited for; without one anybody's is.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_connect")]
pub async fn load_connect(key: Option<String>) -> Result<ConnectView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::connect(&reviewer, key.as_deref()).await)
}

/// Proposes an action that does nothing, and leads to it.
///
/// # Errors
/// If the person may not decide.
#[server(prefix = "/rpc", endpoint = "send_test_action")]
pub async fn send_test_action() -> Result<String, UiError> {
    use crate::server::door;
    door::Form::Pressed
        .run(door::after_test_action, |services, member| async move {
            services.send_test_action(&member).await.map(|id| id.to_string())
        })
        .await
}

/// Makes a key for an agent; the page that follows shows it. Answers with its id.
///
/// # Errors
/// If the person may not, or the name does not fit.
#[server(prefix = "/rpc", endpoint = "make_agent_key")]
pub async fn make_agent_key(name: String) -> Result<String, UiError> {
    use crate::server::door;
    let make = |_, member| async move { door::make_agent_key(&member, &name).await };
    door::Form::Typed.run(door::after_agent_key, make).await
}
