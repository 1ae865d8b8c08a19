//! Telegram: cards in a chat, with buttons where people may decide from it.
//!
//! Speaks the Bot API (<https://core.telegram.org/bots/api>) with this server's own HTTP client: the maintained crates bring
//! a second HTTP stack or a dispatcher of their own, and what is needed here is six methods that take and answer JSON. The
//! API's address can be set, for a Bot API server of one's own.

mod api;
mod form;
pub mod listen;
mod news;

use futures::future::BoxFuture;
use serde_json::{Value, json};

pub use self::api::Bot;
use super::message::Message;
use super::platform::{Arrived, Failure, Platform, Sent};
use super::platforms::Platforms;
use crate::domain::channel::Config;

/// A bot in a chat.
pub struct Telegram {
    bot: Bot,
    chat: String,
}

impl Telegram {
    /// With a channel's settings.
    pub fn new(config: &Config, platforms: &Platforms) -> Self {
        Self { bot: Bot::new(config.text("bot_token"), platforms), chat: config.text("chat_id").to_owned() }
    }

    /// The chat as the API takes it: a number, or the name of a public one.
    fn chat(&self) -> Value {
        self.chat.parse::<i64>().map_or_else(|_| Value::from(self.chat.as_str()), Value::from)
    }

    async fn send_message(&self, message: &Message) -> Sent {
        let mut body = form::body(message);
        body.insert("chat_id".into(), self.chat());
        let sent = self.bot.call("sendMessage", &Value::Object(body)).await?;
        let id = sent["message_id"].as_i64().unwrap_or_default();
        let reference = Some(id.to_string());
        Ok(Arrived { status: 200, reference, answer: format!("Telegram took it as message {id}.") })
    }

    async fn edit_message(&self, reference: &str, message: &Message) -> Sent {
        let mut body = form::body(message);
        body.insert("chat_id".into(), self.chat());
        body.insert("message_id".into(), reference.parse::<i64>().unwrap_or_default().into());
        let arrived = |answer: &str| {
            Ok(Arrived { status: 200, reference: Some(reference.to_owned()), answer: answer.to_owned() })
        };
        match self.bot.call("editMessageText", &Value::Object(body)).await {
            Ok(_) => arrived("Telegram changed the message."),
            // It says so already, or nobody can read it any more.
            Err(failure) if failure.reason.starts_with("message is not modified") => {
                arrived("It said so already.")
            }
            Err(failure)
                if failure.reason.starts_with("message to edit not found")
                    || failure.reason.starts_with("message can't be edited") =>
            {
                arrived("The message is not there any more.")
            }
            Err(failure) => Err(failure),
        }
    }

    async fn look(&self) -> Result<String, Failure> {
        let me = self.bot.call("getMe", &json!({})).await?;
        let chat = self.bot.call("getChat", &json!({"chat_id": self.chat()})).await?;
        let name = |value: &Value, fields: &[&str]| {
            let found = fields.iter().find_map(|field| value[*field].as_str());
            found.unwrap_or_default().to_owned()
        };
        let (bot, chat) = (name(&me, &["username"]), name(&chat, &["title", "username", "first_name"]));
        Ok(format!("@{bot} sees the chat {chat}"))
    }
}

impl Platform for Telegram {
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
