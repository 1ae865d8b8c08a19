//! Whoever takes the callbacks, and remembers which event was told of which action.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use axum::{Router, http::StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;

type Heard = Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>;

pub(super) struct Receiver {
    url: String,
    heard: Heard,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let heard = Heard::default();
        let app = Router::new().route("/", post(take)).with_state(Arc::clone(&heard));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, heard }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The events that were told of each action.
    pub(super) fn heard(&self) -> BTreeMap<String, BTreeSet<String>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn take(State(heard): State<Heard>, body: Bytes) -> StatusCode {
    let Ok(body) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST };
    let (Some(action), Some(event)) = (body["action_id"].as_str(), body["event_id"].as_str()) else {
        return StatusCode::BAD_REQUEST;
    };
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    heard.entry(action.to_owned()).or_default().insert(event.to_owned());
    StatusCode::OK
}
