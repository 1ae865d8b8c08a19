//! How a form goes on after it was sent: where it leads, and whether it comes back with what was typed.
//!
//! Forms without a script are led to a page that shows the outcome; a page that is alive gets it as data.

use axum::http::StatusCode;
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

use super::{Services, after_decision, finish, is_plain_form, reviewer, services};
use crate::server::db::people::Member;
use crate::wire::card::Outcome;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;

/// What people do with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// They press its button: the page that it leads to says what came of it.
    Pressed,
    /// They type into it: if it is refused, its page shows it again with what was typed.
    Typed,
    /// The same, and they are somebody else afterwards: a success leads a page that is alive there, too.
    Entered,
}

impl Form {
    /// Answers with the outcome.
    ///
    /// # Errors
    /// The given one.
    pub fn finish<T, E: Into<UiError>>(
        self,
        outcome: Result<T, E>,
        page: impl FnOnce(&Result<T, UiError>) -> String,
    ) -> Result<T, UiError> {
        let outcome = finish(outcome);
        if is_plain_form() || (self == Self::Entered && outcome.is_ok()) {
            leptos_axum::redirect(&page(&outcome));
        }
        match &outcome {
            // For who sent it there is no page to show it on.
            Ok(_) | Err(UiError::SignedOut | UiError::Forbidden) => {}
            Err(_) if self == Self::Pressed => {}
            Err(_) => send_on(),
        }
        outcome
    }

    /// Does what the form asks for, for who is signed in, and answers with the outcome.
    ///
    /// # Errors
    /// If nobody is signed in, or what the service says.
    pub async fn run<T, E, F>(
        self,
        page: impl FnOnce(&Result<T, UiError>) -> String,
        act: impl FnOnce(Services, Member) -> F,
    ) -> Result<T, UiError>
    where
        E: Into<UiError>,
        F: Future<Output = Result<T, E>>,
    {
        let acted = async { act(services()?, reviewer().await?).await.map_err(Into::into) };
        self.finish::<_, UiError>(acted.await, page)
    }
}

/// Answers with a decision: a plain form that takes a second look is sent on as it is, to the page that asks, and one with
/// a value that does not fit back to the card.
///
/// # Errors
/// The given one.
pub fn finish_decision(
    id: &str,
    list: &InboxFilter,
    outcome: Result<Outcome, UiError>,
) -> Result<Outcome, UiError> {
    let outcome = Form::Pressed.finish(outcome, |outcome| after_decision(id, list, outcome));
    if let Err(UiError::Unsure | UiError::BadEdit { .. } | UiError::BadField(_)) = outcome {
        send_on();
    }
    outcome
}

/// Has the browser post the same fields to where the answer leads (RFC 9110, 15.4.8), if a plain form was sent.
fn send_on() {
    if let (true, Some(response)) = (is_plain_form(), use_context::<ResponseOptions>()) {
        response.set_status(StatusCode::TEMPORARY_REDIRECT);
    }
}
