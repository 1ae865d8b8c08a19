//! What the agent's side does after a decision, or instead of waiting for it: claim, report, withdraw, send again.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::de::IgnoredAny;

use super::super::describe::{Conflict, NotFound, Refused};
use super::{InPath, show};
use crate::domain::decision::Channel;
use crate::domain::scope::Scope;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{Report, Viewed};
use crate::wire::v1;

/// Report what came of it
///
/// The same report again is a success; another one is a 409.
#[utoipa::path(
    post, path = "/v1/actions/{id}/result", operation_id = "report", tag = "running",
    security(("key" = ["actions"])), params(("id" = String, Path, description = "`act_…`")),
    request_body = v1::Report,
    responses((status = 200, body = v1::Reported, description = "Stored."), Refused, NotFound, Conflict),
)]
pub(super) async fn report(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    JsonBody(sent): JsonBody<v1::Report>,
) -> Result<Json<v1::Reported>, Problem> {
    caller.require(&[Scope::Actions])?;
    let report = Report { status: sent.status, detail: sent.detail, payload: sent.payload };
    let action = state.services.report(&caller, id, report).await?;
    Ok(Json(v1::Reported {
        id: id.to_string(),
        action_id: id.to_string(),
        status: action.status(state.services.clock().now()).as_str(),
        updated_at: action.updated_at.unix_timestamp(),
    }))
}

/// Claim an approved action
///
/// Takes the one permission to run it: exactly one caller gets it.
#[utoipa::path(
    post, path = "/v1/actions/{id}/claim", operation_id = "claim", tag = "running",
    security(("key" = ["actions"])), params(("id" = String, Path, description = "`act_…`")),
    responses(
        (status = 200, body = v1::Action, description = "Yours to run, as it was approved."),
        (status = 410, body = v1::Refusal, description = "The approval is older than `valid_for` allows."),
        Refused, NotFound, Conflict,
    ),
)]
pub(super) async fn claim(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions])?;
    let action = state.services.claim(&caller, id).await?;
    Ok(Json(show(&state, Viewed { action, delivery: None })))
}

/// Withdraw a pending action
///
/// By the key that proposed it. Withdrawing it again is a success.
#[utoipa::path(
    post, path = "/v1/actions/{id}/cancel", operation_id = "cancel", tag = "actions",
    security(("key" = ["actions"])), params(("id" = String, Path, description = "`act_…`")),
    responses((status = 200, body = v1::Action, description = "Withdrawn."), Refused, NotFound, Conflict),
)]
pub(super) async fn cancel(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    // Read although nothing in it counts: an answer to a request whose body is left unread may be cut off.
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions])?;
    let action = state.services.cancel(&caller, id).await?;
    Ok(Json(show(&state, Viewed { action, delivery: None })))
}

/// Send the callback again
///
/// The latest event about the action, with the same `event_id`, if it was delivered, refused or given up.
#[utoipa::path(
    post, path = "/v1/actions/{id}/replay-callback", operation_id = "replay_callback", tag = "actions",
    security(("key" = ["actions"])), params(("id" = String, Path, description = "`act_…`")),
    responses(
        (status = 202, body = v1::Action, description = "It is on its way; `webhook_delivery` says how far."),
        Refused, NotFound, Conflict,
    ),
)]
pub(super) async fn replay(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    _: JsonBody<IgnoredAny>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Actions])?;
    // An unknown id is told apart from one without anything to send.
    let before = state.services.action(caller.project, id).await?;
    if !state.services.replay_message(caller.project, id, caller.actor(), Channel::api()).await? {
        return Err(Problem::new(StatusCode::CONFLICT, nothing_to_replay(&before)));
    }
    let viewed = state.services.action(caller.project, id).await?;
    Ok((StatusCode::ACCEPTED, Json(show(&state, viewed))).into_response())
}

/// Why there is no callback to send again.
fn nothing_to_replay(viewed: &Viewed) -> &'static str {
    match (&viewed.action.callback_url, &viewed.delivery) {
        (None, _) => "There is no callback to send again: the proposal named no callback_url.",
        (Some(_), None) => "There is no callback to send again: nothing was decided yet.",
        (Some(_), Some(_)) => {
            "The callback is still on its way and is tried again by itself: see webhook_delivery on the action."
        }
    }
}
