//! The tools, as a host of an agent uses them: the official Python client, on stdin and over HTTP, in the protocol of
//! 2025 and of 2026.

mod host;
mod http;
mod loops;
mod outages;
mod refusals;
mod stdio;
mod waits;

use serde_json::{Value, json};

/// Arguments of a proposal, with some members more, or others.
fn push_with(members: Value) -> Value {
    crate::support::api::mail_with(members)
}

/// The id of an action.
fn one(id: &str) -> Value {
    json!({"action_id": id})
}

/// A look that does not wait.
fn look(id: &str) -> Value {
    json!({"action_id": id, "timeout_s": 0})
}
