//! The body of a decision callback, in the shape and key order that receivers of this contract parse.

use serde_json::{Map, Value, json};

use crate::domain::Instant;
use crate::domain::action::{Action, Status};
use crate::domain::decision::Verdict;
use crate::domain::ids::{ActionId, DeliveryId};
use crate::server::view::api;

/// The body about a decided action.
pub fn body(action: &Action, event: DeliveryId, now: Instant) -> String {
    let mut members = head(action.id, action.status(now));
    if let Some(decision) = action.decision() {
        let shown = api::decision(action, decision);
        members.insert("decided_at".into(), shown.decided_at.into());
        members.insert("verdict".into(), Verdict::as_str(decision.verdict).into());
        members.insert(
            "final_preview".into(),
            json!({"format": shown.final_preview.format, "body": shown.final_preview.body}),
        );
        members.insert("diff".into(), shown.diff.map_or(Value::Null, Value::String));
    }
    members.insert("event_id".into(), event.to_string().into());
    Value::Object(members).to_string()
}

/// The body about an action that nobody decided in time.
pub fn expired_body(action: ActionId, event: DeliveryId) -> String {
    let mut members = head(action, Status::Expired);
    members.insert("event_id".into(), event.to_string().into());
    Value::Object(members).to_string()
}

fn head(action: ActionId, status: Status) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("event".into(), "action.updated".into());
    members.insert("action_id".into(), action.to_string().into());
    members.insert("status".into(), status.as_str().into());
    members
}
