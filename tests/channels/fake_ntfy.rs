//! An ntfy server as its documentation describes it (<https://docs.ntfy.sh/publish/>): publishing as JSON to the root,
//! access tokens, the limit of a message, and errors as JSON.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub(super) const TOKEN: &str = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2";

/// The server, and what was published on it.
pub(super) struct FakeNtfy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    published: Mutex<Vec<Value>>,
    /// Answers that come before the usual ones.
    refusals: Mutex<Vec<(StatusCode, &'static str)>>,
}

impl FakeNtfy {
    pub(super) async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let app = Router::new()
            .route("/", post(publish))
            .route("/v1/health", get(|| async { Json(json!({"healthy": true})) }))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, shared }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn config(&self) -> Value {
        json!({"url": self.url(), "topic": "impri-ops", "token": TOKEN})
    }

    pub(super) fn published(&self) -> Vec<Value> {
        self.shared.published.lock().expect("no panic").clone()
    }

    pub(super) fn titles(&self) -> Vec<String> {
        let title = |one: Value| one["title"].as_str().expect("a title").to_owned();
        self.published().into_iter().map(title).collect()
    }

    pub(super) fn refuse(&self, status: StatusCode, body: &'static str) {
        self.shared.refusals.lock().expect("no panic").push((status, body));
    }
}

async fn publish(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let refuse = |status: StatusCode, code: u32, error: &str| {
        let body = json!({"code": code, "http": status.as_u16(), "error": error});
        (status, Json(body)).into_response()
    };
    let refusal = shared.refusals.lock().expect("no panic").pop();
    if let Some((status, body)) = refusal {
        return (status, [(header::RETRY_AFTER, "17")], body).into_response();
    }
    let expected = format!("Bearer {TOKEN}");
    if headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()) != Some(expected.as_str()) {
        return refuse(StatusCode::FORBIDDEN, 40301, "forbidden");
    }
    let Ok(Value::Object(message)) = serde_json::from_slice::<Value>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, 40024, "invalid request: request body must be message JSON");
    };
    let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
    assert_eq!(text("topic"), "impri-ops");
    assert!(text("message").len() <= 4_096, "a longer one becomes an attachment");
    assert!(message["priority"].as_u64().is_some_and(|priority| (1..=5).contains(&priority)));
    assert!(message["tags"].as_array().is_some_and(|tags| tags.iter().all(Value::is_string)));
    assert!(text("click").starts_with("http"));
    let actions = message["actions"].as_array().expect("a list");
    assert!(actions.len() <= 3 && actions.iter().all(|action| action["action"] == "view"));
    shared.published.lock().expect("no panic").push(Value::Object(message));
    Json(json!({"id": "wze9zgqK41", "time": 1_700_000_000, "event": "message", "topic": "impri-ops"}))
        .into_response()
}
