//! Discord: cards in a channel, with buttons where people may decide from it.
//!
//! A channel speaks through a webhook, which only tells, or as a bot, which is heard by the gateway ([`listen`]) or by
//! signed calls ([`callback`]). It speaks REST, version 10, and JSON over a WebSocket with this server's own clients: the
//! maintained crates (twilight, serenity) bring a second HTTP stack, and caches of servers and members that nothing here
//! needs; twilight's gateway can't be sent to another address at all. What is needed is ten endpoints and seven opcodes.
//! Where the API is can be set, for a proxy and for tests.

mod api;
pub mod callback;
mod form;
mod gateway;
mod interaction;
pub mod listen;
mod news;

use futures::future::BoxFuture;
use reqwest::Method;
use serde_json::{Map, Value, json};
use url::Url;

pub use self::api::Bot;
use self::api::{Door, path_is_number};
use super::message::Message;
use super::outbound::Outbound;
use super::platform::{Arrived, Failure, Platform, Sent};
use super::platforms::Platforms;
use crate::domain::channel::{Config, is_discord_bot};

/// A channel, and how it is spoken to.
pub enum Discord {
    /// As a bot.
    Bot {
        /// The bot.
        bot: Bot,
        /// The channel's number.
        channel: String,
    },
    /// Through a webhook.
    Hook {
        /// Its address, which is its secret.
        url: String,
        /// The client for it.
        outbound: Outbound,
    },
}

/// What of an address follows its path.
const WAIT: &str = "wait=true";

impl Discord {
    /// With a channel's settings.
    pub fn new(config: &Config, platforms: &Platforms) -> Self {
        match is_discord_bot(config) {
            true => Self::Bot {
                bot: Bot::new(config.text("bot_token"), platforms),
                channel: config.text("channel_id").to_owned(),
            },
            false => Self::Hook { url: config.text("url").to_owned(), outbound: platforms.guarded().clone() },
        }
    }

    fn body(&self, message: &Message) -> Map<String, Value> {
        form::body(message, matches!(self, Self::Bot { .. }))
    }

    async fn call(
        &self,
        method: Method,
        message: Option<&str>,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        match self {
            Self::Bot { bot, channel } => {
                let of = message.map(|id| format!("/{id}")).unwrap_or_default();
                bot.call(method, &format!("/channels/{channel}/messages{of}"), body).await
            }
            Self::Hook { url, outbound } => {
                let url = hook(url, message)?;
                Door::open(outbound).call(method, &url, body).await
            }
        }
    }

    async fn send_message(&self, message: &Message) -> Sent {
        let body = Value::Object(self.body(message));
        let sent = self.call(Method::POST, None, Some(&body)).await?;
        let id = sent["id"].as_str().filter(|id| path_is_number(id)).unwrap_or_default().to_owned();
        if id.is_empty() {
            return Err(Failure::again(Some(200), "an answer without the message's number"));
        }
        self.look_at(&sent, &body, &id).await?;
        Ok(Arrived { status: 200, answer: format!("Discord took it as message {id}."), reference: Some(id) })
    }

    /// Whether everybody is shown what was sent. Discord leaves embeds out where the bot lacks a permission, and nobody
    /// approves what they were not shown: then the buttons go, too.
    async fn look_at(&self, shown: &Value, sent: &Value, id: &str) -> Result<(), Failure> {
        let count = |message: &Value| message["embeds"].as_array().map_or(0, Vec::len);
        if count(shown) >= count(sent) {
            return Ok(());
        }
        let bare = json!({"components": [], "allowed_mentions": {"parse": []}});
        let removed = self.call(Method::PATCH, Some(id), Some(&bare)).await;
        tracing::warn!(removed = removed.is_ok(), "Discord left the embeds of a message out");
        let reason = "Discord left the preview out: the bot lacks the permission Embed Links in the channel";
        Err(Failure::never(Some(200), reason))
    }

    async fn edit_message(&self, reference: &str, message: &Message) -> Sent {
        let arrived = |answer: &str| {
            Ok(Arrived { status: 200, reference: Some(reference.to_owned()), answer: answer.to_owned() })
        };
        if !path_is_number(reference) {
            return arrived("It has no number of Discord's.");
        }
        let body = Value::Object(self.body(message));
        match self.call(Method::PATCH, Some(reference), Some(&body)).await {
            Ok(shown) => {
                self.look_at(&shown, &body, reference).await?;
                arrived("Discord changed the message.")
            }
            // Unknown message; one of another author, from before the channel's settings were changed.
            Err(failure) if api::says(&failure, 10_008) || api::says(&failure, 50_005) => {
                arrived("The message is not there any more.")
            }
            Err(failure) => Err(failure),
        }
    }

    async fn look(&self) -> Result<String, Failure> {
        let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
        match self {
            Self::Bot { bot, channel } => {
                let me = bot.call(Method::GET, "/users/@me", None).await?;
                let channel = bot.call(Method::GET, &format!("/channels/{channel}"), None).await?;
                let me = me["username"].as_str().unwrap_or_default();
                Ok(format!("{me} sees the channel #{}", name(&channel)))
            }
            Self::Hook { url, outbound } => {
                let hook = Door::open(outbound).call(Method::GET, url, None).await?;
                Ok(format!("the webhook {} is there", name(&hook)))
            }
        }
    }
}

/// The address of a webhook, or of one of its messages; what it says about a thread stays.
fn hook(url: &str, message: Option<&str>) -> Result<String, Failure> {
    let mut url = Url::parse(url).map_err(|_| Failure::never(None, "the webhook's address can't be read"))?;
    let more = match message {
        None => WAIT,
        Some(id) => {
            url.set_path(&format!("{}/messages/{id}", url.path().trim_end_matches('/')));
            ""
        }
    };
    let query = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && *pair != WAIT);
    let query: Vec<&str> = query.chain((!more.is_empty()).then_some(more)).collect();
    let query = query.join("&");
    url.set_query((!query.is_empty()).then_some(query.as_str()));
    Ok(url.into())
}

impl Platform for Discord {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.send_message(message))
    }

    fn edit<'a>(&'a self, reference: &'a str, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.edit_message(reference, message))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, Failure>> {
        Box::pin(self.look())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhooks_address_keeps_its_thread() {
        let to = |url: &str, message| hook(url, message).expect("an address");
        assert_eq!(
            to("https://d.example/api/webhooks/1/x", None),
            "https://d.example/api/webhooks/1/x?wait=true"
        );
        let threaded = "https://d.example/api/webhooks/1/x?thread_id=5&wait=true";
        assert_eq!(to(threaded, None), "https://d.example/api/webhooks/1/x?thread_id=5&wait=true");
        assert_eq!(to(threaded, Some("7")), "https://d.example/api/webhooks/1/x/messages/7?thread_id=5");
    }
}
