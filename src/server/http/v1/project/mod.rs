//! The project: its settings, the secret of its callbacks, its export and its erasure.

mod export;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::de::IgnoredAny;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::Refused;
use crate::domain::decision::Channel;
use crate::domain::scope::Scope;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::ProjectChange;
use crate::server::view;
use crate::wire::v1;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(read, change))
        .routes(routes!(rotate))
        .routes(routes!(export))
        .routes(routes!(erase))
}

/// Read the project
#[utoipa::path(
    get, path = "/v1/project", operation_id = "read_project", tag = "project",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::Project, description = "Its settings."), Refused),
)]
async fn read(State(state): State<HttpState>, Bearer(caller): Bearer) -> Result<Json<v1::Project>, Problem> {
    caller.require(&[Scope::Admin])?;
    let project = state.services.project(caller.project).await?;
    let webhook_secret = Some(state.services.webhook_secret(caller.project).await?);
    Ok(Json(v1::Project { webhook_secret, ..view::project::project(&project) }))
}

/// Change the project
///
/// What is absent stays. The history notes what was changed from what to what.
#[utoipa::path(
    patch, path = "/v1/project", operation_id = "change_project", tag = "project",
    security(("key" = ["admin"])),
    request_body = Option<v1::ChangeProject>,
    responses((status = 200, body = v1::Project, description = "The settings now."), Refused),
)]
async fn change(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::ChangeProject>,
) -> Result<Json<v1::Project>, Problem> {
    caller.require(&[Scope::Admin])?;
    let change = ProjectChange {
        name: sent.name,
        timezone: sent.timezone,
        allow_self_approval: sent.allow_self_approval,
    };
    let changed =
        state.services.change_project(caller.project, change, caller.actor(), Channel::api()).await?;
    Ok(Json(view::project::project(&changed)))
}

/// Rotate the secret of callbacks
///
/// Every callback that is sent from now on is signed with the new one, those that wait included.
#[utoipa::path(
    post, path = "/v1/project/rotate-webhook-secret", operation_id = "rotate_webhook_secret", tag = "project",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::RotatedSecret, description = "The new secret."), Refused),
)]
async fn rotate(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::RotatedSecret>, Problem> {
    caller.require(&[Scope::Admin])?;
    let project = caller.project;
    let webhook_secret =
        state.services.rotate_webhook_secret(project, caller.actor(), Channel::api()).await?;
    let note = "Give it to every receiver now: the old secret signs nothing any more.";
    Ok(Json(v1::RotatedSecret { webhook_secret, note }))
}

/// Export everything
///
/// All that is stored of the project but secrets, as one JSON object that is written while it is read.
#[utoipa::path(
    get, path = "/v1/project/export", operation_id = "export_project", tag = "project",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::ProjectExport, description = "Everything."), Refused),
)]
async fn export(State(state): State<HttpState>, Bearer(caller): Bearer) -> Result<Response, Problem> {
    caller.require(&[Scope::Admin])?;
    let begun = state.services.begin_export(&caller, Channel::api()).await?;
    let file = format!("attachment; filename=\"export-{}-{}.json\"", caller.project, begun.at.date());
    let headers =
        [(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_DISPOSITION, file)];
    Ok((headers, export::body(state.services, begun)).into_response())
}

/// Erase what was written
///
/// Titles, previews, payloads, addresses, comments, edits, results and idempotency keys go; ids, digests, verdicts,
/// who decided and when stay. What waits, and what is approved and not claimed, is cancelled first. Calling it again
/// erases what came since.
#[utoipa::path(
    delete, path = "/v1/project/data", operation_id = "erase_project_data", tag = "project",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::ErasedData, description = "It is erased."), Refused),
)]
async fn erase(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::ErasedData>, Problem> {
    caller.require(&[Scope::Admin])?;
    let erased = state.services.erase_data(caller.project, caller.actor(), Channel::api()).await?;
    Ok(Json(v1::ErasedData { erased: true, actions: erased.actions, watchers: 0 }))
}
