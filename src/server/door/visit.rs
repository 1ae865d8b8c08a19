//! Who is at the page: the session behind the cookie, how it begins and ends, and what people change about themselves there.
//!
//! The cookie's session holds the name of a session of ours and nothing about the person; who that is, is looked up with
//! every request, so that whatever ended it has ended it.

use axum::http::header;
use axum::http::request::Parts;
use leptos::prelude::use_context;
use tower_sessions::Session;

use super::{finish, secrets, services};
use crate::domain::ids::SessionId;
use crate::domain::role::Role;
use crate::server::auth::device::device;
use crate::server::db::people::Member;
use crate::server::service::{NewPerson, Services, Visitor};
use crate::wire::account::AccountView;
use crate::wire::error::UiError;
use crate::wire::session::{Door, Me};

/// The network address of whoever sent the request, as the throttle counts it.
#[derive(Debug, Clone)]
pub struct ClientAddress(pub String);

const SIGNED_IN: &str = "session";

pub(super) async fn session() -> Result<Session, UiError> {
    leptos_axum::extract::<Session>().await.map_err(|_| UiError::Internal)
}

/// What the session store can't do, as a page hears it.
pub(super) fn session_failed(error: tower_sessions::session::Error) -> UiError {
    tracing::warn!(%error, "the session can't be read or written");
    UiError::Unavailable
}

async fn session_id(session: &Session) -> Result<Option<SessionId>, UiError> {
    let id: Option<String> = session.get(SIGNED_IN).await.map_err(session_failed)?;
    Ok(id.and_then(|id| id.parse().ok()))
}

/// Who asks, as far as the network tells.
fn visitor() -> Visitor {
    let parts = use_context::<Parts>();
    let address = parts.as_ref().and_then(|parts| parts.extensions.get::<ClientAddress>().cloned());
    let agent = parts.as_ref().and_then(|parts| parts.headers.get(header::USER_AGENT));
    let agent = agent.and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    Visitor {
        address: address.map_or_else(|| "unknown".to_owned(), |ClientAddress(address)| address),
        device: device(agent),
    }
}

/// The browser that asks, in a few words.
pub fn device_name() -> String {
    visitor().device
}

/// The signed-in person behind a session, if it is one's and they may still act.
///
/// # Errors
/// If the session or the account can't be read.
pub async fn member_of(services: &Services, session: &Session) -> Result<Option<Member>, UiError> {
    match session_id(session).await? {
        Some(id) => Ok(services.signed_in(id).await?),
        None => Ok(None),
    }
}

/// The signed-in person.
///
/// # Errors
/// If there is none.
pub async fn reviewer() -> Result<Member, UiError> {
    Ok(reviewer_and_session().await?.0)
}

async fn reviewer_and_session() -> Result<(Member, SessionId), UiError> {
    let find = async {
        let session = session().await?;
        let id = session_id(&session).await?.ok_or(UiError::SignedOut)?;
        let member = services()?.signed_in(id).await?.ok_or(UiError::SignedOut)?;
        Ok((member, id))
    };
    finish::<_, UiError>(find.await)
}

/// Who is looking, and which door is open to them.
///
/// # Errors
/// If the session or the account can't be read.
pub async fn current_door() -> Result<Door, UiError> {
    let services = services()?;
    Ok(match member_of(&services, &session().await?).await? {
        Some(member) => Door::In(me(&services, &member).await?),
        None if services.is_set_up().await? => Door::SignIn,
        None => Door::NotSetUp,
    })
}

async fn me(services: &Services, member: &Member) -> Result<Me, UiError> {
    Ok(Me {
        id: member.id.to_string(),
        name: member.name.clone(),
        email: member.email.clone(),
        project: member.project_name.clone(),
        role: member.role,
        theme: member.preferences.theme,
        shortcuts: member.preferences.shortcuts,
        pending: services.count_pending(member).await?,
    })
}

/// Signs in and gives the session a new id.
///
/// # Errors
/// If the address and the password don't belong together, or after too many tries.
pub async fn sign_in(email: &str, password: String) -> Result<Me, UiError> {
    let services = services()?;
    let visitor = visitor();
    let (member, id) = services.sign_in(email, password, &visitor).await?;
    hold(&services, id).await?;
    me(&services, &member).await
}

/// Begins the session of somebody who has just made their account.
async fn begin(services: &Services, member: &Member) -> Result<(), UiError> {
    let id = services.begin_session(member, &visitor()).await?;
    hold(services, id).await
}

/// Lets the cookie lead to a session, under an id that nobody knew before.
async fn hold(services: &Services, id: SessionId) -> Result<(), UiError> {
    let session = session().await?;
    if let (Some(member), Some(before)) = (member_of(services, &session).await?, session_id(&session).await?)
    {
        services.leave_session(&member, before).await?;
    }
    if session.id().is_some() {
        session.flush().await.map_err(session_failed)?;
    }
    // What was flushed would come back under its old id, which somebody else may have planted.
    session.cycle_id().await.map_err(session_failed)?;
    session.insert(SIGNED_IN, id.to_string()).await.map_err(session_failed)
}

/// Ends the session.
///
/// # Errors
/// If the session can't be deleted.
pub async fn sign_out() -> Result<(), UiError> {
    let services = services()?;
    let session = session().await?;
    if let (Some(member), Some(id)) = (member_of(&services, &session).await?, session_id(&session).await?) {
        services.sign_out(&member, id).await?;
    }
    session.flush().await.map_err(session_failed)
}

/// Makes the first account and signs it in.
///
/// # Errors
/// If the link is not the newest one, or a field does not fit.
pub async fn set_up(
    token: &str,
    name: &str,
    email: &str,
    password: String,
    project: &str,
) -> Result<Me, UiError> {
    let services = services()?;
    let person = NewPerson { name: name.to_owned(), email: email.to_owned(), password, role: Role::Admin };
    let first = services.set_up(token, project, person).await?;
    begin(&services, &first.member).await?;
    secrets::keep_first(first.agent_key.key).await?;
    me(&services, &first.member).await
}

/// Makes the account that an invitation is for and signs it in.
///
/// # Errors
/// If the link can't be used, or a field does not fit.
pub async fn join(token: &str, name: String, email: String, password: String) -> Result<Me, UiError> {
    let services = services()?;
    let member = services.join(token, name, email, password).await?;
    begin(&services, &member).await?;
    me(&services, &member).await
}

/// The account of who is signed in.
///
/// # Errors
/// If nobody is.
pub async fn account_page() -> Result<AccountView, UiError> {
    let (member, this) = reviewer_and_session().await?;
    Ok(services()?.account_page(&member, this).await?)
}

/// Gives who is signed in another password, and the session a new id.
///
/// # Errors
/// If the current password is wrong or the new one breaks a rule.
pub async fn change_password(current: String, new: String) -> Result<(), UiError> {
    let (member, this) = reviewer_and_session().await?;
    services()?.change_password(&member, this, current, new, &visitor().address).await?;
    session().await?.cycle_id().await.map_err(session_failed)
}

/// Ends a session of who is signed in: the one that asks too, if it is that.
///
/// # Errors
/// If they have no such session.
pub async fn end_session(id: &str) -> Result<(), UiError> {
    let (member, this) = reviewer_and_session().await?;
    if id == this.to_string() {
        return sign_out().await;
    }
    Ok(services()?.end_session(&member, id).await?)
}

/// Ends every other session of who is signed in.
///
/// # Errors
/// If nobody is.
pub async fn end_other_sessions() -> Result<(), UiError> {
    let (member, this) = reviewer_and_session().await?;
    Ok(services()?.end_other_sessions(&member, this).await?)
}
