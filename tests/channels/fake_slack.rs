//! Slack as its documentation describes it: the methods of the Web API that are used
//! (<https://docs.slack.dev/reference/methods/>), with their authentication, the limits of blocks
//! (<https://docs.slack.dev/reference/block-kit/blocks/>, <https://docs.slack.dev/reference/block-kit/block-elements/button-element/>)
//! and of forms (<https://docs.slack.dev/reference/views/modal-views/>), triggers that work once
//! (<https://docs.slack.dev/interactivity/handling-user-interaction/>), and Slack's errors. It keeps the messages and says
//! what people were told alone.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::fake_slack_checks::{check, is_form, read};

pub(super) const BOT: &str = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy";
pub(super) const APP: &str = "xapp-1-A0KRD7HC3-1234567890-abcdef0123456789";
pub(super) const SIGNING: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub(super) const CHANNEL: &str = "C0123456789";
pub(super) const ADA: &str = "U0ADA00001";
pub(super) const STRANGER: &str = "U0MALLORY1";

/// The server.
pub(super) struct FakeSlack {
    address: SocketAddr,
    pub(super) shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
pub(super) struct Shared {
    messages: Vec<Message>,
    /// What somebody was told alone: who if it was said, and what.
    pub(super) whispers: Vec<Value>,
    views: Vec<Value>,
    pub(super) triggers: Vec<String>,
    pub(super) last_id: u32,
    edits: usize,
    /// What incoming webhooks took.
    hooked: Vec<Value>,
    /// Answers that come before the usual ones, by method.
    refusals: Vec<(&'static str, &'static str)>,
    /// What was called, one after the other.
    calls: Vec<String>,
    /// Where Socket Mode is, once there is something.
    pub(super) socket: Option<SocketAddr>,
    /// What opens a connection, once.
    pub(super) tickets: Vec<String>,
}

impl Shared {
    /// The form that was opened last, to be tampered with.
    pub(super) fn views_last(&mut self) -> &mut Value {
        self.views.last_mut().expect("a form")
    }
}

/// A message in the channel, as people see it.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) ts: String,
    pub(super) line: String,
    pub(super) blocks: Value,
}

impl Message {
    /// Everything that is read in it.
    pub(super) fn text(&self) -> String {
        read(&self.blocks)
    }

    pub(super) fn labels(&self) -> Vec<String> {
        buttons(&self.blocks)
            .iter()
            .map(|button| button["text"]["text"].as_str().expect("a label").to_owned())
            .collect()
    }
}

pub(super) fn buttons(blocks: &Value) -> Vec<Value> {
    let blocks = blocks.as_array().expect("blocks").iter().filter(|block| block["type"] == "actions");
    blocks.flat_map(|block| block["elements"].as_array().expect("elements").clone()).collect()
}

impl FakeSlack {
    pub(super) async fn start() -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let app = Router::new()
            .route("/api/{method}", post(method))
            .route("/actions/{user}/{id}", post(answered))
            .route("/services/{id}", post(hooked))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic")
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        self.lock().messages.clone()
    }

    pub(super) fn last(&self) -> Message {
        self.lock().messages.last().expect("a message").clone()
    }

    pub(super) fn hooked(&self) -> Vec<Value> {
        self.lock().hooked.clone()
    }

    pub(super) fn edits(&self) -> usize {
        self.lock().edits
    }

    /// What somebody was told alone, the last one; and who.
    pub(super) fn whisper(&self) -> (String, String) {
        let whispers = &self.lock().whispers;
        let last = whispers.last().expect("an answer");
        (last["user"].as_str().expect("somebody").to_owned(), read(&last["blocks"]))
    }

    pub(super) fn whispers(&self) -> usize {
        self.lock().whispers.len()
    }

    /// The form that was opened last.
    pub(super) fn view(&self) -> Value {
        self.lock().views.last().expect("a form").clone()
    }

    pub(super) fn views(&self) -> usize {
        self.lock().views.len()
    }

    /// How often a method was called.
    pub(super) fn calls(&self, method: &str) -> usize {
        self.lock().calls.iter().filter(|one| *one == method).count()
    }

    /// Forgets what it was to refuse.
    pub(super) fn relent(&self) {
        self.lock().refusals.clear();
    }

    pub(super) fn refuse(&self, method: &'static str, code: &'static str) {
        self.lock().refusals.push((method, code));
    }
}

fn done(mut result: Value) -> Response {
    result["ok"] = true.into();
    axum::Json(result).into_response()
}

fn refuse(code: &str) -> Response {
    if code == "ratelimited" {
        let body = json!({"ok": false, "error": code}).to_string();
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "9")], body).into_response();
    }
    axum::Json(json!({"ok": false, "error": code, "needed": "channels:read"})).into_response()
}

