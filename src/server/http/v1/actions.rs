//! Propose, read and wait, decide, report.

use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::domain::action::Intent;
use crate::domain::content::ContentDigest;
use crate::domain::decision::{Channel, Verdict};
use crate::domain::ids::ActionId;
use crate::domain::proposal::RawProposal;
use crate::domain::scope::Scope;
use crate::domain::text::{Comment, FieldError};
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{Proposed, Report, Viewed};
use crate::server::view::api;
use crate::wire::v1;

/// Longest wait of one request, in seconds.
const WAIT_MAX: u64 = 60;

/// `POST /v1/actions`: 201 for a new action, 200 for one that is there already.
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

/// The query of [`read`].
#[derive(Deserialize)]
pub(super) struct ReadQuery {
    wait: Option<String>,
}

/// `GET /v1/actions/{id}`, with `?wait=S` when it leaves `pending` or after S seconds.
pub(super) async fn read(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<ReadQuery>, QueryRejection>,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions, Scope::Decide])?;
    let id = action_id(id)?;
    let query = query.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.body_text()))?;
    let viewed = match query.wait.as_deref().map(read_wait).transpose()? {
        None | Some(Duration::ZERO) => state.services.action(caller.project, id).await?,
        Some(wait) => state.services.action_when_decided(caller.project, id, wait, &state.stop).await?,
    };
    Ok(Json(show(&state, viewed)))
}

/// `POST /v1/actions/{id}/decision`.
pub(super) async fn decide(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    JsonBody(sent): JsonBody<v1::Decide>,
) -> Result<Json<v1::Decided>, Problem> {
    caller.require(&[Scope::Decide])?;
    let id = action_id(id)?;
    let intent = read_intent(sent)?;
    let action = state.services.decide(caller.project, caller.decider(), id, intent).await?;
    let Some(decision) = action.decision() else {
        return Err(ServiceError::Internal("a decided action has no decision".into()).into());
    };
    Ok(Json(v1::Decided {
        id: id.to_string(),
        action_id: id.to_string(),
        status: action.status(state.services.clock().now()).as_str(),
        decision: api::decision(&action, decision),
    }))
}

fn read_intent(sent: v1::Decide) -> Result<Intent, Problem> {
    let mut errors = Vec::new();
    let verdict = match (sent.decision.as_deref(), sent.verdict.as_deref()) {
        (Some(a), Some(b)) if a != b => {
            errors.push(FieldError::invalid("verdict", "differs from decision. Send one of them."));
            None
        }
        (Some(text), _) | (None, Some(text)) => {
            let verdict = Verdict::from_text(text);
            if verdict.is_none() {
                let message = format!("must be approve or reject; {text:?} was sent.");
                errors.push(FieldError::invalid("decision", message));
            }
            verdict
        }
        (None, None) => {
            errors.push(FieldError::required("decision", "is required: approve or reject."));
            None
        }
    };
    let comment = sent.comment.filter(|text| !text.is_empty()).map(Comment::parse).transpose();
    let comment = comment.map_err(|error| errors.push(error)).ok();
    let channel = Channel::claimed(sent.channel.as_deref().unwrap_or_default());
    let channel = channel.map_err(|error| errors.push(error)).ok();
    let seen = sent.content_sha256.as_deref().map(str::parse::<ContentDigest>).transpose();
    let seen = seen
        .map_err(|()| errors.push(FieldError::invalid("content_sha256", "must be 64 hexadecimal digits.")))
        .ok();
    match (verdict, comment, channel, seen) {
        (Some(verdict), Some(comment), Some(channel), Some(seen)) if errors.is_empty() => {
            Ok(Intent { verdict, seen, edits: sent.edited.unwrap_or_default(), comment, channel })
        }
        _ => Err(Problem::invalid(&errors)),
    }
}

/// `POST /v1/actions/{id}/result`.
pub(super) async fn report(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    JsonBody(sent): JsonBody<v1::Report>,
) -> Result<Json<v1::Reported>, Problem> {
    caller.require(&[Scope::Actions])?;
    let id = action_id(id)?;
    let report = Report { status: sent.status, detail: sent.detail, payload: sent.payload };
    let action = state.services.report(&caller, id, report).await?;
    Ok(Json(v1::Reported {
        id: id.to_string(),
        action_id: id.to_string(),
        status: action.status(state.services.clock().now()).as_str(),
        updated_at: action.updated_at.unix_timestamp(),
    }))
}

/// `POST /v1/actions/{id}/claim`: 200 for exactly one caller.
pub(super) async fn claim(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions])?;
    let action = state.services.claim(&caller, action_id(id)?).await?;
    Ok(Json(show(&state, Viewed { action, delivery: None })))
}

/// `POST /v1/actions/{id}/cancel`, by the key that proposed it.
pub(super) async fn cancel(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    // Read although nothing in it counts: an answer to a request whose body is left unread may be cut off.
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions])?;
    let action = state.services.cancel(&caller, action_id(id)?).await?;
    Ok(Json(show(&state, Viewed { action, delivery: None })))
}

fn show(state: &HttpState, viewed: Viewed) -> v1::Action {
    api::action(viewed, state.services.public_url(), state.services.clock().now())
}

/// What is no id, or no text, names nothing, as an unknown id does.
fn action_id(text: Result<Path<String>, PathRejection>) -> Result<ActionId, Problem> {
    text.ok().and_then(|Path(text)| text.parse().ok()).ok_or_else(|| ServiceError::NotFound.into())
}

fn read_wait(text: &str) -> Result<Duration, Problem> {
    let secs = text.parse::<u64>().ok().filter(|secs| *secs <= WAIT_MAX);
    secs.map(Duration::from_secs).ok_or_else(|| {
        let message = format!("must be whole seconds from 0 to {WAIT_MAX}; {text:?} was sent.");
        Problem::invalid(&[FieldError::invalid("wait", message)])
    })
}
