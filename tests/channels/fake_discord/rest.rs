//! The REST side (<https://docs.discord.com/developers/reference>).

use axum::extract::{Path, Request, State as Extracted};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::{CHANNEL, HOOK, Message, Shared, TOKEN, check};

pub(super) fn router(shared: Shared) -> Router {
    Router::new()
        .route("/api/v10/users/@me", get(me))
        .route("/api/v10/gateway/bot", get(gateway))
        .route("/api/v10/channels/{channel}", get(channel))
        .route("/api/v10/channels/{channel}/messages", post(create))
        .route("/api/v10/channels/{channel}/messages/{message}", patch(edit))
        .route("/api/v10/interactions/{id}/{token}/callback", post(acknowledge))
        .route("/api/v10/webhooks/{application}/{token}/messages/@original", patch(answer))
        .route(HOOK, get(hook).post(hook_create))
        .route(&format!("{HOOK}/messages/{{message}}"), patch(hook_edit))
        .layer(middleware::from_fn_with_state(shared.clone(), refused))
        .with_state(shared)
}

fn refuse(status: u16, code: u64, message: &str) -> Response {
    say(status, json!({"message": message, "code": code}))
}

fn say(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).expect("a status"), Json(body)).into_response()
}

/// Refuses what it was told to, and whoever does not say what program they are
/// (<https://docs.discord.com/developers/reference#user-agent>).
async fn refused(Extracted(shared): Extracted<Shared>, request: Request, next: Next) -> Response {
    let agent = request.headers()["user-agent"].to_str().expect("a text");
    let version = agent.strip_prefix("DiscordBot (").and_then(|rest| rest.strip_suffix(')'));
    let url = version.and_then(|text| text.split_once(", ")).map(|(url, _)| url.starts_with("https://"));
    assert_eq!(url, Some(true), "a valid User-Agent: {agent}");
    let (method, path) = (request.method().as_str().to_owned(), request.uri().path().to_owned());
    let found = {
        let mut state = shared.lock();
        state.calls.push(format!("{method} {path}"));
        let mut refusals = state.refusals.iter();
        let at = refusals.position(|(of, end, ..)| *of == method && path.ends_with(end));
        at.map(|at| state.refusals.remove(at))
    };
    match found {
        Some((_, _, status, body)) => say(status, body),
        None => next.run(request).await,
    }
}

fn is_bot(headers: &HeaderMap) -> bool {
    headers.get("authorization").is_some_and(|value| value == &format!("Bot {TOKEN}"))
}

fn stranger() -> Response {
    refuse(401, 0, "401: Unauthorized")
}

async fn me(headers: HeaderMap) -> Response {
    match is_bot(&headers) {
        true => say(200, json!({"id": "119969526512345678", "username": "impri", "bot": true})),
        false => stranger(),
    }
}

async fn gateway(Extracted(shared): Extracted<Shared>, headers: HeaderMap) -> Response {
    if !is_bot(&headers) {
        return stranger();
    }
    let limit = json!({"total": 1_000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1});
    let url = shared.lock().gateway.clone();
    say(200, json!({"url": url, "shards": 1, "session_start_limit": limit}))
}

async fn channel(headers: HeaderMap, Path(channel): Path<String>) -> Response {
    match (is_bot(&headers), channel == CHANNEL) {
        (false, _) => stranger(),
        (true, false) => refuse(404, 10_003, "Unknown Channel"),
        (true, true) => say(200, json!({"id": CHANNEL, "type": 0, "name": "approvals"})),
    }
}

async fn create(
    Extracted(shared): Extracted<Shared>,
    headers: HeaderMap,
    Path(channel): Path<String>,
    Json(sent): Json<Value>,
) -> Response {
    match (is_bot(&headers), channel == CHANNEL) {
        (false, _) => stranger(),
        (true, false) => refuse(404, 10_003, "Unknown Channel"),
        (true, true) => put(&shared, sent),
    }
}

fn put(shared: &Shared, sent: Value) -> Response {
    if let Err(wrong) = check::message(&sent) {
        return say(400, *wrong);
    }
    let mut state = shared.lock();
    state.last_id += 1;
    let id = state.last_id;
    let sent = kept(sent, state.drops_embeds);
    state.messages.insert(id, Message { id, sent: sent.clone() });
    shown(id, sent)
}

