//! A program's address: one POST for each action that begins to wait, signed like a callback if the channel has a secret.

use futures::future::BoxFuture;
use reqwest::header::HeaderMap;
use serde_json::json;

use super::callback::signature;
use super::message::Message;
use super::outbound::{Answer, Outbound, header};
use super::platform::{Arrived, Failure, Platform, Remedy, Sent};
use super::reach::reach;
use crate::domain::channel::Config;
use crate::server::clock::Clock;
use crate::server::random;

/// A program's address.
pub struct Webhook {
    url: String,
    secret: String,
    outbound: Outbound,
}

impl Webhook {
    /// With a channel's settings.
    pub fn new(config: &Config, outbound: &Outbound) -> Self {
        Self {
            url: config.text("url").to_owned(),
            secret: config.text("hmac_secret").to_owned(),
            outbound: outbound.clone(),
        }
    }

    async fn post(&self, message: &Message) -> Sent {
        // Receivers refuse what is older than some minutes by their own clocks, so it is the machine's that counts.
        let timestamp = Clock::System.now().unix_timestamp();
        let body = json!({
            "event": "action.pending",
            "action_id": message.about.action,
            "title": message.about.title,
            "kind": message.about.kind,
            "inbox_url": message.link,
            "triggered_at": timestamp,
        })
        .to_string();
        let mut headers = HeaderMap::from_iter([header("content-type", "application/json")]);
        if !self.secret.is_empty() {
            let nonce = hex::encode(random::bytes::<8>());
            headers.extend([
                header("x-impri-timestamp", &timestamp.to_string()),
                header("x-impri-nonce", &nonce),
                header("x-impri-signature", &signature(&self.secret, timestamp, &nonce, &body)),
            ]);
        }
        judge(&self.outbound.call(&self.url, headers, body).await?)
    }
}

impl Platform for Webhook {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.post(message))
    }

    fn edit<'a>(&'a self, _: &'a str, _: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(std::future::ready(Err(Failure::never(None, "what was posted can't be changed"))))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, Failure>> {
        // A program takes a request for what it says; there is none that says nothing.
        Box::pin(async move {
            let reached = reach(&self.url, &self.outbound).await?;
            Ok(format!("{reached} at its address; only a test message shows whether the program takes one"))
        })
    }
}

fn judge(answer: &Answer) -> Sent {
    let (status, reason) = (Some(answer.status), format!("HTTP {}", answer.status));
    match answer.status {
        200..=299 => {
            Ok(Arrived { status: answer.status, reference: None, answer: format!("HTTP {}.", answer.status) })
        }
        429 | 503 => Err(Failure { status, reason, remedy: Remedy::After(answer.retry_after()) }),
        300..=399 => Err(Failure::never(status, format!("{reason}: redirects are not followed"))),
        404 | 410 => Err(Failure::never(status, reason)),
        _ => Err(Failure::again(status, reason)),
    }
}
