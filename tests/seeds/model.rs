//! A language model with a script: an OpenAI-compatible endpoint that says what it was told to say.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The endpoint, and everything that it was asked.
pub(super) struct Model {
    pub(super) url: String,
    asked: Arc<Mutex<Vec<Value>>>,
    task: tokio::task::JoinHandle<()>,
}

/// What it says: first a call of `function`, then the word that ends a conversation.
#[derive(Clone)]
struct Script {
    function: &'static str,
    arguments: Value,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub(super) async fn start(function: &'static str, arguments: Value) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let script = Script { function, arguments, asked: Arc::clone(&asked) };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("its address"));
        let app = Router::new().route("/v1/chat/completions", post(complete)).with_state(script);
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("it serves") });
        Self { url, asked, task }
    }

    /// Every request so far, in order.
    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the functions returned to it.
    pub(super) fn told(&self) -> Vec<String> {
        let asked = self.asked();
        let last = asked.last().and_then(|request| request["messages"].as_array()).expect("a conversation");
        let results = last.iter().filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().expect("text").to_owned()).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn complete(State(script): State<Script>, Json(request): Json<Value>) -> Json<Value> {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let was_answered = messages.iter().any(|message| message["role"] == "tool");
    script.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    let (message, reason) = if was_answered {
        (json!({"role": "assistant", "content": "TERMINATE"}), "stop")
    } else {
        let arguments = script.arguments.to_string();
        let call = json!({"id": "call_1", "type": "function", "function": {"name": script.function, "arguments": arguments}});
        (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
    };
    Json(json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }))
}