/// Without embeds where the permission for them is missing.
fn kept(mut sent: Value, drops_embeds: bool) -> Value {
    if drops_embeds && sent["embeds"].is_array() {
        sent["embeds"] = json!([]);
    }
    sent
}

fn shown(id: u64, mut sent: Value) -> Response {
    sent["id"] = json!(id.to_string());
    say(200, sent)
}

async fn edit(
    Extracted(shared): Extracted<Shared>,
    headers: HeaderMap,
    Path((channel, message)): Path<(String, u64)>,
    Json(sent): Json<Value>,
) -> Response {
    match (is_bot(&headers), channel == CHANNEL) {
        (false, _) => stranger(),
        (true, false) => refuse(404, 10_003, "Unknown Channel"),
        (true, true) => change(&shared, message, sent),
    }
}

fn change(shared: &Shared, id: u64, sent: Value) -> Response {
    if let Err(wrong) = check::message(&sent) {
        return say(400, *wrong);
    }
    let mut state = shared.lock();
    let sent = kept(sent, state.drops_embeds);
    let Some(message) = state.messages.get_mut(&id) else { return refuse(404, 10_008, "Unknown Message") };
    for (name, value) in sent.as_object().expect("an object") {
        message.sent[name] = value.clone();
    }
    let now = message.sent.clone();
    state.edits += 1;
    shown(id, now)
}

/// <https://docs.discord.com/developers/interactions/receiving-and-responding#create-interaction-response>
async fn acknowledge(
    Extracted(shared): Extracted<Shared>,
    headers: HeaderMap,
    Path((id, token)): Path<(String, String)>,
    Json(sent): Json<Value>,
) -> Response {
    assert!(headers.get("authorization").is_none(), "the token is enough");
    if let Err(wrong) = check::first_answer(&sent) {
        return say(400, *wrong);
    }
    {
        let mut state = shared.lock();
        match state.interactions.get_mut(&token).filter(|asked| asked.id == id) {
            None => return refuse(404, 10_062, "Unknown interaction"),
            Some(asked) if asked.first.is_some() => {
                return refuse(400, 40_060, "Interaction has already been acknowledged.");
            }
            Some(asked) => asked.first = Some(sent),
        }
    }
    shared.ring();
    StatusCode::NO_CONTENT.into_response()
}

async fn answer(
    Extracted(shared): Extracted<Shared>,
    Path((application, token)): Path<(String, String)>,
    Json(sent): Json<Value>,
) -> Response {
    if let Err(wrong) = check::message(&sent) {
        return say(400, *wrong);
    }
    {
        let mut state = shared.lock();
        let asked = state.interactions.get_mut(&token).filter(|_| application == super::APPLICATION);
        // There is nothing to change before the interaction was acknowledged.
        match asked.filter(|asked| asked.first.as_ref().is_some_and(|first| first["type"] == 5)) {
            None => return refuse(404, 10_015, "Unknown Webhook"),
            Some(asked) => asked.then = Some(sent.clone()),
        }
    }
    shared.ring();
    say(200, sent)
}

/// <https://docs.discord.com/developers/resources/webhook#get-webhook-with-token>
async fn hook() -> Response {
    say(200, json!({"id": "1199700000000000007", "type": 1, "name": "Impri", "channel_id": CHANNEL}))
}

/// <https://docs.discord.com/developers/resources/webhook#execute-webhook>
async fn hook_create(
    Extracted(shared): Extracted<Shared>,
    uri: axum::http::Uri,
    Json(sent): Json<Value>,
) -> Response {
    assert_eq!(uri.query(), Some("wait=true"), "or nothing would be answered");
    assert_eq!(sent["components"], json!([]), "it is no application's webhook");
    put(&shared, sent)
}

async fn hook_edit(
    Extracted(shared): Extracted<Shared>,
    Path(message): Path<u64>,
    Json(sent): Json<Value>,
) -> Response {
    change(&shared, message, sent)
}
