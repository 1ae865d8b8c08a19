//! Notification channels: making, changing, trying and deleting them.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::de::IgnoredAny;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::{NotFound, Refused};
use crate::domain::channel::Filters;
use crate::domain::decision::Channel;
use crate::domain::ids::ChannelId;
use crate::domain::scope::Scope;
use crate::domain::text::FieldError;
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{ChannelChange, NewChannel};
use crate::server::view;
use crate::wire::v1;

/// A channel's id in a path.
type Id = Result<Path<String>, PathRejection>;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(create, list))
        .routes(routes!(read, update, remove))
        .routes(routes!(test))
}

/// What is no id, or no text, names nothing, as an unknown id does.
fn channel_id(id: Id) -> Result<ChannelId, ServiceError> {
    id.ok().and_then(|Path(text)| text.parse().ok()).ok_or(ServiceError::NotFound)
}

/// Make a notification channel
///
/// Secret settings are sealed at rest, and no answer holds more of them than their last four characters.
#[utoipa::path(
    post, path = "/v1/notification-channels", operation_id = "create_channel", tag = "channels",
    security(("key" = ["admin"])),
    request_body = v1::CreateChannel,
    responses((status = 201, body = v1::NotificationChannel, description = "The new channel."), Refused),
)]
async fn create(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::CreateChannel>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Admin])?;
    let new = NewChannel {
        name: sent.name.unwrap_or_default(),
        kind: sent.kind.unwrap_or_default(),
        config: sent.config.unwrap_or_default(),
        enabled: sent.enabled,
        window_secs: sent.digest_window_sec,
        filters: Filters { kinds: sent.kinds.unwrap_or_default(), agents: sent.agents.unwrap_or_default() },
        fallback: sent.fallback_id.unwrap_or_default(),
    };
    let made = state.services.create_channel(caller.project, new, caller.actor(), Channel::api()).await?;
    Ok((StatusCode::CREATED, Json(view::channels::channel(made))).into_response())
}

/// List notification channels
///
/// The oldest first, each with how it does: when a message last arrived, the last failure, and how many wait.
#[utoipa::path(
    get, path = "/v1/notification-channels", operation_id = "list_channels", tag = "channels",
    security(("key" = ["admin"])),
    responses((status = 200, body = v1::ChannelList, description = "The channels."), Refused),
)]
async fn list(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
) -> Result<Json<v1::ChannelList>, Problem> {
    caller.require(&[Scope::Admin])?;
    let channels = state.services.list_channels(caller.project).await?;
    let items: Vec<v1::NotificationChannel> = channels.into_iter().map(view::channels::channel).collect();
    Ok(Json(v1::ChannelList { channels: items.clone(), items }))
}

/// Read a notification channel
#[utoipa::path(
    get, path = "/v1/notification-channels/{id}", operation_id = "read_channel", tag = "channels",
    security(("key" = ["admin"])),
    params(("id" = String, Path, description = "`nchan_…`")),
    responses((status = 200, body = v1::NotificationChannel, description = "The channel."), Refused, NotFound),
)]
async fn read(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Id,
) -> Result<Json<v1::NotificationChannel>, Problem> {
    caller.require(&[Scope::Admin])?;
    let channel = state.services.channel(caller.project, channel_id(id)?).await?;
    Ok(Json(view::channels::channel(channel)))
}

/// Change a notification channel
///
/// What is absent stays. Other settings, and resuming it, are a new start for what is known of its failures.
#[utoipa::path(
    patch, path = "/v1/notification-channels/{id}", operation_id = "update_channel", tag = "channels",
    security(("key" = ["admin"])),
    params(("id" = String, Path, description = "`nchan_…`")),
    request_body = v1::UpdateChannel,
    responses((status = 200, body = v1::NotificationChannel, description = "The channel."), Refused, NotFound),
)]
async fn update(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Id,
    JsonBody(sent): JsonBody<v1::UpdateChannel>,
) -> Result<Json<v1::NotificationChannel>, Problem> {
    caller.require(&[Scope::Admin])?;
    let id = channel_id(id)?;
    if let Some(kind) = &sent.kind {
        let stored = state.services.channel(caller.project, id).await?.stored.kind.as_str();
        if stored != kind.as_str() {
            let text = format!("stays {stored}: make another channel for another type.");
            return Err(Problem::invalid(&[FieldError::invalid("type", text)]));
        }
    }
    let change = ChannelChange {
        name: sent.name,
        config: sent.config,
        enabled: sent.enabled,
        window_secs: sent.digest_window_sec,
        kinds: sent.kinds,
        agents: sent.agents,
        fallback: sent.fallback_id,
    };
    let actor = caller.actor();
    let channel = state.services.update_channel(caller.project, id, change, actor, Channel::api()).await?;
    Ok(Json(view::channels::channel(channel)))
}

/// Delete a notification channel
///
/// Its secrets go with it. Messages that it sent stay as they are, and their buttons do nothing any more.
#[utoipa::path(
    delete, path = "/v1/notification-channels/{id}", operation_id = "delete_channel", tag = "channels",
    security(("key" = ["admin"])),
    params(("id" = String, Path, description = "`nchan_…`")),
    responses((status = 204, description = "It is deleted."), Refused, NotFound),
)]
async fn remove(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Id,
    _: JsonBody<IgnoredAny>,
) -> Result<StatusCode, Problem> {
    caller.require(&[Scope::Admin])?;
    state.services.delete_channel(caller.project, channel_id(id)?, caller.actor(), Channel::api()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Try a notification channel
///
/// Sends a message that says it is a test, at once, also if the channel is paused. That the platform refuses it is an
/// answer, not an error; what is known of the channel's health stays as it is.
#[utoipa::path(
    post, path = "/v1/notification-channels/{id}/test", operation_id = "test_channel", tag = "channels",
    security(("key" = ["admin"])),
    params(("id" = String, Path, description = "`nchan_…`")),
    responses((status = 200, body = v1::ChannelTest, description = "What the platform said."), Refused, NotFound),
)]
async fn test(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    id: Id,
    _: JsonBody<IgnoredAny>,
) -> Result<Json<v1::ChannelTest>, Problem> {
    caller.require(&[Scope::Admin])?;
    let (id, actor) = (channel_id(id)?, caller.actor());
    let tested = state.services.test_channel(caller.project, id, actor, Channel::api()).await?;
    Ok(Json(view::channels::tested(tested)))
}
