//! API keys: making, listing and revoking them.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::de::IgnoredAny;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::{Conflict, NotFound, Refused};
use crate::domain::decision::Channel;
use crate::domain::scope::Scope;
use crate::domain::text::FieldError;
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::NewKey;
use crate::server::view;
use crate::wire::v1;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(create, list)).routes(routes!(revoke))
}

/// Make a key
///
/// The answer is the only one that holds the key itself.
#[utoipa::path(
    post, path = "/v1/keys", operation_id = "create_key", tag = "keys",
    security(("key" = ["admin"])),
    request_body = v1::CreateKey,
    responses((status = 201, body = v1::CreatedKey, description = "The new key."), Refused),
)]
async fn create(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::CreateKey>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Admin])?;
    let new = read(sent)?;
    let made = state.services.create_key(caller.project, new, caller.actor(), Channel::api()).await?;
    Ok((StatusCode::CREATED, Json(view::keys::created(made))).into_response())
}

fn read(sent: v1::CreateKey) -> Result<NewKey, Problem> {
    let mut errors = Vec::new();
    if sent.name.is_none() {
        errors.push(FieldError::required("name", "is required: what the key is for."));
    }
    let mut scopes = Vec::new();
    for (index, text) in sent.scopes.unwrap_or_default().iter().enumerate() {
        if let Some(scope) = Scope::from_text(text) {
            scopes.push(scope);
        } else {
            let known: Vec<&str> = Scope::ALL.into_iter().map(Scope::as_str).collect();
            let text = format!("must be of {}; {text:?} was sent.", known.join(", "));
            errors.push(FieldError::invalid(format!("scopes.{index}"), text));
        }
    }
    let lasts = sent.expires_in.map(|secs| u64::try_from(secs).ok().filter(|secs| *secs > 0));
    if let Some(None) = lasts {
        errors.push(FieldError::invalid("expires_in", "must be whole seconds, 1 or more."));
    }
    match errors.is_empty() {
        true => Ok(NewKey {
            name: sent.name.unwrap_or_default(),
            scopes,
            lasts: lasts.flatten().map(std::time::Duration::from_secs),
        }),
        false => Err(Problem::invalid(&errors)),
    }
}

/// List keys
///
/// Every key of the project, revoked ones included, the oldest first; never the keys themselves.
#[utoipa::path(
    get, path = "/v1/keys", operation_id = "list_keys", tag = "keys",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::KeyList, description = "The keys."), Refused),
)]
async fn list(State(state): State<HttpState>, Bearer(caller): Bearer) -> Result<Json<v1::KeyList>, Problem> {
    caller.require(&[Scope::Admin])?;
    let keys = state.services.list_keys(caller.project).await?;
    Ok(Json(v1::KeyList { items: keys.into_iter().map(view::keys::key).collect() }))
}

/// Revoke a key
///
/// No server accepts it from the end of this call on. A key may revoke itself, but not the last way in for an
/// administrator.
#[utoipa::path(
    delete, path = "/v1/keys/{id}", operation_id = "revoke_key", tag = "keys",
    security(("key" = ["admin"])),
    params(("id" = String, Path, description = "`key_…`")),
    responses((status = 204, description = "It is revoked."), Refused, NotFound, Conflict),
)]
async fn revoke(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Result<Path<String>, PathRejection>,
    _: JsonBody<IgnoredAny>,
) -> Result<StatusCode, Problem> {
    caller.require(&[Scope::Admin])?;
    // What is no id, or no text, names nothing, as an unknown id does.
    let id = id.ok().and_then(|Path(text)| text.parse().ok()).ok_or(ServiceError::NotFound)?;
    state.services.revoke_key(caller.project, id, caller.actor(), Channel::api()).await?;
    Ok(StatusCode::NO_CONTENT)
}
