//! Decision callbacks: a body in the shape and key order that receivers of this contract parse, and the headers that
//! prove where it comes from.

use hmac::{Hmac, Mac as _};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::outbound::{Outbound, header};
use crate::domain::Instant;
use crate::domain::action::{Action, Status};
use crate::domain::decision::Verdict;
use crate::domain::delivery::Outcome;
use crate::domain::ids::{ActionId, DeliveryId};
use crate::server::db::outbox::TakenMessage;
use crate::server::random;
use crate::server::view::api;

/// Posts a callback, signed for this attempt alone: a receiver that saw the nonce before has a copy before it.
pub async fn send(outbound: &Outbound, taken: &TakenMessage, secret: &str, now: Instant) -> Outcome {
    let message = &taken.message;
    let timestamp = now.unix_timestamp();
    let nonce = hex::encode(random::bytes::<8>());
    let headers = HeaderMap::from_iter([
        header("content-type", "application/json"),
        header("x-impri-timestamp", &timestamp.to_string()),
        header("x-impri-nonce", &nonce),
        header("x-impri-signature", &signature(secret, timestamp, &nonce, &message.body)),
        header("x-impri-event-id", &message.event.to_string()),
    ]);
    outbound.post(&message.target, headers, message.body.clone()).await
}

/// `sha256=` and the HMAC-SHA256 of `timestamp.nonce.body`, keyed by the text of the project's secret.
///
/// # Panics
/// Never: HMAC takes keys of every length.
pub fn signature(secret: &str, timestamp: i64, nonce: &str, body: &str) -> String {
    #[expect(clippy::expect_used, reason = "HMAC is defined for keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(format!("{timestamp}.{nonce}.").as_bytes());
    mac.update(body.as_bytes());
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

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
        if let Some(receipt) = api::receipt(decision) {
            members.insert("receipt".into(), receipt.into());
        }
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_signature_is_the_one_that_receivers_compute() {
        // printf '1700000000.0123456789abcdef.{"event":"action.updated"}' | openssl dgst -sha256 -hmac secret-text
        assert_eq!(
            signature("secret-text", 1_700_000_000, "0123456789abcdef", r#"{"event":"action.updated"}"#),
            "sha256=49c06bfcdeda87e7291929b4c048d87a9906823ba1cda6f69d2dd7b81b3f672c",
        );
    }

    #[test]
    fn an_expiry_says_no_more_than_that() {
        let (action, event) = (ActionId::from_uuid(Uuid::nil()), DeliveryId::from_uuid(Uuid::nil()));
        let body = r#"{"event":"action.updated","action_id":"act_AAAAAAAAAAAAAAAAAAAAAA","status":"expired","event_id":"evt_AAAAAAAAAAAAAAAAAAAAAA"}"#;
        assert_eq!(expired_body(action, event), body);
    }
}
