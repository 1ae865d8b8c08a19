//! A program decides for people: one action, or many.

use axum::Json;
use axum::extract::State;

use super::super::describe::{Conflict, NotFound, Refused};
use super::InPath;
use crate::domain::action::{Intent, Status};
use crate::domain::content::ContentDigest;
use crate::domain::decision::{Channel, Verdict};
use crate::domain::scope::Scope;
use crate::domain::text::{Comment, FieldError};
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::Caller;
use crate::server::view::api;
use crate::wire::v1;

/// Most actions of one bulk decision.
const MANY_MAX: usize = 50;

/// Decide an action
///
/// `content_sha256` of the action that was read makes sure that what was judged is what is decided.
#[utoipa::path(
    post, path = "/v1/actions/{id}/decision", operation_id = "decide", tag = "decisions",
    security(("key" = ["decide"])), params(("id" = String, Path, description = "`act_…`")),
    request_body = v1::Decide,
    responses(
        (status = 200, body = v1::Decided, description = "Decided by this call."),
        (status = 422, body = v1::Refusal, description = "An edited path is not one that the action lists."),
        Refused, NotFound, Conflict,
    ),
)]
pub(super) async fn decide(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    JsonBody(sent): JsonBody<v1::Decide>,
) -> Result<Json<v1::Decided>, Problem> {
    caller.require(&[Scope::Decide])?;
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
        receipt: api::receipt(decision),
    }))
}

/// Decide many actions
///
/// As they were proposed, one after the other; what can't be decided is said for each and stops none of the others.
#[utoipa::path(
    post, path = "/v1/actions/bulk-decision", operation_id = "decide_many", tag = "decisions",
    security(("key" = ["decide"])), request_body = v1::DecideMany,
    responses((status = 200, body = v1::DecidedMany, description = "What came of each."), Refused),
)]
pub(super) async fn decide_many(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::DecideMany>,
) -> Result<Json<v1::DecidedMany>, Problem> {
    caller.require(&[Scope::Decide])?;
    let mut ids: Vec<String> = Vec::new();
    for id in sent.ids.unwrap_or_default() {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() || ids.len() > MANY_MAX {
        let message = format!("must be a list of 1 to {MANY_MAX} ids; {} were sent.", ids.len());
        return Err(Problem::invalid(&[FieldError::invalid("ids", message)]));
    }
    let words = v1::Decide {
        decision: sent.decision,
        verdict: sent.verdict,
        comment: sent.comment,
        channel: sent.channel,
        ..v1::Decide::default()
    };
    let intent = read_intent(words)?;
    let mut results = Vec::with_capacity(ids.len());
    for id in ids {
        results.push(decide_one(&state, &caller, id, intent.clone()).await);
    }
    let succeeded = results.iter().filter(|result| result.ok).count();
    Ok(Json(v1::DecidedMany { failed: results.len() - succeeded, succeeded, results }))
}

async fn decide_one(state: &HttpState, caller: &Caller, id: String, intent: Intent) -> v1::DecidedOne {
    let decided = match id.parse() {
        Ok(action) => state.services.decide(caller.project, caller.decider(), action, intent).await,
        Err(_) => Err(ServiceError::NotFound),
    };
    let now = state.services.clock().now();
    let one =
        v1::DecidedOne { id, ok: false, status: None, error: None, message: None, current_status: None };
    match decided {
        Ok(action) => v1::DecidedOne { ok: true, status: Some(action.status(now).as_str()), ..one },
        Err(error) => {
            let (code, current) = match &error {
                ServiceError::NotFound => ("not_found", None),
                ServiceError::NotPending { status, .. } => ("already_decided", Some(*status)),
                ServiceError::SelfApproval => ("self_approval", None),
                _ => ("internal", None),
            };
            v1::DecidedOne {
                error: Some(code),
                message: Some(Problem::from(error).message().to_owned()),
                current_status: current.map(Status::as_str),
                ..one
            }
        }
    }
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
