//! An agent proposes.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::super::describe::{Conflict, Refused};
use super::show;
use crate::domain::decision::Channel;
use crate::domain::proposal::RawProposal;
use crate::domain::scope::Scope;
use crate::domain::text::FieldError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{Proposed, Viewed};
use crate::wire::v1;

/// Propose an action
///
/// Stores it and answers at once; a person decides later. A repeated idempotency key answers with the first action, and
/// without one an identical proposal of the same key that still waits is answered with that action and `duplicate_of`.
#[utoipa::path(
    post, path = "/v1/actions", operation_id = "propose", tag = "actions", security(("key" = ["actions"])),
    params(("Idempotency-Key" = Option<String>, Header, description = "The same as `idempotency_key` in the body.",
        max_length = 255)),
    request_body = v1::CreateAction,
    responses(
        (status = 201, body = v1::Action, description = "A new action, pending."),
        (status = 200, body = v1::Action, description = "One that is there already."),
        Refused, Conflict,
    ),
)]
pub(super) async fn create(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    headers: HeaderMap,
    JsonBody(sent): JsonBody<v1::CreateAction>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Actions])?;
    let raw = raw_proposal(sent, &headers)?;
    let proposed = state.services.propose(&caller, raw, Channel::api()).await?;
    let (status, action, is_duplicate) = match proposed {
        Proposed::New(action) => (StatusCode::CREATED, action, false),
        Proposed::Replayed(action) => (StatusCode::OK, action, false),
        Proposed::Duplicate(action) => (StatusCode::OK, action, true),
    };
    let delivery = None;
    let mut shown = show(&state, Viewed { action: *action, delivery });
    shown.duplicate_of = is_duplicate.then(|| shown.id.clone());
    Ok((status, Json(shown)).into_response())
}

fn raw_proposal(sent: v1::CreateAction, headers: &HeaderMap) -> Result<RawProposal, Problem> {
    let header = headers.get("idempotency-key").map(|value| value.to_str().map(str::to_owned));
    let header = header.transpose().map_err(|_| {
        Problem::invalid(&[FieldError::invalid("Idempotency-Key", "must be visible ASCII characters.")])
    })?;
    let key = match (sent.idempotency_key, header) {
        (Some(body), Some(header)) if body != header => {
            let text = "differs from the Idempotency-Key header. Send one of them.";
            return Err(Problem::invalid(&[FieldError::invalid("idempotency_key", text)]));
        }
        (body, header) => body.or(header),
    };
    let preview = sent.preview.unwrap_or_default();
    Ok(RawProposal {
        kind: sent.kind,
        title: sent.title,
        format: preview.format,
        body: preview.body,
        payload: sent.payload,
        target_url: sent.target_url,
        callback_url: sent.callback_url,
        expires_in: sent.expires_in,
        valid_for: sent.valid_for,
        idempotency_key: key,
        editable: sent.editable.unwrap_or_default(),
        idempotent: sent.idempotent,
        undo: sent.undo,
    })
}
