//! A Bot API server as its documentation describes it (<https://core.telegram.org/bots/api>): it knows one bot and its
//! chats, checks what it is sent (`sendMessage`, `InlineKeyboardMarkup`, the limits of texts and of button data), keeps the
//! messages, hands out updates until they are confirmed, and refuses as Telegram does.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::fake_telegram_checks::{check, shown};
use super::fake_telegram_line::{Asking, Cut, cut_off, hold};

pub(super) const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
pub(super) const GROUP: i64 = -1_001_234_567_890;
pub(super) const ADA: i64 = 777_001;
pub(super) const STRANGER: i64 = 777_666;

/// The server.
pub(super) struct FakeTelegram {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
pub(super) struct Shared {
    /// By chat and number.
    messages: BTreeMap<(i64, i64), Message>,
    last_id: i64,
    updates: Vec<Value>,
    answers: Vec<Value>,
    edits: usize,
    /// Answers that come before the usual ones, by method.
    pub(super) refusals: Vec<(&'static str, u16, Value)>,
    pub(super) cuts: Vec<(&'static str, Cut)>,
    pub(super) asking: Asking,
    /// Rings when there is news.
    pub(super) bell: watch::Sender<()>,
    /// What was called, one after the other.
    calls: Vec<String>,
}

impl Shared {
    /// Whether there is something to be answered to a question for news at once.
    pub(super) fn has_news(&self, offset: i64) -> bool {
        self.refusals.iter().any(|(method, ..)| *method == "getUpdates")
            || self.updates.iter().any(|update| update["update_id"].as_i64() >= Some(offset))
    }

    fn next_cut(&mut self, method: &str) -> Option<Cut> {
        let at = self.cuts.iter().position(|(one, _)| *one == method)?;
        Some(self.cuts.remove(at).1)
    }
}

/// A message in a chat, as people see it.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) id: i64,
    pub(super) text: String,
    pub(super) markup: Value,
}

impl Message {
    pub(super) fn labels(&self) -> Vec<String> {
        self.buttons().into_iter().map(|(label, _)| label).collect()
    }

    /// What the button with this label carries.
    pub(super) fn data(&self, label: &str) -> String {
        let found = self.buttons().into_iter().find(|(one, _)| one == label);
        found.unwrap_or_else(|| panic!("no {label}: {self:?}")).1
    }

    fn buttons(&self) -> Vec<(String, String)> {
        let rows = self.markup["inline_keyboard"].as_array().cloned().unwrap_or_default();
        let buttons = rows.iter().flat_map(|row| row.as_array().expect("a row").clone());
        let text = |button: &Value, name: &str| button[name].as_str().unwrap_or_default().to_owned();
        buttons.map(|button| (text(&button, "text"), text(&button, "callback_data"))).collect()
    }
}

impl FakeTelegram {
    pub(super) async fn start() -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let app = Router::new().route("/{bot}/{method}", post(method)).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic")
    }

    /// The messages of a chat, the oldest first.
    pub(super) fn chat(&self, chat: i64) -> Vec<Message> {
        let shared = self.lock();
        shared
            .messages
            .iter()
            .filter(|((one, _), _)| *one == chat)
            .map(|(_, message)| message.clone())
            .collect()
    }

    pub(super) fn edits(&self) -> usize {
        self.lock().edits
    }

    /// How often a method was called.
    pub(super) fn calls(&self, method: &str) -> usize {
        self.lock().calls.iter().filter(|one| *one == method).count()
    }

    /// What was answered to buttons, the last one.
    pub(super) fn last_answer(&self) -> Value {
        self.lock().answers.last().expect("an answer").clone()
    }

    pub(super) fn refuse(&self, method: &'static str, code: u16, parameters: Value, description: &str) {
        let body =
            json!({"ok": false, "error_code": code, "description": description, "parameters": parameters});
        self.lock().refusals.push((method, code, body));
    }

    fn update(&self, name: &str, what: Value) {
        let mut shared = self.lock();
        let id = 9_000 + i64::try_from(shared.updates.len()).expect("few");
        let mut update = json!({"update_id": id});
        update[name] = what;
        shared.updates.push(update);
        shared.bell.send_replace(());
    }

    /// Somebody presses a button below a message.
    pub(super) fn press(&self, user: i64, message: &Message, label: &str) {
        self.press_data(user, message, &message.data(label));
    }

    pub(super) fn press_data(&self, user: i64, message: &Message, data: &str) {
        let chat = json!({"id": GROUP, "type": "supergroup", "title": "Ops"});
        let query = json!({"id": "4382bfdwdsb323b2d9", "from": from(user), "chat_instance": "-1",
            "message": {"message_id": message.id, "chat": chat, "text": message.text}, "data": data});
        self.update("callback_query", query);
    }

