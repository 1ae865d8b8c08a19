//! The incoming webhook: an address that takes messages and nothing else
//! (<https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/>).

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::form::{self, Link};
use crate::server::notify::message::Message;
use crate::server::notify::outbound::{Answer, Outbound, header};
use crate::server::notify::platform::{Arrived, Failure, Remedy, Sent};

pub(super) async fn post(url: &str, outbound: &Outbound, message: &Message) -> Sent {
    let body = Value::Object(form::body(message, form::LIMITS[0], Link::Line));
    let answer = call(url, outbound, &body).await?;
    match answer.status {
        200..=299 => {
            Ok(Arrived { status: answer.status, reference: None, answer: "Slack took it.".to_owned() })
        }
        _ => Err(refusal(&answer)),
    }
}

/// Looks whether the webhook is there, with a message that has nothing in it: Slack refuses that, and only that.
pub(super) async fn look(url: &str, outbound: &Outbound) -> Result<String, Failure> {
    let answer = call(url, outbound, &json!({})).await?;
    let is_there = answer.status == 400 && ["no_text", "invalid_payload"].contains(&said(&answer).as_str());
    match is_there || (200..300).contains(&answer.status) {
        true => Ok("the webhook takes messages".to_owned()),
        false => Err(refusal(&answer)),
    }
}

async fn call(url: &str, outbound: &Outbound, body: &Value) -> Result<Answer, Failure> {
    let headers = HeaderMap::from_iter([header("content-type", "application/json")]);
    outbound.call(url, headers, body.to_string()).await
}

/// The one word that the webhook answers with.
fn said(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).trim().chars().take(100).collect()
}

/// What the webhook's words mean
/// (<https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/#handling_errors>).
fn refusal(answer: &Answer) -> Failure {
    let said = said(answer);
    let (remedy, reason) = match (answer.status, said.as_str()) {
        (429, _) => (Remedy::After(answer.retry_after()), "Slack asks to wait".to_owned()),
        (500.., _) => (Remedy::Again, format!("HTTP {} from Slack", answer.status)),
        (_, "no_service" | "no_active_hooks" | "no_team" | "invalid_token" | "team_disabled") => {
            (Remedy::Never, format!("the webhook is not there any more: make a new one ({said})"))
        }
        (_, "channel_is_archived") => (Remedy::Never, format!("the channel is archived ({said})")),
        (_, "channel_not_found") => (Remedy::Never, format!("the channel is not there any more ({said})")),
        (_, "action_prohibited" | "posting_to_general_channel_denied") => {
            (Remedy::Never, format!("the workspace does not let the webhook write there ({said})"))
        }
        (status, said) => (Remedy::Never, format!("HTTP {status} {said}").trim_end().to_owned()),
    };
    Failure { status: Some(answer.status), reason, remedy }
}
