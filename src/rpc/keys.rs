//! The keys of a project.

use leptos::prelude::*;

use crate::wire::error::UiError;
use crate::wire::keys::KeysView;

/// Every key, for an administrator. A key that was made just before is shown this once.
///
/// # Errors
/// Without a session or the role.
#[server(prefix = "/rpc", endpoint = "load_keys")]
pub async fn load_keys() -> Result<KeysView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.keys_page(&reviewer, door::shown_key().await).await)
}

/// Makes a key. Each scope is a tick, absent for no; `days` is how long the key lasts, empty for ever.
///
/// # Errors
/// Without the role; if the name or the scopes break a rule.
#[server(prefix = "/rpc", endpoint = "create_key")]
pub async fn create_key(
    name: String,
    #[server(default)] days: String,
    #[server(default)] actions: Option<String>,
    #[server(default)] decide: Option<String>,
    #[server(default)] audit: Option<String>,
    #[server(default)] admin: Option<String>,
) -> Result<(), UiError> {
    use crate::domain::scope::Scope;
    use crate::server::door;
    let ticks =
        [(actions, Scope::Actions), (decide, Scope::Decide), (audit, Scope::Audit), (admin, Scope::Admin)];
    let scopes = ticks.into_iter().filter_map(|(tick, scope)| tick.map(|_| scope)).collect();
    let form = door::KeyForm { name, scopes, days };
    let make = |services: door::Services, me| async move {
        let made = services.make_key(&me, form).await?;
        door::keep_shown(door::Shown::Key, made.stored.id.to_string(), made.key).await
    };
    door::Form::Typed.run(door::after("/keys", "made"), make).await
}

/// Revokes a key.
///
/// # Errors
/// Without the role; if there is no such key or it is revoked already.
#[server(prefix = "/rpc", endpoint = "revoke_key")]
pub async fn revoke_key(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let revoke = |services: door::Services, me| async move { services.end_key(&me, &id).await };
    door::Form::Pressed.run(door::after("/keys", "revoked"), revoke).await
}
