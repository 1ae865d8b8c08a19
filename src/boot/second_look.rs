//! The page that asks once more, as the answer to a plain form.
//!
//! Pages are answers to GET otherwise; this one holds what was typed, which has no place in an address. It is a page of the
//! application all the same, rendered with what was sent in its context.

use axum::extract::Request;
use axum::response::{IntoResponse as _, Redirect, Response};
use leptos::prelude::provide_context;
use leptos::server_fn::codec::{FromReq, PostUrl};
use tower_sessions::Session;

use super::typed;
use crate::rpc::actions::DecideAction;
use crate::server::door;
use crate::server::service::Services;
use crate::wire::card::{DecideForm, SecondLook, Sure};
use crate::wire::error::UiError;

/// Answers `POST /inbox/{id}/sure` with the page, or leads to the card with the reason why there is nothing to ask.
pub async fn answer(
    services: Services,
    context: impl Fn() + Clone + Send + Sync + 'static,
    session: Session,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let sent = Request::from_parts(parts.clone(), body);
    let sent: Result<DecideAction, UiError> =
        <DecideAction as FromReq<PostUrl, _, UiError>>::from_req(sent).await;
    let Ok(DecideAction { id, seen, verdict, comment, edits, sure: Sure(sure), filter }) = sent else {
        return Redirect::to("/inbox").into_response();
    };
    // Only a yes is asked about, and about the card of the address.
    if verdict != "approve" || !parts.uri.path().contains(&format!("/{id}/")) {
        return Redirect::to("/inbox").into_response();
    }
    let form = DecideForm { id: id.clone(), seen, verdict, comment, edits, sure };
    let look = match look(&services, &session, form).await {
        Ok(look) => look,
        Err(error) => {
            return Redirect::to(&door::after_decision(&id, &filter, &Err(error))).into_response();
        }
    };
    let context = move || {
        context();
        provide_context(look.clone());
    };
    typed::as_page(parts, context).await
}

async fn look(services: &Services, session: &Session, form: DecideForm) -> Result<SecondLook, UiError> {
    let member = door::member_of(services, session).await?.ok_or(UiError::SignedOut)?;
    services.second_look(&member, form).await
}
