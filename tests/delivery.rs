//! Callbacks, from the decision to the receiver and back: a real receiver on loopback, a real database.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
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
use impri::server::clock::Clock;
use impri::server::db::outbox::DeliveryState;
use impri::server::notify::{self, OutboundPolicy, callback};
use impri::server::random;
use impri::server::service::{Caller, NewPerson, Proposed, Services};
use serde_json::{Map, Value, json};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

const OPEN: OutboundPolicy = OutboundPolicy { allow_private_targets: true };
const GUARDED: OutboundPolicy = OutboundPolicy { allow_private_targets: false };

/// A test that takes longer than this to hear something hears nothing.
const PATIENCE: Duration = Duration::from_secs(10);

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("in time")
}

/// A server's use cases on its own database, with an agent and a person.
struct Desk {
    services: Services,
    agent: Caller,
    person: Decider,
    secret: String,
}

impl Desk {
    async fn open(pool: PgPool) -> Self {
        let services = Services::new(pool, Clock::manual(), "http://127.0.0.1:8484");
        let person = NewPerson {
            name: "Ada".to_owned(),
            email: "ada@example.org".to_owned(),
            password: "correct horse battery".to_owned(),
            is_admin: true,
        };
        let first = services.set_up_unattended(person).await.expect("a database").expect("nobody before");
        let agent = services.caller(&first.agent_key.key).await.expect("a key");
        let project = services.first_project().await.expect("a database").expect("a project");
        Self {
            services,
            agent: (*agent).clone(),
            person: Decider::Reviewer { id: first.member.id, name: first.member.name },
            secret: project.webhook_secret,
        }
    }

    fn project(&self) -> ProjectId {
        self.agent.project
    }

