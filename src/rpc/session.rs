//! Signing in and out, and the first account.

use leptos::prelude::*;

use crate::wire::error::UiError;
use crate::wire::session::{Door, Me, SetUpLink};

/// Who is looking, and which door is open to them.
///
/// # Errors
/// If the database can't be reached.
#[server(prefix = "/rpc", endpoint = "current_door")]
pub async fn current_door() -> Result<Door, UiError> {
    use crate::server::door;
    door::finish(door::current_door().await)
}

/// Signs in. `next` is a path on this server to go to afterwards; anything else leads to the inbox.
///
/// # Errors
/// The same answer for a wrong address and a wrong password; throttled after a few.
#[server(prefix = "/rpc", endpoint = "sign_in")]
pub async fn sign_in(
    email: String,
    password: String,
    #[server(default)] next: String,
) -> Result<Me, UiError> {
    use crate::server::door;
    let outcome = door::sign_in(&email, password).await;
    door::Form::Entered.finish(outcome, |result| door::after_sign_in(&next, result))
}

/// Ends this session.
///
/// # Errors
/// If the database can't be reached.
#[server(prefix = "/rpc", endpoint = "sign_out")]
pub async fn sign_out() -> Result<(), UiError> {
    use crate::server::door;
    let outcome = door::sign_out().await;
    door::Form::Entered.finish(outcome, |_| "/sign-in".to_owned())
}

/// What a set-up link opens.
///
/// # Errors
/// If the database can't be reached.
#[server(prefix = "/rpc", endpoint = "load_set_up")]
pub async fn load_set_up(#[server(default)] token: String) -> Result<SetUpLink, UiError> {
    use crate::server::door;
    door::finish(door::services()?.setup_link(&token).await)
}

/// Makes the first account and project, with the token of the link in the server's log, and signs in.
///
/// # Errors
/// If the link is used or wrong, or a field does not fit.
#[server(prefix = "/rpc", endpoint = "set_up")]
pub async fn set_up(
    token: String,
    name: String,
    email: String,
    password: String,
    project: String,
) -> Result<Me, UiError> {
    use crate::server::door;
    let outcome = door::set_up(&token, &name, &email, password, &project).await;
    door::Form::Entered.finish(outcome, door::after_link("/setup", &token))
}
