//! Web push for programs that decide: their own subscriptions. People switch theirs on at `/account`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::{Refused, Unavailable};
use crate::domain::scope::Scope;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::SentSubscription;
use crate::wire::v1;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(key)).routes(routes!(subscribe, unsubscribe))
}

/// Read the key that browsers subscribe with
///
/// RFC 8292. Anybody may read it.
#[utoipa::path(
    get, path = "/v1/push/vapid-public-key", operation_id = "read_push_key", tag = "push",
    responses((status = 200, body = v1::PushKey, description = "The public key."), Unavailable),
)]
async fn key(State(state): State<HttpState>) -> Result<Json<v1::PushKey>, Problem> {
    let public_key = state.services.push_key().await?.ok().map(|key| key.public());
    Ok(Json(v1::PushKey { enabled: public_key.is_some(), public_key }))
}

/// Subscribe a browser
///
/// It is told of every action of the project that begins to wait, while the key is good. The same endpoint again is the
/// same subscription. What another key registered is this key's from then on, if `keys.auth` is the same; what a person
/// switched on stays theirs.
#[utoipa::path(
    post, path = "/v1/push/subscribe", operation_id = "subscribe_push", tag = "push",
    security(("key" = ["decide", "admin"])),
    request_body = v1::Subscribe,
    responses(
        (status = 201, body = v1::Subscribed, description = "It is stored."),
        (status = 409, body = v1::Refusal, description = "The endpoint is somebody else's. Nothing was stored."),
        Refused,
    ),
)]
async fn subscribe(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::Subscribe>,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Decide, Scope::Admin])?;
    let keys = sent.keys.unwrap_or_default();
    let subscription = SentSubscription {
        endpoint: sent.endpoint.unwrap_or_default(),
        p256dh: keys.p256dh.unwrap_or_default(),
        auth: keys.auth.unwrap_or_default(),
    };
    state.services.subscribe_key(&caller, &subscription).await?;
    Ok((StatusCode::CREATED, Json(v1::Subscribed { subscribed: true })).into_response())
}

/// End a subscription
#[utoipa::path(
    delete, path = "/v1/push/subscribe", operation_id = "unsubscribe_push", tag = "push",
    security(("key" = ["decide", "admin"])),
    request_body = v1::Unsubscribe,
    responses((status = 204, description = "This key has none with this endpoint any more."), Refused),
)]
async fn unsubscribe(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    JsonBody(sent): JsonBody<v1::Unsubscribe>,
) -> Result<StatusCode, Problem> {
    caller.require(&[Scope::Decide, Scope::Admin])?;
    state.services.unsubscribe_key(&caller, &sent.endpoint.unwrap_or_default()).await?;
    Ok(StatusCode::NO_CONTENT)
}
