//! Slack: cards in a channel, with buttons where people may decide from it; or messages through an incoming webhook.
//!
//! Speaks the Web API with this server's own HTTP client: the crates for Slack bring a client and a model of every event,
//! and what is needed here is seven methods that take and answer JSON. The API's address can be set, for a proxy.

mod api;
mod form;
mod hook;
pub mod listen;
mod news;
mod signed;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

pub use self::signed::{is_fresh, is_from_slack, signing_secret, take_signed};

use self::api::{Api, Refusal};
use self::form::Link;
use super::message::Message;
use super::outbound::Outbound;
use super::platform::{Arrived, Failure, Platform, Sent};
use super::platforms::Platforms;
use crate::domain::channel::Config;

/// How a channel in Slack is spoken to.
pub enum Slack {
    /// By an app's bot.
    Bot(Bot),
    /// By an address that takes messages and nothing else.
    Hook(String, Outbound),
}

/// A bot in a channel.
pub struct Bot {
    api: Api,
    channel: String,
    /// The app, where it listens.
    app: Option<Api>,
}

impl Slack {
    /// With a channel's settings.
    pub fn new(config: &Config, platforms: &Platforms) -> Self {
        let url = config.text("url");
        match config.is_on("approval_mode") || url.is_empty() {
            true => Self::Bot(Bot::new(config, platforms)),
            false => Self::Hook(url.to_owned(), platforms.guarded().clone()),
        }
    }
}

impl Bot {
    fn new(config: &Config, platforms: &Platforms) -> Self {
        let app = Some(config.text("app_token")).filter(|token| !token.is_empty());
        Self {
            api: Api::new(config.text("bot_token"), platforms),
            channel: config.text("channel_id").to_owned(),
            app: app.map(|token| Api::new(token, platforms)),
        }
    }

    /// Calls a method with a message's body, shorter if Slack finds it too long.
    async fn write(
        &self,
        method: &str,
        place: &Map<String, Value>,
        message: &Message,
    ) -> Result<Value, Refusal> {
        let attempt = async |limit| {
            let mut body = form::body(message, limit, Link::Button);
            body.extend(place.clone());
            self.api.call(method, &Value::Object(body)).await
        };
        let [limit, less] = form::LIMITS;
        match attempt(limit).await {
            Err(refusal) if ["msg_too_long", "msg_blocks_too_long"].contains(&refusal.code.as_str()) => {
                attempt(less).await
            }
            other => other,
        }
    }

    async fn post(&self, message: &Message) -> Sent {
        let place = Map::from_iter([("channel".to_owned(), self.channel.as_str().into())]);
        let sent = self.write("chat.postMessage", &place, message).await?;
        let channel = sent["channel"].as_str().unwrap_or(&self.channel);
        let ts = sent["ts"].as_str().unwrap_or_default();
        let answer = format!("Slack took it as message {ts}.");
        Ok(Arrived { status: 200, reference: Some(format!("{channel}:{ts}")), answer })
    }

    async fn change(&self, reference: &str, message: &Message) -> Sent {
        let (channel, ts) = reference.split_once(':').unwrap_or((&self.channel, reference));
        let Value::Object(place) = json!({"channel": channel, "ts": ts}) else { unreachable!() };
        let arrived = |answer: &str| {
            Ok(Arrived { status: 200, reference: Some(reference.to_owned()), answer: answer.to_owned() })
        };
        match self.write("chat.update", &place, message).await {
            Ok(_) => arrived("Slack changed the message."),
            Err(refusal) if refusal.code == "message_not_found" => {
                arrived("The message is not there any more.")
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn look(&self) -> Result<String, Failure> {
        let me = self.api.call("auth.test", &json!({})).await?;
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let head = format!("@{} in {}", name(&me["user"]), name(&me["team"]));
        let sees = match self.api.read("conversations.info", &[("channel", &self.channel)]).await {
            Ok(found) if found["channel"]["is_archived"] == true => {
                return Err(Failure::never(None, "the channel is archived"));
            }
            Ok(found) if found["channel"]["is_member"] == false => {
                let reason =
                    format!("the app is not in the channel: write /invite @{} in it", name(&me["user"]));
                return Err(Failure::never(None, reason));
            }
            Ok(found) => format!("sees the channel {}", name(&found["channel"]["name"])),
            // It may write all the same.
            Err(refusal) if refusal.code == "missing_scope" => {
                "can't look at the channel without the scopes channels:read and groups:read".to_owned()
            }
            Err(refusal) => return Err(refusal.into()),
        };
        let Some(app) = &self.app else { return Ok(format!("{head} {sees}")) };
        app.call("apps.connections.open", &json!({})).await.map_err(|refusal| Failure {
            reason: format!("Socket Mode does not work: {}", refusal.failure.reason),
            ..refusal.failure
        })?;
        Ok(format!("{head} {sees}, and can listen by Socket Mode"))
    }
}

impl Platform for Slack {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent> {
        match self {
            Self::Bot(bot) => Box::pin(bot.post(message)),
            Self::Hook(url, outbound) => Box::pin(hook::post(url, outbound, message)),
        }
    }

    fn edit<'a>(&'a self, reference: &'a str, message: &'a Message) -> BoxFuture<'a, Sent> {
        match self {
            Self::Bot(bot) => Box::pin(bot.change(reference, message)),
            Self::Hook(..) => {
                let failure = Failure::never(None, "what a webhook sent can't be changed");
                Box::pin(std::future::ready(Err(failure)))
            }
        }
    }

    fn check(&self) -> BoxFuture<'_, Result<String, Failure>> {
        match self {
            Self::Bot(bot) => Box::pin(bot.look()),
            Self::Hook(url, outbound) => Box::pin(hook::look(url, outbound)),
        }
    }
}
