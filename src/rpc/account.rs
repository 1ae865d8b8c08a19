//! One's own account.

use leptos::prelude::*;

use crate::wire::account::AccountView;
use crate::wire::error::UiError;

/// The account of who is signed in.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_account")]
pub async fn load_account() -> Result<AccountView, UiError> {
    use crate::server::door;
    let mut account = door::account_page().await;
    if let Ok(account) = &mut account {
        account.code = door::shown_chat_code().await;
    }
    door::finish(account)
}

/// Changes one's name.
///
/// # Errors
/// If the name is empty or too long.
#[server(prefix = "/rpc", endpoint = "rename_account")]
pub async fn rename_account(name: String) -> Result<(), UiError> {
    use crate::server::door;
    let rename = |services: door::Services, me| async move { services.rename(&me, &name).await };
    door::Form::Typed.run(door::after("/account", "name"), rename).await
}

/// Changes one's password and ends every other session.
///
/// # Errors
/// If the current one is wrong or the new one too short or too long; throttled after a few.
#[server(prefix = "/rpc", endpoint = "change_password")]
pub async fn change_password(current: String, password: String) -> Result<(), UiError> {
    use crate::server::door;
    let outcome = door::change_password(current, password).await;
    door::Form::Typed.finish(outcome, door::after("/account", "password"))
}

/// Stores how the pages are to be. `shortcuts` is a tick, absent for off.
///
/// # Errors
/// If there is no such theme or time zone.
#[server(prefix = "/rpc", endpoint = "save_preferences")]
pub async fn save_preferences(
    theme: String,
    #[server(default)] shortcuts: Option<String>,
    #[server(default)] time_zone: String,
) -> Result<(), UiError> {
    use crate::server::door;
    let save = |services: door::Services, me| async move {
        services.save_preferences(&me, &theme, shortcuts.is_some(), &time_zone).await
    };
    door::Form::Typed.run(door::after("/account", "preferences"), save).await
}

/// Ends one of one's sessions.
///
/// # Errors
/// If there is no such session.
#[server(prefix = "/rpc", endpoint = "end_session")]
pub async fn end_session(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let outcome = door::end_session(&id).await;
    door::Form::Pressed.finish(outcome, door::after("/account", "session"))
}

/// Ends every session of one's own but the one that asks.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "end_other_sessions")]
pub async fn end_other_sessions() -> Result<(), UiError> {
    use crate::server::door;
    let outcome = door::end_other_sessions().await;
    door::Form::Pressed.finish(outcome, door::after("/account", "sessions"))
}