    fn proposal(callback_url: &str) -> RawProposal {
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

    async fn propose(&self, callback_url: &str) -> Action {
        let proposed = self.services.propose(&self.agent, Self::proposal(callback_url), Channel::api()).await;
        match proposed.expect("a valid proposal") {
            Proposed::New(action) => *action,
            other => panic!("{other:?}"),
        }
    }

    async fn decide(&self, id: ActionId, verdict: Verdict, edits: Value) {
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

    async fn send_due(&self) -> usize {
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

    async fn events(&self, id: ActionId, kind: EventKind) -> Vec<Value> {
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

    fn advance(&self, seconds: u64) {
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
struct Received {
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
    fn assert_genuine(&self, secret: &str, now: i64) {
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
struct Receiver {
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
    async fn start(answers: &[(StatusCode, &'static str)]) -> Self {
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

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn next(&self) -> Received {
        soon(async { self.heard.lock().await.recv().await }).await.expect("a request")
    }

    /// What came and was not looked at.
    async fn rest(&self) -> Vec<Received> {
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

const OK: (StatusCode, &str) = (StatusCode::OK, "/");
const BROKEN: (StatusCode, &str) = (StatusCode::INTERNAL_SERVER_ERROR, "/");

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_is_delivered_within_a_second(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let worker = desk.start_worker(OPEN);
    let action = desk.propose(&receiver.url("/hook?token=1")).await;
    let decided = std::time::Instant::now();
    desk.decide(action.id, Verdict::Approve, json!({"preview.body": "Dear Mr Smith"})).await;
    let received = receiver.next().await;
    assert!(decided.elapsed() < Duration::from_secs(1), "{:?}", decided.elapsed());

    let now = desk.services.clock().now().unix_timestamp();
    received.assert_genuine(&desk.secret, now);
    assert_eq!(received.path, "/hook");
    let body = received.json();
    let keys: Vec<&str> = body.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["event", "action_id", "status", "decided_at", "verdict", "final_preview", "diff", "event_id"]
    );
    assert_eq!(body["action_id"], json!(action.id));
    assert_eq!((&body["status"], &body["verdict"]), (&json!("approved"), &json!("approve")));
    assert_eq!(body["decided_at"], now);
    assert_eq!(body["final_preview"], json!({"format": "plain", "body": "Dear Mr Smith"}));
    let diff = body["diff"].as_str().expect("a diff");
    assert!(diff.contains("-Dear Ms Smith") && diff.contains("+Dear Mr Smith"), "{diff}");

    let delivery = desk.until_state(action.id, "delivered").await;
    assert_eq!((delivery.attempt, delivery.last_status, delivery.last_error), (0, Some(200), None));
    worker.stop().await;
    assert!(receiver.rest().await.is_empty(), "delivered once");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_and_an_expiry_are_told_too(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let rejected = desk.propose(&receiver.url("/")).await;
    desk.decide(rejected.id, Verdict::Reject, json!({})).await;
    assert_eq!(desk.send_due().await, 1);
    let received = receiver.next().await;
    received.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    let body = received.json();
    assert_eq!((&body["status"], &body["verdict"]), (&json!("rejected"), &json!("reject")));
    assert_eq!(body["diff"], Value::Null);

    let expired = desk.propose(&receiver.url("/")).await;
    desk.advance(72 * 3600 + 1);
    assert_eq!(desk.services.expire_due().await.expect("a database"), 1);
    assert_eq!(desk.send_due().await, 1);
    let received = receiver.next().await;
    received.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    let body = received.json();
    let keys: Vec<&str> = body.keys().map(String::as_str).collect();
    assert_eq!(keys, ["event", "action_id", "status", "event_id"]);
    assert_eq!((&body["action_id"], &body["status"]), (&json!(expired.id), &json!("expired")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_failure_is_tried_again_when_its_time_comes(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[BROKEN, OK]).await);
    let action = desk.approved(&receiver.url("/")).await;
    assert_eq!(desk.send_due().await, 1);
    let first = receiver.next().await;
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_status), ("retry", 1, Some(500)));
    assert_eq!(delivery.last_error.as_deref(), Some("HTTP 500"));

    desk.advance(59);
    assert_eq!(desk.send_due().await, 0, "not before its time");
    desk.advance(1);
    assert_eq!(desk.send_due().await, 1);
    let second = receiver.next().await;
    second.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    assert_eq!(second.body, first.body);
    assert_ne!(second.header("x-impri-nonce"), first.header("x-impri-nonce"));
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_error), ("delivered", 1, None));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_that_is_gone_is_not_called_again(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[(StatusCode::GONE, "/")]).await);
    let proposal =
        RawProposal { idempotency_key: Some("once".to_owned()), ..Desk::proposal(&receiver.url("/")) };
    let propose = || desk.services.propose(&desk.agent, proposal.clone(), Channel::api());
    let Ok(Proposed::New(action)) = propose().await else { panic!("a new action") };
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(desk.send_due().await, 1);

    let viewed = desk.services.action(desk.project(), action.id).await.expect("an action");
    assert_eq!(viewed.action.callback_url, None);
    let delivery = viewed.delivery.expect("still told");
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_status), ("gone", 0, Some(410)));
    desk.advance(1_000_000);
    assert_eq!(desk.send_due().await, 0);
    assert!(!replay(&desk, action.id).await, "nobody is there");
    // The same proposal under the same key is the same proposal, whatever became of the address.
    assert!(matches!(propose().await, Ok(Proposed::Replayed(_))));
}

async fn replay(desk: &Desk, id: ActionId) -> bool {
    let replayed = desk.services.replay_message(desk.project(), id, Actor::Operator, Channel::cli()).await;
    replayed.expect("a database")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn six_failures_end_in_the_history_and_a_replay_begins_anew(pool: PgPool) {
    let mut answers = vec![BROKEN; 6];
    answers.push(OK);
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&answers).await);
    let action = desk.approved(&receiver.url("/secret-path")).await;
    for (attempt, pause) in (1..).zip([60, 300, 1_500, 7_200, 43_200]) {
        assert_eq!(desk.send_due().await, 1);
        let delivery = desk.delivery(action).await;
        assert_eq!((delivery.state.as_str(), delivery.attempt), ("retry", attempt));
        assert!(!replay(&desk, action).await, "it is on its way already");
        desk.advance(pause - 1);
        assert_eq!(desk.send_due().await, 0);
        desk.advance(1);
    }
    assert!(desk.events(action, EventKind::DeliveryFailed).await.is_empty());
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "dlq");
    let heard = receiver.rest().await;
    assert_eq!(heard.len(), 6);
    let events = desk.events(action, EventKind::DeliveryFailed).await;
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0]["attempts"], &events[0]["last_status"]), (&json!(6), &json!(500)));
    assert_eq!((&events[0]["detail"], &events[0]["host"]), (&json!("HTTP 500"), &json!("127.0.0.1")));
    assert!(!events[0].to_string().contains("secret-path"));
    desk.advance(1_000_000);
    assert_eq!(desk.send_due().await, 0);

    assert!(replay(&desk, action).await);
    assert!(!replay(&desk, action).await, "once is enough");
    assert_eq!(desk.send_due().await, 1);
    let again = receiver.next().await;
    assert_eq!(again.body, heard[0].body, "the same event");
    assert_eq!(desk.delivery(action).await.state, "delivered");
    assert!(replay(&desk, action).await, "a delivered one may be wanted again");
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.events(action, EventKind::DeliveryReplayed).await.len(), 2);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_redirect_is_not_followed(pool: PgPool) {
    let (desk, elsewhere) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let location: &'static str = {
        static LOCATION: OnceLock<String> = OnceLock::new();
        LOCATION.get_or_init(|| elsewhere.url("/"))
    };
    for status in [StatusCode::FOUND, StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT] {
        let receiver = Receiver::start(&[(status, location)]).await;
        let action = desk.approved(&receiver.url("/")).await;
        assert_eq!(desk.send_due().await, 1);
        let delivery = desk.delivery(action).await;
        assert_eq!(
            (delivery.state.as_str(), delivery.last_status),
            ("retry", Some(i32::from(status.as_u16())))
        );
    }
    assert!(elsewhere.rest().await.is_empty());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_that_hangs_delays_nobody_else(pool: PgPool) {
    let (desk, good) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let bad = Receiver::start_at("127.0.0.2:0", &[OK]).await;
    // More than a server sends at a time, all of them older than what the good receiver is waiting for.
    let mut stuck = Vec::new();
    for n in 0..40 {
        stuck.push(desk.approved(&bad.url(&format!("/hang/{n}"))).await);
    }
    let worker = desk.start_worker(OPEN);
    for _ in 0..4 {
        bad.next().await;
    }
    let decided = std::time::Instant::now();
    for _ in 0..10 {
        let action = desk.approved(&good.url("/")).await;
        good.next().await;
        desk.until_state(action, "delivered").await;
    }
    assert!(decided.elapsed() < Duration::from_secs(5), "{:?}", decided.elapsed());
    assert_eq!(bad.shared.hanging.load(Ordering::SeqCst), 4, "still hanging, four at a time");

    // Its turn goes on as soon as it answers, four at a time.
    soon(async {
        let mut answered = 4;
        while answered < stuck.len() {
            bad.shared.let_go.notify_one();
            bad.next().await;
            answered += 1;
        }
    })
    .await;
    assert!(
        bad.shared.most_hanging.load(Ordering::SeqCst) <= 5,
        "one may have been answered and not counted yet"
    );
    worker.stop().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn inner_addresses_are_refused_unless_the_operator_allows_them(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let port = receiver.address.port();
    for host in
        ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0x7f.1", "2130706433", "0"]
    {
        let action = desk.approved(&format!("http://{host}:{port}/")).await;
        assert_eq!(soon(notify::send_due(&desk.services, GUARDED)).await.expect("a database"), 1);
        let delivery = desk.delivery(action).await;
        assert_eq!(delivery.state, "dlq", "{host}");
        let reason = delivery.last_error.unwrap_or_default();
        assert!(reason.starts_with("SSRF blocked"), "{host}: {reason}");
        assert_eq!(desk.events(action, EventKind::DeliveryFailed).await.len(), 1, "{host}");
    }
    assert!(receiver.rest().await.is_empty());
    // The same name, when private targets are allowed.
    let action = desk.approved(&format!("http://localhost:{port}/")).await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "delivered");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_servers_never_send_the_same_message(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let mut urls = Vec::new();
    for host in 1..=9 {
        let receiver = Receiver::start_at(&format!("127.0.0.{host}:0"), &[OK]).await;
        urls.push((receiver.url("/"), receiver));
    }
    let other =
        Services::new(desk.services.pool().clone(), desk.services.clock().clone(), "http://127.0.0.1:8485");
    let mut decided = HashSet::new();
    for n in 0..180 {
        decided.insert(desk.approved(&urls[n % urls.len()].0).await.to_string());
    }
    let (here, there) =
        soon(async { tokio::join!(notify::send_due(&desk.services, OPEN), notify::send_due(&other, OPEN)) })
            .await;
    let (here, there) = (here.expect("a database"), there.expect("a database"));
    // Each may leave what the other was about to take; what is left is sent by whoever looks next.
    let rest = desk.send_due().await;
    assert_eq!(here + there + rest, decided.len());
    let mut heard = Vec::new();
    for (_, receiver) in &urls {
        heard.extend(receiver.rest().await);
    }
    let told: HashSet<String> = heard
        .iter()
        .map(|received| received.json()["action_id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(heard.len(), decided.len(), "each once");
    assert_eq!(told, decided);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_message_is_taken_twice(pool: PgPool) {
    let desk = Desk::open(pool).await;
    for n in 0..120 {
        desk.approved(&format!("http://receiver-{}.example/", n % 6)).await;
    }
    let takers = (0..8).map(|_| {
        let services = desk.services.clone();
        tokio::spawn(async move {
            let mut all = Vec::new();
            loop {
                let taken = services.take_due_messages(7, &HashMap::new()).await.expect("a database");
                if taken.is_empty() {
                    return all;
                }
                all.extend(taken.into_iter().map(|taken| taken.message.event));
            }
        })
    });
    let mut taken = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        taken.extend(soon(taker).await.expect("no panic"));
    }
    // What one was about to take and left, the others may have passed over.
    taken.extend(
        desk.services
            .take_due_messages(120, &HashMap::new())
            .await
            .expect("a database")
            .into_iter()
            .map(|taken| taken.message.event),
    );
    let different: HashSet<DeliveryId> = taken.iter().copied().collect();
    assert_eq!((taken.len(), different.len()), (120, 120));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_host_gets_its_share(pool: PgPool) {
    let desk = Desk::open(pool).await;
    for _ in 0..9 {
        desk.approved("http://busy.example/").await;
    }
    desk.approved("http://other.example/").await;
    let sending = HashMap::from([("busy.example".to_owned(), 1)]);
    let taken = desk.services.take_due_messages(32, &sending).await.expect("a database");
    let hosts: Vec<&str> = taken.iter().map(|taken| taken.host.as_str()).collect();
    assert_eq!(hosts.iter().filter(|host| **host == "busy.example").count(), 3);
    assert_eq!(hosts.iter().filter(|host| **host == "other.example").count(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_a_crashed_server_had_taken_is_sent_by_another(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let action = desk.approved(&receiver.url("/")).await;
    let taken = desk.services.take_due_messages(32, &HashMap::new()).await.expect("a database");
    assert_eq!(taken.len(), 1);
    desk.advance(29);
    assert_eq!(desk.send_due().await, 0, "it may still be sending");
    desk.advance(1);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "delivered");

    // Had it only been slow, what it says now would be too late.
    let late = impri::domain::delivery::Outcome::Failed { status: Some(500), reason: "HTTP 500".to_owned() };
    desk.services.record_attempt(&taken[0], &late).await.expect("a database");
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt), ("delivered", 0));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_stops_lets_go_of_what_it_was_sending(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let worker = desk.start_worker(OPEN);
    let action = desk.approved(&receiver.url("/hang")).await;
    receiver.next().await;
    worker.stop().await;
    assert_eq!(desk.delivery(action).await.state, "pending");
    receiver.shared.let_go.notify_one();
    let other = desk.start_worker(OPEN);
    let again = receiver.next().await;
    again.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    receiver.shared.let_go.notify_one();
    desk.until_state(action, "delivered").await;
    other.stop().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_another_server_left_is_found_without_being_told(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let other =
        Services::new(desk.services.pool().clone(), desk.services.clock().clone(), "http://127.0.0.1:8485");
    let stop = CancellationToken::new();
    let token = stop.clone();
    let task = tokio::spawn(async move { notify::run(&other, OPEN, &token).await });
    // This server has no worker: as if it had ended between its commit and its first attempt.
    let action = desk.approved(&receiver.url("/")).await;
    receiver.next().await;
    desk.until_state(action, "delivered").await;
    stop.cancel();
    soon(task).await.expect("an orderly end");
}
