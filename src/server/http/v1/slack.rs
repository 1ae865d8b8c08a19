//! What Slack calls where it does not use Socket Mode. It proves who it is by a signature, and is answered at once: the work
//! goes on afterwards.

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::domain::channel::ChannelKind;
use crate::server::http::HttpState;
use crate::server::http::body;
use crate::server::notify::slack;

/// One answer for a channel that is not there and a signature that is wrong: nobody learns which channels there are.
const UNSIGNED: StatusCode = StatusCode::UNAUTHORIZED;

/// `POST /v1/integrations/slack/interactions/{channel}`.
pub(super) async fn interactions(
    State(state): State<HttpState>,
    Path(channel): Path<String>,
    request: Request,
) -> StatusCode {
    let (services, headers) = (&state.services, request.headers().clone());
    let header = |name: &str| text(&headers, name);
    let (stamp, signature) = (header("x-slack-request-timestamp"), header("x-slack-signature"));
    if signature.is_empty() || !slack::is_fresh(stamp, services.clock().now()) {
        return UNSIGNED;
    }
    let Ok(body) = body::read(request).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    let secret = match slack::signing_secret(services, &channel).await {
        Ok(Some(secret)) => secret,
        Ok(None) => return UNSIGNED,
        Err(error) => {
            error.log();
            return StatusCode::SERVICE_UNAVAILABLE;
        }
    };
    if !slack::is_from_slack(&secret, stamp, signature, &body, services.clock().now()) {
        return UNSIGNED;
    }
    let payload = url::form_urlencoded::parse(&body).find(|(name, _)| name == "payload");
    let payload: Option<Value> = payload.and_then(|(_, json)| serde_json::from_str(&json).ok());
    let Some(payload) = payload else { return StatusCode::BAD_REQUEST };
    let Some(room) = services.platforms().room(ChannelKind::Slack) else {
        // Slack says to whoever pressed that it did not work.
        tracing::warn!("too much is pressed in Slack");
        return StatusCode::SERVICE_UNAVAILABLE;
    };
    let (all, signature) = (services.clone(), signature.to_owned());
    room.work(async move { slack::take_signed(&all, &secret, &signature, &payload).await });
    StatusCode::OK
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
