//! The pages' door: from a server function's request to a service, and back to what a page or a plain form expects.
//!
//! Owns the session cookie's content and the redirects of plain forms. It has no rules: who may do what is the
//! services'.

use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;
use serde::{Deserialize, Serialize};
use tower_sessions::Session;

use crate::domain::ids::ReviewerId;
use crate::server::db::people::Member;
use crate::server::service::{NewPerson, Services};
use crate::wire::card::Outcome;
use crate::wire::error::UiError;
use crate::wire::session::{Door, Me};

pub use super::after::after_many;

/// The network address of whoever sent the request, as the throttle counts it.
#[derive(Debug, Clone)]
pub struct ClientAddress(pub String);

const SIGNED_IN: &str = "reviewer";
const FRESH_KEY: &str = "fresh_key";
/// A first key stays in the session of the person who set the server up for this long, in seconds.
const FRESH_KEY_SECS: i64 = 3_600;

/// The first agent's key, kept for the page that shows it.
#[derive(Debug, Serialize, Deserialize)]
struct FreshKey {
    key: String,
    until: i64,
}

/// The services of this server.
///
/// # Errors
/// Never in a request that came through the router.
pub fn services() -> Result<Services, UiError> {
    use_context::<Services>().ok_or(UiError::Internal)
}

async fn session() -> Result<Session, UiError> {
    leptos_axum::extract::<Session>().await.map_err(|_| UiError::Internal)
}

/// What the session store can't do, as a page hears it.
fn session_failed(error: tower_sessions::session::Error) -> UiError {
    tracing::warn!(%error, "the session can't be read or written");
    UiError::Unavailable
}

/// The signed-in person behind a session, if it is one's and they may still act.
///
/// # Errors
/// If the session or the account can't be read.
pub async fn member_of(services: &Services, session: &Session) -> Result<Option<Member>, UiError> {
    let id: Option<String> = session.get(SIGNED_IN).await.map_err(session_failed)?;
    match id.and_then(|id| id.parse::<ReviewerId>().ok()) {
        Some(id) => Ok(services.member(id).await?),
        None => Ok(None),
    }
}

/// The signed-in person.
///
/// # Errors
/// If there is none.
pub async fn reviewer() -> Result<Member, UiError> {
    let found = member_of(&services()?, &session().await?).await;
    finish(found.and_then(|member| member.ok_or(UiError::SignedOut)))
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
        pending: services.count_pending(member).await?,
    })
}

/// The first agent's key, while the session still holds it.
pub async fn fresh_key() -> Option<String> {
    let now = services().ok()?.clock().now();
    let fresh: FreshKey = session().await.ok()?.get(FRESH_KEY).await.ok()??;
    (fresh.until > now.unix_timestamp()).then_some(fresh.key)
}

/// Signs in and gives the session a new id.
///
/// # Errors
/// If the address and the password don't belong together, or after too many tries.
pub async fn sign_in(email: &str, password: String) -> Result<Me, UiError> {
    let services = services()?;
    let session = session().await?;
    let from = use_context::<Parts>().and_then(|parts| parts.extensions.get::<ClientAddress>().cloned());
    let from = from.map_or_else(|| "unknown".to_owned(), |ClientAddress(address)| address);
    let member = services.sign_in(email, password, &from).await?;
    begin(&session, &member).await?;
    me(&services, &member).await
}

/// Makes the session this member's, under an id that nobody knew before.
async fn begin(session: &Session, member: &Member) -> Result<(), UiError> {
    if session.id().is_some() {
        session.flush().await.map_err(session_failed)?;
    }
    // What was flushed would come back under its old id, which somebody else may have planted.
    session.cycle_id().await.map_err(session_failed)?;
    session.insert(SIGNED_IN, member.id.to_string()).await.map_err(session_failed)
}

