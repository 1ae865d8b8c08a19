//! One action as a stream of events, for agents that would rather listen than ask.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;

use super::super::describe::{NotFound, Refused};
use super::{InPath, show};
use crate::domain::action::Status;
use crate::domain::ids::ActionId;
use crate::domain::scope::Scope;
use crate::server::http::HttpState;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{Caller, Viewed};
use crate::wire::v1;

/// A stream ends after this time; clients reconnect by themselves. Its key is asked for with every event.
const LIFE: Duration = Duration::from_mins(10);
/// Proxies cut what is silent for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Listen to an action
///
/// Server-sent events named `action`, each with the action as it is: the first at once, then one for every change. The
/// stream ends when nothing can happen to it any more, and after ten minutes; read or listen again then.
#[utoipa::path(
    get, path = "/v1/actions/{id}/events", operation_id = "listen", tag = "actions",
    security(("key" = ["actions"]), ("key" = ["decide"])),
    params(("id" = String, Path, description = "`act_…`")),
    responses(
        (status = 200, body = v1::ActionEvent, content_type = "text/event-stream", description = "The events."),
        Refused, NotFound,
    ),
)]
pub(super) async fn events(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Actions, Scope::Decide])?;
    // Refused before the stream begins, because afterwards no status can be sent.
    let first = state.services.action(caller.project, id).await?;
    let ends = tokio::time::Instant::now() + LIFE;
    let listening = Listening { state, caller, id, ends, last: None, next: Some(first) };
    let events = stream::unfold(Some(listening), async |listening| listening?.next().await);
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    // nginx would hold events back to fill its buffer.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

struct Listening {
    state: HttpState,
    caller: Arc<Caller>,
    id: ActionId,
    ends: tokio::time::Instant,
    /// What was sent last.
    last: Option<String>,
    /// What was read and not looked at yet.
    next: Option<Viewed>,
}

impl Listening {
    /// The next event, and the stream after it; none after the last.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Option<Self>)> {
        loop {
            let live = Arc::clone(self.state.services.live());
            let place = live.wait_for(self.id);
            // Heard from here on, so that nothing falls between the look and the wait.
            let changed = place.changed();
            let viewed = if let Some(first) = self.next.take() {
                // Read before anything was heard, so it is read again unless nothing was sent yet.
                first
            } else {
                // The client connects again and learns what is wrong.
                self.state.services.caller_again(&self.caller).await.ok()?;
                self.state.services.action(self.caller.project, self.id).await.ok()?
            };
            let now = self.state.services.clock().now();
            let (status, expires_at) = (viewed.action.status(now), viewed.action.expires_at);
            let shown = serde_json::to_string(&show(&self.state, viewed)).ok()?;
            if self.last.as_ref() != Some(&shown) {
                self.last = Some(shown.clone());
                let event = Event::default().event("action").data(shown);
                let is_over = !matches!(status, Status::Pending | Status::Approved);
                return Some((Ok(event), (!is_over).then_some(self)));
            }
            let until_expiry = match status {
                Status::Pending => Duration::try_from(expires_at - now).unwrap_or_default(),
                _ => LIFE,
            };
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(until_expiry) => {}
                () = tokio::time::sleep_until(self.ends) => return None,
                () = self.state.stop.cancelled() => return None,
            }
        }
    }
}