    /// Somebody replies to a message in the group.
    pub(super) fn reply(&self, user: i64, to: &Message, text: &str) {
        let chat = json!({"id": GROUP, "type": "supergroup", "title": "Ops"});
        let message = json!({"message_id": 1_000_000, "from": from(user), "chat": chat, "text": text,
            "reply_to_message": {"message_id": to.id, "chat": chat}});
        self.update("message", message);
    }

    /// Somebody writes to the bot alone.
    pub(super) fn whisper(&self, user: i64, text: &str) {
        let message = json!({"message_id": 1_000_001, "from": from(user), "text": text,
            "chat": {"id": user, "type": "private"}});
        self.update("message", message);
    }
}

fn from(user: i64) -> Value {
    let name = if user == ADA { "ada_l" } else { "mallory" };
    json!({"id": user, "is_bot": false, "first_name": name, "username": name})
}

pub(super) fn refuse(code: u16, description: &str) -> Response {
    let body = json!({"ok": false, "error_code": code, "description": description});
    (StatusCode::from_u16(code).expect("a status"), Json(body)).into_response()
}

fn done(result: Value) -> Response {
    Json(json!({"ok": true, "result": result})).into_response()
}

async fn method(
    State(shared): State<Arc<Mutex<Shared>>>,
    Path((bot, method)): Path<(String, String)>,
    Json(sent): Json<Value>,
) -> Response {
    if bot != format!("bot{TOKEN}") {
        return refuse(401, "Unauthorized");
    }
    let cut = {
        let mut shared = shared.lock().expect("no panic");
        shared.calls.push(method.clone());
        shared.next_cut(&method)
    };
    if cut == Some(Cut::Before) {
        return cut_off();
    }
    if method == "getUpdates" {
        hold(&shared, &sent).await;
    }
    let answer = act(&mut shared.lock().expect("no panic"), &method, sent);
    if cut == Some(Cut::After) { cut_off() } else { answer }
}

fn act(shared: &mut Shared, method: &str, sent: Value) -> Response {
    if let Some(at) = shared.refusals.iter().position(|(one, ..)| *one == method) {
        let (_, code, body) = shared.refusals.remove(at);
        return (StatusCode::from_u16(code).expect("a status"), Json(body)).into_response();
    }
    match method {
        "getMe" => {
            done(json!({"id": 110_201_543, "is_bot": true, "first_name": "Impri", "username": "impri_bot"}))
        }
        "getChat" if sent["chat_id"] == GROUP => {
            done(json!({"id": GROUP, "type": "supergroup", "title": "Ops"}))
        }
        "getChat" => refuse(400, "Bad Request: chat not found"),
        "sendMessage" => send(shared, &sent),
        "editMessageText" => edit(shared, &sent),
        "answerCallbackQuery" => {
            assert!(
                sent["text"].as_str().is_some_and(|text| text.chars().count() <= 200),
                "0-200 characters"
            );
            shared.answers.push(sent);
            done(json!(true))
        }
        "getUpdates" => {
            let offset = sent["offset"].as_i64().expect("a number");
            assert!(sent["allowed_updates"].is_array() && sent["timeout"].is_u64());
            let news = shared.updates.iter().filter(|update| update["update_id"].as_i64() >= Some(offset));
            done(Value::Array(news.cloned().collect()))
        }
        "deleteWebhook" => done(json!(true)),
        _ => refuse(404, "Not Found: method not found"),
    }
}

fn send(shared: &mut Shared, sent: &Value) -> Response {
    let chat = sent["chat_id"].as_i64().unwrap_or_default();
    if ![GROUP, ADA, STRANGER].contains(&chat) {
        return refuse(400, "Bad Request: chat not found");
    }
    if let Err(refusal) = check(sent) {
        return *refusal;
    }
    shared.last_id += 1;
    let id = shared.last_id;
    let message = message(id, sent);
    shared.messages.insert((chat, id), message);
    done(json!({"message_id": id, "chat": {"id": chat}}))
}

fn edit(shared: &mut Shared, sent: &Value) -> Response {
    if let Err(refusal) = check(sent) {
        return *refusal;
    }
    let place = (sent["chat_id"].as_i64().expect("a chat"), sent["message_id"].as_i64().expect("a number"));
    let next = message(place.1, sent);
    let Some(current) = shared.messages.get_mut(&place) else {
        return refuse(400, "Bad Request: message to edit not found");
    };
    if current.text == next.text && current.markup == next.markup {
        return refuse(
            400,
            "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
        );
    }
    *current = next;
    shared.edits += 1;
    done(json!({"message_id": place.1}))
}

fn message(id: i64, sent: &Value) -> Message {
    let html = sent["text"].as_str().expect("a text");
    let text = if sent["parse_mode"] == "HTML" { shown(html).expect("checked") } else { html.to_owned() };
    Message { id, text, markup: sent["reply_markup"].clone() }
}
