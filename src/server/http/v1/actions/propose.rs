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
use crate::server::http::body::JsonBodyAndRest;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{Proposed, Viewed};
use crate::wire::v1;

/// Propose an action
///
/// Stores it and answers at once; a person decides later. Members that are not listed are ignored, but not those whose
/// name is nearly one that is: a misspelt `idempotent` would lose its warning without a word. A repeated idempotency key answers with the first action, and
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
    JsonBodyAndRest(sent, unread): JsonBodyAndRest<v1::CreateAction>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Actions])?;
    refuse_misspelt(&unread)?;
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

/// The members that are missed by nobody when they are misspelt: what is required is.
const MEMBERS: [&str; 9] = [
    "target_url",
    "callback_url",
    "expires_in",
    "valid_for",
    "idempotency_key",
    "editable",
    "idempotent",
    "undo",
    "payload",
];
/// So many letters may be wrong in a name of this length or longer, and one in a shorter one.
const LONG: (usize, usize) = (2, 8);
/// A member of answers: whoever sends back what they got means nothing by it.
const ANSWERED: &str = "expires_at";

/// Refuses what was meant to be a member that counts.
fn refuse_misspelt(unread: &[String]) -> Result<(), Problem> {
    let errors: Vec<FieldError> = unread
        .iter()
        .filter_map(|path| {
            let name = path.rsplit('.').next().unwrap_or(path);
            let meant = meant_by(name)?;
            let text =
                format!("is no member of a proposal. Did you mean {meant}? Name it so, or leave it out.");
            Some(FieldError::invalid(path.clone(), text))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(&errors)) }
}

/// The member that a name was meant to be: the same letters in another style, or nearly the same.
fn meant_by(name: &str) -> Option<&'static str> {
    let letters =
        |name: &str| name.chars().filter(|ch| ch.is_alphanumeric()).collect::<String>().to_lowercase();
    let sent = letters(name);
    if name == ANSWERED {
        return None;
    }
    // "valid_until" and the like: an approval that was to end would never.
    if sent.starts_with("valid") {
        return Some("valid_for");
    }
    MEMBERS.into_iter().find(|member| {
        let member = letters(member);
        // "non_idempotent", "expires_in_seconds", "editable_paths".
        if member.len() >= LONG.1 && sent.contains(&member) {
            return true;
        }
        let (many, long) = LONG;
        let most = if member.len() >= long { many } else { 1 };
        strsim::osa_distance(&sent, &member) <= most
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_member_is_told_from_a_foreign_one() {
        for (sent, meant) in [
            ("idempotant", "idempotent"),
            ("is_idempotent", "idempotent"),
            ("validFor", "valid_for"),
            ("valid-for", "valid_for"),
            ("Editable", "editable"),
            ("editables", "editable"),
            ("undoo", "undo"),
            ("udno", "undo"),
            ("expire_in", "expires_in"),
            ("non_idempotent", "idempotent"),
            ("notIdempotent", "idempotent"),
            ("valid_for_seconds", "valid_for"),
            ("valid_until", "valid_for"),
            ("expires_in_seconds", "expires_in"),
            ("editable_paths", "editable"),
            ("callbackUrl", "callback_url"),
        ] {
            assert_eq!(meant_by(sent), Some(meant), "{sent}");
        }
        for sent in [
            "id",
            "metadata",
            "agent",
            "tags",
            "status",
            "description",
            "type",
            "user",
            "note",
            "url",
            "source",
        ] {
            assert_eq!(meant_by(sent), None, "{sent}");
        }
    }
}
