//! The pages' door: from a server function's request to a service, and back to what a page or a plain form expects.
//!
//! Owns the session cookie's content ([`visit`]) and where forms lead ([`form`], [`redirects`]). It has no rules: who may
//! do what is the services'.

mod form;
mod redirects;
mod secrets;
mod visit;

use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

pub use self::form::{Form, finish_decision};
pub use self::redirects::{
    after, after_agent_key, after_decision, after_link, after_many, after_new_channel, after_sign_in,
    after_test_action,
};
pub use self::secrets::{
    Shown, connect, fresh_key, keep_shown, keep_test, make_agent_key, shown_chat_code, shown_invite,
    shown_key, shown_test,
};
pub use self::visit::{
    ClientAddress, account_page, change_password, current_door, device_name, end_other_sessions, end_session,
    join, member_of, reviewer, set_up, sign_in, sign_out,
};
pub use crate::server::service::{ChannelForm, KeyForm, SentSubscription, Services};
use crate::wire::error::UiError;
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
        | UiError::OtherAction
        | UiError::LastAdmin => StatusCode::CONFLICT,
        UiError::NotEditable | UiError::BadEdit { .. } | UiError::BadField(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        UiError::TooMuch => StatusCode::PAYLOAD_TOO_LARGE,
        UiError::Throttled { .. } => StatusCode::TOO_MANY_REQUESTS,
        UiError::BadRequest => StatusCode::BAD_REQUEST,
        UiError::SecretLost | UiError::Unavailable | UiError::Offline => StatusCode::SERVICE_UNAVAILABLE,
        UiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
