//! What happens in a reviewer's project, as it happens: one stream for each browser.
//!
//! The stream carries ids and kinds, never content: a page that hears something reads again what it shows.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use futures::stream;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tower_sessions::Session;

use super::HttpState;
use crate::domain::ids::ProjectId;
use crate::server::door;
use crate::server::live::{ChangeKind, Heard};
use crate::wire::error::UiError;

/// A stream ends after this time, so that its browser's session is looked at again; browsers reconnect by themselves.
const LIFE: Duration = Duration::from_mins(10);
/// Proxies cut what is silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// `GET /events`.
pub async fn stream(State(state): State<HttpState>, session: Session) -> Response {
    // Before the look at the session, so that nothing falls between it and the first event.
    let heard = state.services.live().browser();
    match door::member_of(&state.services, &session).await {
        Ok(Some(member)) => sse(state, heard, member.project),
        Ok(None) => StatusCode::UNAUTHORIZED.into_response(),
        Err(UiError::Unavailable) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn sse(state: HttpState, heard: broadcast::Receiver<Heard>, project: ProjectId) -> Response {
    let events = stream::unfold(heard, move |mut heard| async move {
        loop {
            let data = match heard.recv().await {
                Ok(Heard::Change(of, _)) if of != project => continue,
                // A bundle of proposals has no one id.
                Ok(Heard::Change(_, change)) if change.kind == ChangeKind::Created => {
                    format!("{{\"kind\":\"{}\"}}", change.kind.as_str())
                }
                Ok(Heard::Change(_, change)) => {
                    format!("{{\"kind\":\"{}\",\"id\":\"{}\"}}", change.kind.as_str(), change.id)
                }
                Ok(Heard::Resync) | Err(RecvError::Lagged(_)) => "{\"kind\":\"resync\"}".to_owned(),
                Err(RecvError::Closed) => return None,
            };
            return Some((Ok::<_, Infallible>(Event::default().data(data)), heard));
        }
    });
    let hello = stream::once(async { Ok(Event::default().comment("listening")) });
    let end = async move {
        tokio::select! {
            () = state.stop.cancelled() => {}
            () = tokio::time::sleep(LIFE) => {}
        }
    };
    let events = hello.chain(events).take_until(Box::pin(end));
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // nginx would hold events back to fill its buffer.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
