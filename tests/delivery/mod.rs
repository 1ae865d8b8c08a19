//! Callbacks, from the decision to the receiver and back: a real receiver on loopback, a real database.

mod again;
mod anchoring;
mod document;
mod rotating;
mod sending;
mod sharing;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use impri::domain::action::{Action, Intent};
use impri::domain::audit::{Actor, EventKind};
use impri::domain::decision::{Channel, Decider, Verdict};
use impri::domain::ids::{ActionId, DeliveryId, ProjectId};
use impri::domain::proposal::RawProposal;
use impri::domain::role::Role;
use impri::domain::scope::Scope;
use impri::server::clock::Clock;
use impri::server::db::outbox::DeliveryState;
use impri::server::notify::{self, OutboundPolicy, callback};
use impri::server::random;
use impri::server::secrets::Vault;
use impri::server::service::{Caller, NewKey, NewPerson, Proposed, Services};
use serde_json::{Map, Value, json};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::support::VAULT_KEY;

pub(crate) const OPEN: OutboundPolicy = OutboundPolicy { allow_private_targets: true };
const GUARDED: OutboundPolicy = OutboundPolicy { allow_private_targets: false };

/// A test that takes longer than this to hear something hears nothing.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("in time")
}

/// A server's use cases on its own database, with an agent and a person.
pub(crate) struct Desk {
    pub(crate) services: Services,
    pub(crate) agent: Caller,
    pub(crate) person: Decider,
    pub(crate) secret: String,
}

impl Desk {
    pub(crate) async fn open(pool: PgPool) -> Self {
        Self::open_with(pool, Vault::from_setting(VAULT_KEY).expect("a key")).await
    }

    /// With what seals its secrets.
    pub(crate) async fn open_with(pool: PgPool, vault: Vault) -> Self {
        let services = Services::new(pool, Clock::manual(), "http://127.0.0.1:8484").with_vault(vault);
        let person = NewPerson {
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            password: "correct horse battery".to_owned(),
            role: Role::Admin,
        };
        let ada = services.set_up_unattended(person).await.expect("a database").expect("nobody before");
        let project = services.first_project().await.expect("a database").expect("a project");
        let secret = services.webhook_secret(project.id).await.expect("a secret");
        let new = NewKey { name: "agent".to_owned(), scopes: vec![Scope::Actions], lasts: None };
        let made =
            services.create_key(project.id, new, Actor::Operator, Channel::cli()).await.expect("a key");
        let agent = services.caller(&made.key).await.expect("a key");
        Self {
            services,
            agent: (*agent).clone(),
            person: Decider::Reviewer { id: ada.id, name: ada.name },
            secret,
        }
    }

    pub(crate) fn project(&self) -> ProjectId {
        self.agent.project
    }

    pub(crate) fn proposal(callback_url: &str) -> RawProposal {
        RawProposal {
            kind: Some("mail.send".to_owned()),
            title: Some("Write to the customer".to_owned()),
            body: Some("Dear Ms Smith".to_owned()),
            callback_url: Some(callback_url.to_owned()),
            editable: vec!["preview.body".to_owned()],
            // Otherwise an identical proposal would be answered with the first one.
            payload: Some(json!(random::token())),
            ..RawProposal::default()
        }
    }

