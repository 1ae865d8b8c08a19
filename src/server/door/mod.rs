//! The pages' door: from a server function's request to a service, and back to what a page or a plain form expects.
//!
//! Owns the session cookie's content ([`visit`]) and the redirects of plain forms. It has no rules: who may do what is
//! the services'.

mod redirects;
mod secrets;
mod visit;

use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

pub use self::redirects::{
    after, after_agent_key, after_channel, after_decision, after_join, after_many, after_set_up,
    after_sign_in, after_test_action, new_channel,
};
pub use self::secrets::{
    Shown, connect, fresh_key, keep_shown, keep_test, make_agent_key, shown_chat_code, shown_invite,
    shown_key, shown_test,
};
pub use self::visit::{
    ClientAddress, account_page, change_password, current_door, device_name, end_other_sessions, end_session,
    join, member_of, reviewer, set_up, sign_in, sign_out,
};
use crate::server::db::people::Member;
pub use crate::server::service::{ChannelForm, KeyForm, SentSubscription, Services};
use crate::wire::card::Outcome;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;
use crate::wire::session::FETCHED;

/// The services of this server.
///
/// # Errors
/// Never in a request that came through the router.
pub fn services() -> Result<Services, UiError> {
    use_context::<Services>().ok_or(UiError::Internal)
}

/// Whether the request is a plain form's, which wants a page and not data.
fn is_plain_form() -> bool {
    use_context::<Parts>().is_some_and(|parts| is_call(&parts) && accepts_pages(&parts))
}

/// Whether a page in the browser asked for data.
fn wants_data() -> bool {
    use_context::<Parts>().is_some_and(|parts| is_call(&parts) && !accepts_pages(&parts))
}

/// Whether a page that is open already asked for a page, to see what is new: nobody looks at what it gets, so it must
/// not take what is shown once. The page says so itself: Fetch Metadata calls every page that came through a service
/// worker fetched.
fn is_fetched() -> bool {
    use_context::<Parts>().is_some_and(|parts| parts.headers.contains_key(FETCHED))
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

/// As [`finish_form`], but a form that is refused is sent on as it is, to the page that shows it again.
///
/// # Errors
/// The given one.
pub fn finish_typed<T, E: Into<UiError>>(
    outcome: Result<T, E>,
    page: impl FnOnce(&Result<T, UiError>) -> String,
) -> Result<T, UiError> {
    let outcome = finish_form(outcome, page);
    if let Err(error) = &outcome {
        show_again(error);
    }
    outcome
}

/// Sends a refused form on to its page, unless there is no such page for who sent it.
fn show_again(error: &UiError) {
    if !matches!(error, UiError::SignedOut | UiError::Forbidden) {
        send_on();
    }
}

/// Has the browser post the same fields to where the answer leads (RFC 9110, 15.4.8), if a plain form was sent.
fn send_on() {
    if let (true, Some(response)) = (is_plain_form(), use_context::<ResponseOptions>()) {
        response.set_status(StatusCode::TEMPORARY_REDIRECT);
    }
}

/// As [`finish_form`], for a decision: a plain form that takes a second look is sent on as it is, to the page that asks,
/// and one with a value that does not fit back to the card.
///
/// # Errors
/// The given one.
pub fn finish_decision(
    id: &str,
    list: &InboxFilter,
    outcome: Result<Outcome, UiError>,
) -> Result<Outcome, UiError> {
    let outcome = finish_form(outcome, |outcome| after_decision(id, list, outcome));
    if let Err(UiError::Unsure | UiError::BadEdit { .. } | UiError::BadField(_)) = outcome {
        send_on();
    }
    outcome
}

/// As [`finish_typed`], but a success leads the hydrated page there too.
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
    if let Err(error) = &outcome {
        show_again(error);
    }
    outcome
}

/// Does what a form asks for, for who is signed in. A plain form is led to its page, which shows the outcome.
///
/// # Errors
/// If nobody is signed in, or what the service says.
pub async fn form<T, E, F>(
    path: &str,
    done: &str,
    act: impl FnOnce(Services, Member) -> F,
) -> Result<T, UiError>
where
    E: Into<UiError>,
    F: Future<Output = Result<T, E>>,
{
    form_to(|result| after(path, done, result), act).await
}

/// As [`form`], for a form whose outcome is shown by a page that depends on it.
///
/// # Errors
/// If nobody is signed in, or what the service says.
pub async fn form_to<T, E, F>(
    page: impl FnOnce(&Result<T, UiError>) -> String,
    act: impl FnOnce(Services, Member) -> F,
) -> Result<T, UiError>
where
    E: Into<UiError>,
    F: Future<Output = Result<T, E>>,
{
    finish_form(acted(act).await, page)
}

/// As [`form`], for a form that people type into: if it is refused, its page shows it again with what was typed.
///
/// # Errors
/// If nobody is signed in, or what the service says.
pub async fn typed_form<T, E, F>(
    page: impl FnOnce(&Result<T, UiError>) -> String,
    act: impl FnOnce(Services, Member) -> F,
) -> Result<T, UiError>
where
    E: Into<UiError>,
    F: Future<Output = Result<T, E>>,
{
    finish_typed(acted(act).await, page)
}

async fn acted<T, E, F>(act: impl FnOnce(Services, Member) -> F) -> Result<T, UiError>
where
    E: Into<UiError>,
    F: Future<Output = Result<T, E>>,
{
    let member = reviewer().await?;
    act(services()?, member).await.map_err(Into::into)
}

fn status(error: &UiError) -> StatusCode {
    match error {
        UiError::SignedOut | UiError::WrongCredentials => StatusCode::UNAUTHORIZED,
        UiError::Forbidden
        | UiError::SelfApproval
        | UiError::SetupClosed
        | UiError::OwnAccount
        | UiError::WrongPassword => StatusCode::FORBIDDEN,
        UiError::InviteClosed => StatusCode::GONE,
        UiError::NotFound => StatusCode::NOT_FOUND,
        UiError::AlreadyDecided
        | UiError::Expired
        | UiError::Stale
        | UiError::Unsure
        | UiError::LastAdmin => StatusCode::CONFLICT,
        UiError::NotEditable | UiError::BadEdit { .. } | UiError::BadField(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        UiError::Throttled { .. } => StatusCode::TOO_MANY_REQUESTS,
        UiError::BadRequest => StatusCode::BAD_REQUEST,
        UiError::Unavailable | UiError::Offline => StatusCode::SERVICE_UNAVAILABLE,
        UiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
