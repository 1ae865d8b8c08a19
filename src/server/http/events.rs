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
use tokio_util::sync::CancellationToken;
use tower_sessions::Session;

use super::HttpState;
use crate::server::db::people::Member;
use crate::server::door;
use crate::server::live::{ChangeKind, Heard};
use crate::server::service::Services;
use crate::wire::error::UiError;

/// A stream ends after this time, so that its browser's session is looked at again; browsers reconnect by themselves.
const LIFE: Duration = Duration::from_mins(10);
/// Proxies cut what is silent for a minute, and `live.js` gives up a stream that is silent for three quarters of one.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// `GET /events`.
pub async fn stream(State(state): State<HttpState>, session: Session) -> Response {
    // Before the look at the session, so that nothing falls between it and the first event.
    let heard = state.services.live().browser();
    match door::member_of(&state.services, &session).await {
        Ok(Some(member)) => sse(Listener { services: state.services, session, member, heard }, state.stop),
        Ok(None) => StatusCode::UNAUTHORIZED.into_response(),
        Err(UiError::Unavailable) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A browser that listens.
struct Listener {
    services: Services,
    session: Session,
    member: Member,
    heard: broadcast::Receiver<Heard>,
}

impl Listener {
    /// The next event for this browser; none when it may hear no more.
    async fn next(&mut self) -> Option<String> {
        const RESYNC: &str = "{\"kind\":\"resync\"}";
        loop {
            return match self.heard.recv().await {
                Ok(Heard::Change(of, _)) if of != self.member.project => continue,
                // A bundle of proposals has no one id.
                Ok(Heard::Change(_, change)) if change.kind == ChangeKind::Created => {
                    Some(format!("{{\"kind\":\"{}\"}}", change.kind.as_str()))
                }
                Ok(Heard::Change(_, change)) => {
                    Some(format!("{{\"kind\":\"{}\",\"id\":\"{}\"}}", change.kind.as_str(), change.id))
                }
                Ok(Heard::Person(id)) if id != self.member.id => continue,
                // What was missed may have been about this person.
                Ok(Heard::Person(_) | Heard::Resync) | Err(RecvError::Lagged(_)) => {
                    self.is_still_in().await.then(|| RESYNC.to_owned())
                }
                Err(RecvError::Closed) => None,
            };
        }
    }

    /// Looks again who is at the other end. If that can't be seen the browser has to come back and be looked at.
    async fn is_still_in(&mut self) -> bool {
        match door::member_of(&self.services, &self.session).await {
            Ok(Some(member)) => {
                self.member = member;
                true
            }
            Ok(None) | Err(_) => false,
        }
    }
}

fn sse(listener: Listener, stop: CancellationToken) -> Response {
    let events = stream::unfold(listener, |mut listener| async move {
        let data = listener.next().await?;
        Some((Ok::<_, Infallible>(Event::default().data(data)), listener))
    });
    let hello = stream::once(async { Ok(Event::default().comment("listening")) });
    let end = async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(LIFE) => {}
        }
    };
    let events = hello.chain(events).take_until(Box::pin(end));
    let mut response = Sse::new(events).keep_alive(keep_alive(KEEP_ALIVE)).into_response();
    // nginx would hold events back to fill its buffer.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A sign of life that scripts hear, unlike a comment. One without data would be heard by nobody.
fn keep_alive(every: Duration) -> KeepAlive {
    KeepAlive::new().interval(every).event(Event::default().event("alive").data("1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn silence_is_broken_by_an_event() {
        let silence = stream::pending::<Result<Event, Infallible>>();
        let silence = Sse::new(silence).keep_alive(keep_alive(Duration::from_millis(1))).into_response();
        let first = silence.into_body().into_data_stream().next().await.expect("more").expect("bytes");
        assert_eq!(first, "event: alive\ndata: 1\n\n");
    }
}
