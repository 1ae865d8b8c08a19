//! ntfy: a notification with a link to the card. Nothing is decided from it.
//!
//! Messages are published as JSON to the server's root (<https://docs.ntfy.sh/publish/#publish-as-json>), so that titles
//! may hold any character, which headers may not. A message is at most 4,096 bytes
//! (<https://docs.ntfy.sh/publish/#limitations>); the server would make an attachment of a longer one.

use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::message::{Fitted, Message, Part, Place, fit};
use super::outbound::{Answer, Outbound, header};
use super::platform::{Arrived, Failure, Platform, Remedy, Sent};
use crate::domain::channel::Config;

/// Most bytes of a message.
const LIMIT: usize = 4_096;

/// A topic of an ntfy server.
pub struct Ntfy {
    server: String,
    topic: String,
    token: String,
    outbound: Outbound,
}

impl Ntfy {
    /// With a channel's settings.
    pub fn new(config: &Config, outbound: &Outbound) -> Self {
        Self {
            server: config.text("url").to_owned(),
            topic: config.text("topic").to_owned(),
            token: config.text("token").to_owned(),
            outbound: outbound.clone(),
        }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::from_iter([header("content-type", "application/json")]);
        if !self.token.is_empty()
            && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", self.token))
        {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }

    async fn publish(&self, message: &Message) -> Sent {
        let body = publication(&self.topic, message).to_string();
        let answer = self.outbound.call(&self.server, self.headers(), body).await?;
        judge(&answer)
    }
}

impl Platform for Ntfy {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.publish(message))
    }

    fn edit<'a>(&'a self, _: &'a str, _: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(std::future::ready(Err(Failure::never(None, "what was published can't be changed"))))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, Failure>> {
        // Whether the topic may be written to is only known by writing to it.
        let address = format!("{}/v1/health", self.server.trim_end_matches('/'));
        Box::pin(async move {
            let answer = self.outbound.get(&address, self.headers()).await?;
            match answer.json()["healthy"].as_bool() {
                Some(true) => {
                    Ok("the server is healthy; a test message shows whether the topic takes it".to_owned())
                }
                _ => Err(Failure::again(
                    Some(answer.status),
                    format!("HTTP {} from {}", answer.status, "/v1/health"),
                )),
            }
        })
    }
}

/// What is published.
fn publication(topic: &str, message: &Message) -> Value {
    let Fitted { parts, missing } = fit(&message.parts, LIMIT - 64, |part| line(part).len() + 2);
    // The title stands above the message.
    let mut lines: Vec<String> =
        parts.iter().filter(|part| !matches!(part.place, Place::Title | Place::Heading)).map(line).collect();
    lines.extend(missing);
    json!({
        "topic": topic,
        "title": message.subject,
        "message": lines.join("\n\n"),
        "priority": priority(message.minutes_left),
        // Never the agent's words: what is a short code of ntfy's would become an emoji before the title.
        "tags": ["impri"],
        "click": message.link,
        "actions": [{"action": "view", "label": message.link_label, "url": message.link}],
    })
}

fn line(part: &Part) -> String {
    match part.label {
        "" => part.text.clone(),
        label => format!("{label}: {}", part.text),
    }
}

/// The less time is left, the more urgent; 3 is the usual.
fn priority(minutes_left: Option<i64>) -> u8 {
    match minutes_left {
        Some(..=15) => 5,
        Some(..=60) => 4,
        _ => 3,
    }
}

/// Errors are JSON with `error` (<https://docs.ntfy.sh/publish/#limitations> for 429).
fn judge(answer: &Answer) -> Sent {
    let body = answer.json();
    let said = body["error"].as_str().unwrap_or_default();
    let reason = if said.is_empty() {
        format!("HTTP {}", answer.status)
    } else {
        format!("HTTP {}: {said}", answer.status)
    };
    match answer.status {
        200..=299 => {
            let id = body["id"].as_str().map(|id| format!("Published as {id}.")).unwrap_or_default();
            Ok(Arrived { status: answer.status, reference: None, answer: id })
        }
        429 => Err(Failure { status: Some(429), reason, remedy: Remedy::After(answer.retry_after()) }),
        400..=407 | 413 => Err(Failure::never(Some(answer.status), reason)),
        _ => Err(Failure::again(Some(answer.status), reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_urgent_rings_louder() {
        let cases = [(None, 3), (Some(0), 5), (Some(15), 5), (Some(16), 4), (Some(60), 4), (Some(61), 3)];
        for (left, expected) in cases {
            assert_eq!(priority(left), expected, "{left:?}");
        }
    }
}