async fn method(
    State(shared): State<Arc<Mutex<Shared>>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let token = if method == "apps.connections.open" { APP } else { BOT };
    if header("authorization") != format!("Bearer {token}") {
        return refuse("invalid_auth");
    }
    let mut shared = shared.lock().expect("no panic");
    shared.calls.push(method.clone());
    if let Some(at) = shared.refusals.iter().position(|(one, _)| *one == method) {
        let (_, code) = shared.refusals.remove(at);
        return refuse(code);
    }
    // Methods that read take no JSON.
    if method == "conversations.info" {
        assert_eq!(header("content-type"), "application/x-www-form-urlencoded");
        let asked =
            url::form_urlencoded::parse(&body).any(|(name, value)| name == "channel" && value == CHANNEL);
        return match asked {
            true => done(
                json!({"channel": {"id": CHANNEL, "name": "ops", "is_member": true, "is_archived": false}}),
            ),
            false => refuse("channel_not_found"),
        };
    }
    assert_eq!(header("content-type"), "application/json; charset=utf-8");
    let sent: Value = serde_json::from_slice(&body).expect("JSON");
    match method.as_str() {
        "auth.test" => done(json!({"team": "Acme", "user": "impri", "user_id": "U0BOT", "bot_id": "B0BOT"})),
        "apps.connections.open" => {
            let Some(address) = shared.socket else { return refuse("internal_error") };
            shared.last_id += 1;
            let ticket = format!("ticket-{}", shared.last_id);
            shared.tickets.push(ticket.clone());
            done(json!({"url": format!("ws://{address}/link/?ticket={ticket}&app_id=A0KRD7HC3")}))
        }
        "chat.postMessage" | "chat.update" => write(&mut shared, &method, &sent),
        "chat.postEphemeral" if sent["channel"] == CHANNEL => {
            shared.whispers.push(sent);
            done(json!({"message_ts": "1502210682.580145"}))
        }
        "views.open" => open(&mut shared, &sent),
        _ => refuse("unknown_method"),
    }
}

fn write(shared: &mut Shared, method: &str, sent: &Value) -> Response {
    if sent["channel"] != CHANNEL {
        return refuse("channel_not_found");
    }
    if let Err(code) = check(sent) {
        return refuse(code);
    }
    assert_eq!((&sent["unfurl_links"], &sent["unfurl_media"]), (&json!(false), &json!(false)));
    let mut message = Message {
        ts: String::new(),
        line: sent["text"].as_str().expect("a text").to_owned(),
        blocks: sent["blocks"].clone(),
    };
    if method == "chat.postMessage" {
        shared.last_id += 1;
        message.ts = format!("1503435956.{:06}", shared.last_id);
        shared.messages.push(message.clone());
    } else {
        let Some(current) = shared.messages.iter_mut().find(|message| sent["ts"] == message.ts) else {
            return refuse("message_not_found");
        };
        message.ts.clone_from(&current.ts);
        *current = message.clone();
        shared.edits += 1;
    }
    done(json!({"channel": CHANNEL, "ts": message.ts}))
}

fn open(shared: &mut Shared, sent: &Value) -> Response {
    let trigger = sent["trigger_id"].as_str().expect("a trigger");
    let Some(at) = shared.triggers.iter().position(|one| one == trigger) else {
        return refuse("exchanged_trigger_id");
    };
    shared.triggers.remove(at);
    let view = &sent["view"];
    if !is_form(view) {
        return refuse("invalid_arguments");
    }
    shared.views.push(view.clone());
    done(json!({"view": view}))
}

/// An answer to what was pressed
/// (<https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses>).
async fn answered(
    State(shared): State<Arc<Mutex<Shared>>>,
    Path((user, _)): Path<(String, String)>,
    axum::Json(mut sent): axum::Json<Value>,
) -> &'static str {
    assert_eq!((&sent["response_type"], &sent["replace_original"]), (&json!("ephemeral"), &json!(false)));
    assert_eq!(check(&sent), Ok(()));
    sent["user"] = user.into();
    shared.lock().expect("no panic").whispers.push(sent);
    "ok"
}

/// An incoming webhook (<https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/>).
async fn hooked(
    State(shared): State<Arc<Mutex<Shared>>>,
    Path(id): Path<String>,
    axum::Json(sent): axum::Json<Value>,
) -> (StatusCode, &'static str) {
    if id != "T0-B0-x" {
        return (StatusCode::NOT_FOUND, "no_service");
    }
    if sent["text"].is_null() {
        return (StatusCode::BAD_REQUEST, "no_text");
    }
    assert_eq!(check(&sent), Ok(()));
    shared.lock().expect("no panic").hooked.push(sent);
    (StatusCode::OK, "ok")
}
