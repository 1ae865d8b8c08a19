//! What people did: pressed a button, or sent a form (<https://docs.slack.dev/reference/interaction-payloads/>). All of it
//! was acknowledged before it comes here, and what is answered is for them alone.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::api::Api;
use super::{Bot, form};
use crate::domain::channel::ChannelKind;
use crate::domain::decision::Verdict;
use crate::server::db::channels::StoredChannel;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::message::Message;
use crate::server::notify::outbound::header;
use crate::server::notify::token::Pressed;
use crate::server::service::Services;
use crate::server::service::chat::{ChatUser, Press};
use crate::server::text::reveal_text;

/// A form can be opened for 3 seconds after a press; if the database takes longer than this, it is opened unseen. Whoever
/// may not is told so when they send it.
const LOOK: Duration = Duration::from_millis(1_500);

/// What was pressed, or the form that was sent, with where that was.
struct Place<'a> {
    services: &'a Services,
    user: ChatUser,
    /// The channel and the message, as Slack names them.
    at: String,
    ts: String,
    /// Where an answer goes that only who pressed sees.
    answer_to: String,
}

/// Takes one interaction of an app that has these channels. What goes wrong is told to whoever did it.
pub(super) async fn take(services: &Services, channels: &[StoredChannel], payload: &Value) {
    let done = match payload["type"].as_str() {
        Some("block_actions") => pressed(services, channels, payload).await,
        Some("view_submission") => sent(services, channels, payload).await,
        _ => Ok(()),
    };
    if let Err(error) = done {
        error.log();
        fail(services, payload).await;
    }
}

/// Tells whoever did something that it can't be seen to now.
pub(super) async fn fail(services: &Services, payload: &Value) {
    let place = Place::of(services, payload);
    let sentence = "That did not work just now. Open the card to see how it stands, or try again.";
    place.whisper(None, &form::whisper(sentence, None)).await;
}

async fn pressed(services: &Services, channels: &[StoredChannel], payload: &Value) -> ServiceResult<()> {
    let place = Place::of(services, payload);
    let action = &payload["actions"][0];
    let value = action["value"].as_str().unwrap_or_default();
    let trigger = payload["trigger_id"].as_str().unwrap_or_default();
    match action["action_id"].as_str() {
        Some("approve" | "reject") => place.button(channels, value, trigger).await,
        Some("link") => {
            let Some(channel) = channels.iter().find(|channel| channel.id.to_string() == value) else {
                return Ok(());
            };
            let page = format!("{}/account", services.public_url());
            let view = form::ask_code(&page, &place.metadata(channel, ""));
            place.open(channel, trigger, &view).await;
            Ok(())
        }
        // The button that leads to the card does so by itself.
        _ => Ok(()),
    }
}

/// Somebody sent a form; it carries what its button did, and Slack keeps that from everybody.
async fn sent(services: &Services, channels: &[StoredChannel], payload: &Value) -> ServiceResult<()> {
    let view = &payload["view"];
    let kept = kept(payload);
    let place = Place::of(services, payload);
    let Some(channel) = channels.iter().find(|channel| kept["channel"] == channel.id.to_string()) else {
        return Ok(());
    };
    let field = |name: &str| view["state"]["values"][name][name]["value"].as_str().unwrap_or_default();
    match view["callback_id"].as_str() {
        Some("reject") => {
            let token = kept["token"].as_str().and_then(Pressed::parse);
            let press = match token {
                Some(pressed) => {
                    settled(services.reject_because(channel, &place.user, &pressed, field("reason")).await)?
                }
                None => invalid(),
            };
            place.show(channel, press).await;
        }
        Some("link") => place.link(channel, field("code")).await?,
        _ => {}
    }
    Ok(())
}

