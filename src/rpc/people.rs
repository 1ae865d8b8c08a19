//! The people of a project, and joining it.

use leptos::prelude::*;

use crate::wire::error::UiError;
use crate::wire::people::{Invitation, PeopleView};
use crate::wire::session::Me;

/// Everybody, for an administrator. A link that was made just before is shown this once.
///
/// # Errors
/// Without a session or the role.
#[server(prefix = "/rpc", endpoint = "load_people")]
pub async fn load_people() -> Result<PeopleView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.people_page(&reviewer, door::shown_invite().await).await)
}

/// The names of those who can change what one may do.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_admins")]
pub async fn load_admins() -> Result<Vec<String>, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.admins(&reviewer).await)
}

/// Makes a link that makes one account.
///
/// # Errors
/// Without the role; if the address is none or has an account.
#[server(prefix = "/rpc", endpoint = "invite_person")]
pub async fn invite_person(role: String, #[server(default)] email: String) -> Result<(), UiError> {
    use crate::server::door;
    let invite = |services: door::Services, me| async move {
        let made = services.invite(&me, &email, &role).await?;
        door::keep_shown(door::Shown::Invite, made.id.to_string(), made.link).await
    };
    door::Form::Typed.run(door::after("/people", "invited"), invite).await
}

/// Withdraws a link that nobody has used.
///
/// # Errors
/// Without the role; if there is no such link.
#[server(prefix = "/rpc", endpoint = "withdraw_invite")]
pub async fn withdraw_invite(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let withdraw = |services: door::Services, me| async move { services.withdraw_invite(&me, &id).await };
    door::Form::Pressed.run(door::after("/people", "withdrawn"), withdraw).await
}

/// Gives somebody else another role.
///
/// # Errors
/// Without the role; for oneself.
#[server(prefix = "/rpc", endpoint = "change_role")]
pub async fn change_role(id: String, role: String) -> Result<(), UiError> {
    use crate::server::door;
    let change = |services: door::Services, me| async move { services.change_role(&me, &id, &role).await };
    door::Form::Pressed.run(door::after("/people", "role"), change).await
}

/// Disables somebody else's account and ends its sessions.
///
/// # Errors
/// Without the role; for oneself.
#[server(prefix = "/rpc", endpoint = "disable_account")]
pub async fn disable_account(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let disable = |services: door::Services, me| async move { services.disable_account(&me, &id).await };
    door::Form::Pressed.run(door::after("/people", "disabled"), disable).await
}

/// Lets a disabled account be used again.
///
/// # Errors
/// Without the role.
#[server(prefix = "/rpc", endpoint = "enable_account")]
pub async fn enable_account(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let enable = |services: door::Services, me| async move { services.enable_account(&me, &id).await };
    door::Form::Pressed.run(door::after("/people", "enabled"), enable).await
}

/// What an invitation's link opens.
///
/// # Errors
/// If it is used, withdrawn, too old or wrong.
#[server(prefix = "/rpc", endpoint = "load_invitation")]
pub async fn load_invitation(token: String) -> Result<Invitation, UiError> {
    use crate::server::door;
    door::finish(door::services()?.invitation(&token).await)
}

/// Makes the account that an invitation is for and signs in. `email` counts if the invitation names no address.
///
/// # Errors
/// If the link can't be used, or a field does not fit.
#[server(prefix = "/rpc", endpoint = "join")]
pub async fn join(
    token: String,
    name: String,
    password: String,
    #[server(default)] email: String,
) -> Result<Me, UiError> {
    use crate::server::door;
    let outcome = door::join(&token, name, email, password).await;
    door::Form::Entered.finish(outcome, door::after_link("/join", &token))
}