    pub(crate) async fn propose(&self, callback_url: &str) -> Action {
        let proposed = self.services.propose(&self.agent, Self::proposal(callback_url), Channel::api()).await;
        match proposed.expect("a valid proposal") {
            Proposed::New(action) => *action,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn decide(&self, id: ActionId, verdict: Verdict, edits: Value) {
        let Value::Object(edits) = edits else { panic!("edits are an object") };
        let intent = Intent { verdict, seen: None, edits, comment: None, channel: Channel::web() };
        self.services.decide(self.project(), self.person.clone(), id, intent).await.expect("decided");
    }

    /// An approved action whose callback waits in the outbox.
    async fn approved(&self, callback_url: &str) -> ActionId {
        let action = self.propose(callback_url).await;
        self.decide(action.id, Verdict::Approve, json!({})).await;
        action.id
    }

    pub(crate) async fn send_due(&self) -> usize {
        soon(notify::send_due(&self.services, OPEN)).await.expect("a database")
    }

    async fn delivery(&self, id: ActionId) -> DeliveryState {
        let viewed = self.services.action(self.project(), id).await.expect("an action");
        viewed.delivery.expect("a delivery")
    }

    /// The state of a delivery, as soon as it is one of these.
    async fn until_state(&self, id: ActionId, wanted: &str) -> DeliveryState {
        soon(async {
            loop {
                let delivery = self.delivery(id).await;
                if delivery.state == wanted {
                    return delivery;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    pub(crate) async fn events(&self, id: ActionId, kind: EventKind) -> Vec<Value> {
        let rows: Vec<(Value,)> = sqlx::query_as(
            "select data from audit_event where action_id = $1 and kind = $2 order by event_id",
        )
        .bind(id.uuid())
        .bind(kind.as_str())
        .fetch_all(self.services.pool())
        .await
        .expect("events");
        rows.into_iter().map(|(data,)| data).collect()
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.services.clock().advance(Duration::from_secs(seconds));
    }

    /// A worker as a server runs it; it ends with the guard.
    fn start_worker(&self, policy: OutboundPolicy) -> RunningWorker {
        let stop = CancellationToken::new();
        let (services, token) = (self.services.clone(), stop.clone());
        RunningWorker {
            task: tokio::spawn(async move { notify::run(&services, policy, &token).await }),
            stop,
        }
    }
}

struct RunningWorker {
    task: tokio::task::JoinHandle<()>,
    stop: CancellationToken,
}

impl RunningWorker {
    async fn stop(self) {
        self.stop.cancel();
        soon(self.task).await.expect("an orderly end");
    }
}

/// What a receiver got.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    path: String,
    headers: HeaderMap,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn json(&self) -> Map<String, Value> {
        serde_json::from_str(&self.body).expect("a JSON object")
    }

    /// Checks what any receiver checks, and what every callback has in common.
    #[track_caller]
    pub(crate) fn assert_genuine(&self, secret: &str, now: i64) {
        assert_eq!(self.header("content-type"), "application/json");
        let timestamp: i64 = self.header("x-impri-timestamp").parse().expect("seconds");
        assert_eq!(timestamp, now);
        let nonce = self.header("x-impri-nonce");
        assert!(nonce.len() == 16 && nonce.bytes().all(|b| b.is_ascii_hexdigit()), "{nonce}");
        assert_eq!(
            self.header("x-impri-signature"),
            callback::signature(secret, timestamp, nonce, &self.body)
        );
        let body = self.json();
        assert_eq!(body["event"], "action.updated");
        assert_eq!(body["event_id"], self.header("x-impri-event-id"));
        assert!(self.header("x-impri-event-id").parse::<DeliveryId>().is_ok());
        assert_eq!(body.keys().next_back().map(String::as_str), Some("event_id"));
    }
}

/// How a receiver answers its first, second, … request; the last answer is repeated.
type Answers = Vec<(StatusCode, &'static str)>;

/// Somebody who takes callbacks. Whatever is posted below `/hang` is never answered.
pub(crate) struct Receiver {
    address: SocketAddr,
    heard: tokio::sync::Mutex<mpsc::UnboundedReceiver<Received>>,
    shared: Arc<Shared>,
}

struct Shared {
    heard: mpsc::UnboundedSender<Received>,
    answers: Mutex<Answers>,
    hanging: AtomicUsize,
    most_hanging: AtomicUsize,
    let_go: Notify,
}

impl Receiver {
    pub(crate) async fn start(answers: &[(StatusCode, &'static str)]) -> Self {
        Self::start_at("127.0.0.1:0", answers).await
    }

    async fn start_at(address: &str, answers: &[(StatusCode, &'static str)]) -> Self {
        let (sender, heard) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            heard: sender,
            answers: Mutex::new(answers.to_vec()),
            hanging: AtomicUsize::new(0),
            most_hanging: AtomicUsize::new(0),
            let_go: Notify::new(),
        });
        let listener = TcpListener::bind(address).await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().fallback(receive).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, heard: tokio::sync::Mutex::new(heard), shared }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn next(&self) -> Received {
        soon(async { self.heard.lock().await.recv().await }).await.expect("a request")
    }

    /// What came and was not looked at.
    pub(crate) async fn rest(&self) -> Vec<Received> {
        let mut heard = self.heard.lock().await;
        std::iter::from_fn(|| heard.try_recv().ok()).collect()
    }
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    uri: axum::http::Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path().to_owned();
    let hangs = path.starts_with("/hang");
    if hangs {
        let hanging = shared.hanging.fetch_add(1, Ordering::SeqCst) + 1;
        shared.most_hanging.fetch_max(hanging, Ordering::SeqCst);
    }
    let body = String::from_utf8(body.to_vec()).expect("text");
    shared.heard.send(Received { path, headers, body }).expect("a listening test");
    if hangs {
        shared.let_go.notified().await;
        shared.hanging.fetch_sub(1, Ordering::SeqCst);
    }
    let (status, location) = {
        let mut answers = shared.answers.lock().expect("no panic");
        if answers.len() > 1 { answers.remove(0) } else { answers[0] }
    };
    // Some receivers answer at length; nobody reads it.
    (status, [(header::LOCATION, location)], "x".repeat(100_000)).into_response()
}

pub(crate) const OK: (StatusCode, &str) = (StatusCode::OK, "/");
const BROKEN: (StatusCode, &str) = (StatusCode::INTERNAL_SERVER_ERROR, "/");