/// What a form carries unseen.
fn kept(payload: &Value) -> Value {
    let text = payload["view"]["private_metadata"].as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

fn invalid() -> Press {
    Press::Refused("This button is not valid. Nothing was decided.".to_owned())
}

/// What a failure means for whoever waits for an answer.
fn settled(outcome: ServiceResult<Press>) -> ServiceResult<Press> {
    match outcome {
        Err(error) if !matches!(error, ServiceError::Unavailable(_)) => {
            error.log();
            Ok(Press::Refused("That did not work, and nothing was decided. Open the card.".to_owned()))
        }
        other => other,
    }
}

impl<'a> Place<'a> {
    fn of(services: &'a Services, payload: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let kept = kept(payload);
        let from = &payload["user"];
        let name = from["username"].as_str().or_else(|| from["name"].as_str()).unwrap_or_default();
        let or = |value: &Value, name: &str| match value.as_str() {
            Some(value) => value.to_owned(),
            None => text(&kept[name]),
        };
        Self {
            services,
            user: ChatUser { id: text(&from["id"]), name: format!("@{name}") },
            at: or(&payload["channel"]["id"], "at"),
            ts: or(&payload["container"]["message_ts"], "ts"),
            answer_to: or(&payload["response_url"], "answer_to"),
        }
    }

    /// What a form has to remember.
    fn metadata(&self, channel: &StoredChannel, token: &str) -> String {
        json!({"channel": channel.id.to_string(), "token": token, "at": self.at, "ts": self.ts,
            "answer_to": self.answer_to})
        .to_string()
    }

    async fn button(&self, channels: &[StoredChannel], value: &str, trigger: &str) -> ServiceResult<()> {
        // Several channels of one app may speak in one place; the button says which of them it belongs to.
        let here = |channel: &&StoredChannel| {
            channel.config.get("channel_id").and_then(Value::as_str) == Some(self.at.as_str())
        };
        let Some(pressed) = Pressed::parse(value) else { return Ok(()) };
        let mut last = None;
        for channel in channels.iter().filter(here) {
            let press = self.services.press(channel, &self.user, &pressed);
            let press = match pressed.verdict {
                // It takes the time that it needs.
                Verdict::Approve => settled(press.await)?,
                Verdict::Reject => match timeout(LOOK, press).await {
                    Ok(press) => settled(press)?,
                    Err(_) => Press::AskWhy(pressed.action, "This action".to_owned()),
                },
            };
            let is_last = !matches!(press, Press::Refused(_) | Press::Stranger(_));
            last = Some((channel, press));
            if is_last {
                break;
            }
        }
        match last {
            Some((channel, Press::AskWhy(_, title))) => {
                let view = form::ask_why(&title, &self.metadata(channel, value));
                self.open(channel, trigger, &view).await;
            }
            Some((channel, press)) => self.show(channel, press).await,
            None => {
                let sentence = "No channel of this server speaks here any more. Nothing was decided.";
                self.whisper(None, &form::whisper(sentence, None)).await;
            }
        }
        Ok(())
    }

    /// Tells whoever pressed what came of it.
    async fn show(&self, channel: &StoredChannel, press: Press) {
        let id = channel.id.to_string();
        let link = matches!(press, Press::Stranger(_)).then_some(id.as_str());
        self.whisper(Some(channel), &form::whisper(press.sentence(), link)).await;
        match press {
            Press::Over(_, now) => self.make_true(channel, &now).await,
            Press::Decided(_, action) => {
                let reference = format!("{}:{}", self.at, self.ts);
                if let Some(now) = self.services.stray_copy(channel, action, &reference).await {
                    self.make_true(channel, &now).await;
                }
            }
            Press::Refused(_) | Press::Stranger(_) | Press::AskWhy(..) => {}
        }
    }

    /// A copy that nobody knows of is made true here; the others are by the outbox.
    async fn make_true(&self, channel: &StoredChannel, now: &Message) {
        let Some(bot) = self.bot(channel) else { return };
        if let Err(failure) = bot.change(&format!("{}:{}", self.at, self.ts), now).await {
            tracing::debug!(reason = failure.reason, "a message in Slack stays as it is");
        }
    }

    /// Somebody sent a code that links their account.
    async fn link(&self, channel: &StoredChannel, code: &str) -> ServiceResult<()> {
        let sentence = match self.services.link_chat(ChannelKind::Slack, &self.user, code).await? {
            Some(member) => format!(
                "{} stands for {} ({}) from now on. If that is not you, say so to an administrator. Nothing was decided \
                 yet: press the button again.",
                reveal_text(&self.user.name),
                reveal_text(&member.name),
                member.email
            ),
            None => "This code is not good: it was used, is older than 10 minutes, or has a mistake. Nothing was linked."
                .to_owned(),
        };
        self.whisper(Some(channel), &form::whisper(&sentence, None)).await;
        Ok(())
    }

    fn bot(&self, channel: &StoredChannel) -> Option<Bot> {
        let config = self.services.open_config(channel).ok()?;
        Some(Bot::new(&config, self.services.platforms()))
    }

    async fn open(&self, channel: &StoredChannel, trigger: &str, view: &Value) {
        let Some(bot) = self.bot(channel) else { return };
        if let Err(refusal) = bot.api.call("views.open", &json!({"trigger_id": trigger, "view": view})).await
        {
            tracing::warn!(code = refusal.code, reason = refusal.failure.reason, "Slack did not open a form");
            let sentence = "The form could not be opened in time. Press the button again.";
            self.whisper(Some(channel), &form::whisper(sentence, None)).await;
        }
    }

    /// Says something that only who pressed sees: to the address that came with the press, or by the bot.
    async fn whisper(&self, channel: Option<&StoredChannel>, body: &Map<String, Value>) {
        let platforms = self.services.platforms();
        if self.answer_to.starts_with(platforms.slack_hooks()) {
            let mut body = body.clone();
            body.insert("response_type".into(), "ephemeral".into());
            body.insert("replace_original".into(), false.into());
            let headers = HeaderMap::from_iter([header("content-type", "application/json")]);
            let (_, outbound) = platforms.slack();
            match outbound.call(&self.answer_to, headers, Value::Object(body).to_string()).await {
                Ok(answer) if (200..300).contains(&answer.status) => return,
                Ok(answer) => tracing::debug!(status = answer.status, "Slack did not take an answer"),
                Err(failure) => tracing::debug!(reason = failure.reason, "Slack did not take an answer"),
            }
        }
        let Some(bot) = channel.and_then(|channel| self.bot(channel)) else { return };
        let mut body = body.clone();
        body.insert("channel".into(), self.at.as_str().into());
        body.insert("user".into(), self.user.id.as_str().into());
        tell(&bot.api, &Value::Object(body)).await;
    }
}

async fn tell(api: &Api, body: &Value) {
    if let Err(refusal) = api.call("chat.postEphemeral", body).await {
        tracing::warn!(reason = refusal.failure.reason, "Slack did not take an answer");
    }
}
