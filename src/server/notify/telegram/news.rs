//! What people did: pressed a button, answered a question, sent a code.

use serde_json::{Value, json};

use super::Telegram;
use super::api::Bot;
use super::form::escape;
use super::listen::number;
use crate::domain::channel::ChannelKind;
use crate::domain::ids::ActionId;
use crate::server::db::channels::StoredChannel;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::message::Message;
use crate::server::notify::token::Pressed;
use crate::server::service::Services;
use crate::server::service::chat::{ChatUser, Press};
use crate::server::text::reveal_text;

/// Longest text of an answer to a button (<https://core.telegram.org/bots/api#answercallbackquery>).
const ANSWER_MAX: usize = 200;
/// Most characters of a title in the question for a reason. Shown as it is, one of hidden characters alone fills a message.
const TITLE_MAX: usize = 200;
/// For whoever pressed Reject, if nothing asks them why.
const NOT_ASKED: &str =
    "You could not be asked for the reason, so nothing was decided. Press again, or open the card.";

/// Takes one update.
///
/// # Errors
/// If the database can't be reached: it is taken again then.
pub(super) async fn take(
    services: &Services,
    bot: &Bot,
    channels: &[StoredChannel],
    update: &Value,
) -> ServiceResult<()> {
    if update["callback_query"].is_object() {
        return button(services, bot, channels, &update["callback_query"]).await;
    }
    let message = &update["message"];
    let is_reply = message["reply_to_message"]["message_id"].is_i64() && message["text"].is_string();
    if is_reply && answer(services, bot, channels, message).await? {
        return Ok(());
    }
    match message["chat"]["type"] == "private" {
        true => private(services, bot, message).await,
        false => Ok(()),
    }
}

fn user(from: &Value) -> ChatUser {
    let text = |name: &str| from[name].as_str().unwrap_or_default();
    let name = match text("username") {
        "" => [text("first_name"), text("last_name")].join(" ").trim().to_owned(),
        name => format!("@{name}"),
    };
    ChatUser { id: number(&from["id"]), name }
}

/// The channels that speak in a chat.
fn of_chat<'a>(channels: &'a [StoredChannel], chat: &Value) -> impl Iterator<Item = &'a StoredChannel> {
    let id = number(&chat["id"]);
    let name = chat["username"].as_str().map(|name| format!("@{name}"));
    channels.iter().filter(move |channel| {
        let set = channel.config.get("chat_id").and_then(Value::as_str).unwrap_or_default();
        set == id || name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(set))
    })
}

async fn button(
    services: &Services,
    bot: &Bot,
    channels: &[StoredChannel],
    query: &Value,
) -> ServiceResult<()> {
    let user = user(&query["from"]);
    let message = &query["message"];
    let pressed = query["data"].as_str().and_then(Pressed::parse);
    let mut outcome = Press::Refused("This button is not valid. Nothing was decided.".to_owned());
    let mut here = None;
    if let Some(pressed) = &pressed {
        // Several channels of one bot may speak in one chat; the button says which of them it belongs to.
        for channel in of_chat(channels, &message["chat"]) {
            here = Some(channel);
            outcome = match services.press(channel, &user, pressed).await {
                Ok(outcome) => outcome,
                Err(error) => failed(error)?,
            };
            if !matches!(&outcome, Press::Refused(_) | Press::Stranger(_)) {
                break;
            }
        }
    }
    let is_asked = match (&outcome, here) {
        (Press::AskWhy(action, title), Some(channel)) => {
            ask_why(services, bot, channel, query, (*action, title)).await?
        }
        _ => true,
    };
    let text = if is_asked { outcome.sentence() } else { NOT_ASKED };
    let text: String = text.chars().take(ANSWER_MAX).collect();
    let alert = !is_asked || matches!(outcome, Press::Refused(_) | Press::Stranger(_) | Press::Over(..));
    let answer = json!({"callback_query_id": query["id"], "text": text, "show_alert": alert});
    tell_beside(services, bot, "answerCallbackQuery", answer);
    let Some(channel) = here else { return Ok(()) };
    match outcome {
        // A copy that nobody knows of is made true here; the others are by the outbox.
        Press::Over(_, now) => {
            make_true(services, channel, &number(&message["message_id"]), &now).await;
            Ok(())
        }
        Press::Decided(_, action) => {
            let reference = number(&message["message_id"]);
            if let Some(now) = services.stray_copy(channel, action, &reference).await {
                make_true(services, channel, &reference, &now).await;
            }
            Ok(())
        }
        Press::AskWhy(..) | Press::Refused(_) | Press::Stranger(_) => Ok(()),
    }
}

