//! A thin client of the REST API: one method per call, and what may be sent again when an answer is lost.

use std::time::Duration;

use axum::http::{HeaderValue, Method};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::road::{Answer, Lost, Road};
use crate::domain::ids::ActionId;

/// What one call may take.
const CALL: Duration = Duration::from_secs(15);
/// What a waiting call may take beyond its wait.
const GRACE: Duration = Duration::from_secs(10);
/// For how long a call that found nobody is tried again.
const PATIENCE: Duration = Duration::from_secs(6);

/// Whether a call whose answer was lost may be sent again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Twice {
    /// The second changes nothing that the first did not.
    Harmless,
    /// It may do something else the second time.
    Never,
}

/// The REST API, as the holder of one key.
#[derive(Clone)]
pub(super) struct Client {
    road: Road,
    authorization: HeaderValue,
}

impl Client {
    /// `authorization` is the whole header's value.
    pub(super) fn new(road: Road, mut authorization: HeaderValue) -> Self {
        authorization.set_sensitive(true);
        Self { road, authorization }
    }

    /// Where the server is, for sentences.
    pub(super) fn place(&self) -> &str {
        self.road.place()
    }

    /// Whether an answer can be lost on its way.
    pub(super) fn may_lose_answers(&self) -> bool {
        matches!(self.road, Road::Network { .. })
    }

    /// Whether this process is ending, so that whoever waits is told at once.
    pub(super) fn is_stopping(&self) -> bool {
        self.road.stop().is_some_and(tokio_util::sync::CancellationToken::is_cancelled)
    }

    /// Proposes; again after a lost answer only under an idempotency key.
    pub(super) async fn propose(&self, proposal: &Value) -> Result<Answer, Lost> {
        let is_keyed = proposal.get("idempotency_key").is_some_and(Value::is_string);
        let twice = if is_keyed { Twice::Harmless } else { Twice::Never };
        self.call(Method::POST, "/v1/actions", Some(proposal), twice).await
    }

    pub(super) async fn read(&self, id: ActionId) -> Result<Answer, Lost> {
        self.call(Method::GET, &format!("/v1/actions/{id}"), None, Twice::Harmless).await
    }

    /// Waits once, for up to 60 whole seconds; whoever waits longer asks again.
    pub(super) async fn wait(&self, id: ActionId, secs: u64) -> Result<Answer, Lost> {
        let path = format!("/v1/actions/{id}?wait={secs}");
        self.travel(Method::GET, &path, None, Duration::from_secs(secs) + GRACE).await
    }

    /// Claims. Sent again only if nobody heard it: a second claim is refused, also to whoever holds the first.
    pub(super) async fn claim(&self, id: ActionId) -> Result<Answer, Lost> {
        self.call(Method::POST, &format!("/v1/actions/{id}/claim"), Some(&json!({})), Twice::Never).await
    }

    pub(super) async fn cancel(&self, id: ActionId) -> Result<Answer, Lost> {
        let path = format!("/v1/actions/{id}/cancel");
        self.call(Method::POST, &path, Some(&json!({})), Twice::Harmless).await
    }

    pub(super) async fn report(&self, id: ActionId, report: &Value) -> Result<Answer, Lost> {
        self.call(Method::POST, &format!("/v1/actions/{id}/result"), Some(report), Twice::Harmless).await
    }

    /// The newest actions that wait for a decision.
    pub(super) async fn pending(&self, limit: u8) -> Result<Answer, Lost> {
        let path = format!("/v1/actions?status=pending&limit={limit}");
        self.call(Method::GET, &path, None, Twice::Harmless).await
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        twice: Twice,
    ) -> Result<Answer, Lost> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(200);
        loop {
            let came = self.travel(method.clone(), path, body, CALL).await;
            let again = match &came {
                Err(Lost::Unheard(_)) => true,
                Err(Lost::Unanswered(_)) => twice == Twice::Harmless,
                // A proxy whose server is away, or a server whose database is.
                Ok(answer) => twice == Twice::Harmless && matches!(answer.status, 502..=504),
            };
            if !again || self.is_stopping() || began.elapsed() + pause > PATIENCE {
                return came;
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    async fn travel(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<Answer, Lost> {
        self.road.travel(&self.authorization, method, path, body, patience).await
    }
}