/// Ends the session.
///
/// # Errors
/// If the session can't be deleted.
pub async fn sign_out() -> Result<(), UiError> {
    let services = services()?;
    let session = session().await?;
    if let Some(member) = member_of(&services, &session).await? {
        services.note_sign_out(&member).await?;
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
    let session = session().await?;
    let person = NewPerson { name: name.to_owned(), email: email.to_owned(), password, is_admin: true };
    let first = services.set_up(token, project, person).await?;
    begin(&session, &first.member).await?;
    let until = services.clock().now().unix_timestamp() + FRESH_KEY_SECS;
    session.insert(FRESH_KEY, FreshKey { key: first.agent_key.key, until }).await.map_err(session_failed)?;
    me(&services, &first.member).await
}

/// Whether the request is a plain form's, which wants a page and not data.
fn is_plain_form() -> bool {
    use_context::<Parts>().is_some_and(|parts| is_call(&parts) && accepts_pages(&parts))
}

/// Whether a page in the browser asked for data.
fn wants_data() -> bool {
    use_context::<Parts>().is_some_and(|parts| is_call(&parts) && !accepts_pages(&parts))
}

fn is_call(parts: &Parts) -> bool {
    parts.uri.path().starts_with("/rpc/")
}

fn accepts_pages(parts: &Parts) -> bool {
    let accept = parts.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Answers with data; an error gets its status, which the framework can't give it (leptos 0.8 answers 500 always;
/// remove with 0.9).
///
/// # Errors
/// The given one.
pub fn finish<T, E: Into<UiError>>(outcome: Result<T, E>) -> Result<T, UiError> {
    outcome.map_err(Into::into).inspect_err(|error| {
        // A plain form's status would overwrite the redirect, and a page chooses its own.
        if let (true, Some(response)) = (wants_data(), use_context::<ResponseOptions>()) {
            response.set_status(status(error));
        }
    })
}

/// As [`finish`], but a plain form is led to a page that shows the outcome.
///
/// # Errors
/// The given one.
pub fn finish_form<T, E: Into<UiError>>(
    outcome: Result<T, E>,
    page: impl FnOnce(&Result<T, UiError>) -> String,
) -> Result<T, UiError> {
    let outcome = finish(outcome);
    if is_plain_form() {
        leptos_axum::redirect(&page(&outcome));
    }
    outcome
}

/// As [`finish_form`], but a success leads the hydrated page there too.
///
/// # Errors
/// The given one.
pub fn finish_redirect<T, E: Into<UiError>>(
    outcome: Result<T, E>,
    page: impl FnOnce(&Result<T, UiError>) -> String,
) -> Result<T, UiError> {
    let outcome = finish(outcome);
    if outcome.is_ok() || is_plain_form() {
        leptos_axum::redirect(&page(&outcome));
    }
    outcome
}

fn status(error: &UiError) -> StatusCode {
    match error {
        UiError::SignedOut | UiError::WrongCredentials => StatusCode::UNAUTHORIZED,
        UiError::Forbidden | UiError::SelfApproval | UiError::SetupClosed => StatusCode::FORBIDDEN,
        UiError::NotFound => StatusCode::NOT_FOUND,
        UiError::AlreadyDecided | UiError::Expired | UiError::Stale => StatusCode::CONFLICT,
        UiError::NotEditable | UiError::BadEdit { .. } | UiError::BadField(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        UiError::Throttled { .. } => StatusCode::TOO_MANY_REQUESTS,
        UiError::BadRequest => StatusCode::BAD_REQUEST,
        UiError::Unavailable | UiError::Offline => StatusCode::SERVICE_UNAVAILABLE,
        UiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Where a plain decide form leads.
pub fn after_decision(id: &str, outcome: &Result<Outcome, UiError>) -> String {
    // The id came from the form; only a real one may become part of an address.
    let Ok(id) = id.parse::<crate::domain::ids::ActionId>() else { return "/inbox".to_owned() };
    match outcome {
        Ok(_) => format!("/inbox/{id}?done=1"),
        Err(error) => format!("/inbox/{id}?refused={}", error.code()),
    }
}

/// Where signing in leads: to the page that asked for it, if that is one of ours.
pub fn after_sign_in(next: &str, outcome: &Result<Me, UiError>) -> String {
    let next = own_path(next);
    match outcome {
        Ok(_) => next.unwrap_or("/inbox").to_owned(),
        Err(error) => {
            let next: String =
                url::form_urlencoded::byte_serialize(next.unwrap_or_default().as_bytes()).collect();
            format!("/sign-in?refused={}&next={next}", error.code())
        }
    }
}

/// Where the set-up leads.
pub fn after_set_up(token: &str, outcome: &Result<Me, UiError>) -> String {
    match outcome {
        Ok(_) => "/inbox".to_owned(),
        Err(error) => {
            let token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
            format!("/setup?token={token}&refused={}", error.code())
        }
    }
}

/// The path, if a browser can only read it as one on this server.
fn own_path(path: &str) -> Option<&str> {
    let is_ours = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(|c: char| c == '\\' || c.is_control() || c.is_whitespace());
    is_ours.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_leads_only_to_our_own_pages() {
        for next in
            ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb", ""]
        {
            assert_eq!(own_path(next), None, "{next}");
        }
        assert_eq!(own_path("/inbox/act_x?at=1"), Some("/inbox/act_x?at=1"));
        let refused = after_sign_in("/inbox?a=b&c", &Err(UiError::WrongCredentials));
        assert_eq!(refused, "/sign-in?refused=wrong-credentials&next=%2Finbox%3Fa%3Db%26c");
    }

    #[test]
    fn a_forms_id_never_becomes_another_address() {
        assert_eq!(after_decision("//evil.example", &Err(UiError::NotFound)), "/inbox");
        let id = "act_BwcHBwcHBwcHBwcHBwcHBw";
        assert_eq!(after_decision(id, &Err(UiError::Stale)), format!("/inbox/{id}?refused=stale"));
    }
}