/// Asks whoever pressed Reject for the reason; says whether Telegram took the question.
async fn ask_why(
    services: &Services,
    bot: &Bot,
    channel: &StoredChannel,
    query: &Value,
    (action, title): (ActionId, &str),
) -> ServiceResult<bool> {
    let (user, message) = (user(&query["from"]), &query["message"]);
    let title: String = title.chars().take(TITLE_MAX).collect();
    let text = format!(
        "{}, why do you reject <b>{}</b>? Reply to this message with the reason, or with a dot for none.",
        escape(&reveal_text(&user.name)),
        escape(&title)
    );
    let question = json!({
        "chat_id": message["chat"]["id"], "text": text, "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": true},
        "reply_parameters": {"message_id": message["message_id"], "allow_sending_without_reply": true},
        "reply_markup": {"force_reply": true, "selective": true, "input_field_placeholder": "Reason"},
    });
    let Some(asked) = tell(bot, "sendMessage", &question).await else { return Ok(false) };
    services.asked_why(channel.id, &number(&asked["message_id"]), action, &user).await?;
    Ok(true)
}

async fn make_true(services: &Services, channel: &StoredChannel, reference: &str, now: &Message) {
    let Ok(config) = services.open_config(channel) else { return };
    let telegram = Telegram::new(&config, services.platforms());
    if let Err(failure) = telegram.edit_message(reference, now).await {
        tracing::debug!(reason = failure.reason, "a message in Telegram stays as it is");
    }
}

/// Somebody replied to a message in a chat; says whether that was the question for a reason.
async fn answer(
    services: &Services,
    bot: &Bot,
    channels: &[StoredChannel],
    message: &Value,
) -> ServiceResult<bool> {
    let question = number(&message["reply_to_message"]["message_id"]);
    let (user, reason) = (user(&message["from"]), message["text"].as_str().unwrap_or_default());
    for channel in of_chat(channels, &message["chat"]) {
        let outcome = match services.answer_why(channel, &question, &user, reason).await {
            Ok(outcome) => outcome,
            Err(error) => Some(failed(error)?),
        };
        let Some(outcome) = outcome else { continue };
        let said = json!({
            "chat_id": message["chat"]["id"], "message_id": message["reply_to_message"]["message_id"],
            "text": escape(outcome.sentence()), "parse_mode": "HTML",
        });
        tell_beside(services, bot, "editMessageText", said);
        return Ok(true);
    }
    Ok(false)
}

/// Somebody wrote to the bot alone: a code that links their account, or they want to know what this is.
async fn private(services: &Services, bot: &Bot, message: &Value) -> ServiceResult<()> {
    let user = user(&message["from"]);
    let mut words = message["text"].as_str().unwrap_or_default().split_whitespace();
    let first = words.next().unwrap_or_default();
    let code = if first.starts_with('/') { words.next().unwrap_or_default() } else { first };
    let text = match code {
        "" => format!(
            "This bot carries decisions of Impri. To decide from Telegram, open {}/account, choose Link, and send the code \
             here.",
            services.public_url()
        ),
        code => match services.link_chat(ChannelKind::Telegram, &user, code).await? {
            Some(member) => format!(
                "{} stands for {} ({}) from now on. If that is not you, say so to an administrator.",
                reveal_text(&user.name),
                reveal_text(&member.name),
                member.email
            ),
            None => "This code is not good: it was used, is older than 10 minutes, or has a mistake. Nothing was linked."
                .to_owned(),
        },
    };
    tell_beside(services, bot, "sendMessage", json!({"chat_id": message["chat"]["id"], "text": text}));
    Ok(())
}

/// What a failure means for whoever waits for an answer. A database that is away is asked again.
fn failed(error: ServiceError) -> ServiceResult<Press> {
    match error {
        ServiceError::Unavailable(_) => Err(error),
        other => {
            other.log();
            Ok(Press::Refused("That did not work, and nothing was decided. Open the card.".to_owned()))
        }
    }
}

/// Calls a method beside the work on what came next: anybody may write to a bot, and whoever does keeps nobody's press
/// waiting. When very many want an answer, some get none.
fn tell_beside(services: &Services, bot: &Bot, method: &'static str, arguments: Value) {
    let Some(room) = services.platforms().room(ChannelKind::Telegram) else {
        tracing::warn!(method, "too many wait for an answer in Telegram");
        return;
    };
    let bot = bot.clone();
    room.work(async move {
        tell(&bot, method, &arguments).await;
    });
}

/// Calls a method whose failure changes nothing that counts.
async fn tell(bot: &Bot, method: &str, arguments: &Value) -> Option<Value> {
    match bot.call(method, arguments).await {
        Ok(answer) => Some(answer),
        Err(failure) => {
            tracing::warn!(method, reason = failure.reason, "Telegram did not take an answer");
            None
        }
    }
}
