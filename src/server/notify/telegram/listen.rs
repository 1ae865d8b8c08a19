//! Hearing what people press, without an address that Telegram could reach: by long polling
//! (<https://core.telegram.org/bots/api#getupdates>). One server at a time asks for each bot; if it dies, another one goes
//! on within half a minute, where it left off.

use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::api::Bot;
use super::news;
use crate::domain::channel::{ChannelKind, Config};
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::hearing::{self, Ear, Heard, Held};
use crate::server::notify::lease::LEASE;
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::service::Services;

/// How long Telegram holds a question without news, in seconds.
const HOLD_SECS: u64 = 10;
/// How long an answer may take.
const ANSWER: std::time::Duration = std::time::Duration::from_secs(15);
// A bot is held for longer than that.
const _: () = assert!(ANSWER.as_secs() + 5 <= LEASE.whole_seconds().unsigned_abs());
/// Before the next question when one failed.
const AFTER_FAILURE: std::time::Duration = std::time::Duration::from_secs(3);

/// Telegram, as what is listened to.
struct Telegram;

/// Hears every bot until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    hearing::run::<Telegram>(services, stop).await;
}

impl Heard for Telegram {
    const KIND: ChannelKind = ChannelKind::Telegram;
    type Account = Bot;

    fn account(services: &Services, _: &StoredChannel, config: &Config) -> Option<(String, Bot)> {
        let bot = Bot::new(config.text("bot_token"), services.platforms());
        Some((bot.id().to_owned(), bot))
    }

    async fn listen(ear: &Ear<Self>) {
        loop {
            let pause = match round(ear, HOLD_SECS).await {
                Ok(Round::Heard(_)) => continue,
                Ok(Round::Over) => return,
                Ok(Round::Failed(failure, channels)) => {
                    tracing::warn!(bot = ear.name(), reason = failure.reason, "a Telegram bot hears nothing");
                    match failure.remedy {
                        Remedy::Again => AFTER_FAILURE,
                        Remedy::After(wait) => AFTER_FAILURE.max(wait),
                        // Such as a token that was withdrawn.
                        Remedy::Never => {
                            ear.until_changed(&channels).await;
                            continue;
                        }
                    }
                }
                Err(error) => {
                    error.log();
                    AFTER_FAILURE
                }
            };
            sleep(pause).await;
        }
    }
}

/// What came of asking once.
#[derive(Debug)]
pub enum Round {
    /// So many news were heard.
    Heard(usize),
    /// Another server asks, or there is no such bot any more.
    Over,
    /// Telegram refused what was asked for these channels.
    Failed(Failure, Vec<StoredChannel>),
}

/// Asks once for every bot, without waiting for news; says how many there were.
///
/// # Errors
/// If the database can't be reached.
pub async fn catch_up(services: &Services, holder: Uuid) -> ServiceResult<usize> {
    let mut heard = 0;
    for name in hearing::accounts::<Telegram>(services).await?.into_keys() {
        if let Round::Heard(count) = round(&Ear::new(services, name, holder), 0).await? {
            heard += count;
        }
    }
    Ok(heard)
}

async fn round(ear: &Ear<Telegram>, hold_secs: u64) -> ServiceResult<Round> {
    let services = ear.services();
    let Some(Held { account: bot, channels, cursor, .. }) = ear.hold().await? else { return Ok(Round::Over) };
    let question = json!({
        "offset": cursor,
        "timeout": hold_secs,
        "allowed_updates": ["message", "callback_query"],
    });
    let updates = match bot.call_within("getUpdates", &question, ANSWER).await {
        Ok(updates) => updates,
        Err(failure) => {
            // A webhook that another program set keeps everybody from asking.
            if failure.status == Some(409) && failure.reason.contains("webhook") {
                let removed = bot.call("deleteWebhook", &json!({})).await;
                tracing::warn!(bot = bot.id(), removed = removed.is_ok(), "a Telegram bot had a webhook");
            }
            services.note_hearing(&channels, Some(&failure.reason)).await;
            return Ok(Round::Failed(failure, channels));
        }
    };
    services.note_hearing(&channels, None).await;
    let updates = updates.as_array().map_or(&[][..], Vec::as_slice);
    // The answer took its time: what is taken now is taken by whoever has the bot now.
    if !updates.is_empty() && ear.hold().await?.is_none() {
        return Ok(Round::Over);
    }
    for update in updates {
        news::take(services, &bot, &channels, update).await?;
        // One after the other: what was taken is not taken again when the next one fails.
        let next = update["update_id"].as_i64().map_or(cursor, |id| id + 1);
        if !ear.advance(next).await? {
            return Ok(Round::Over);
        }
    }
    Ok(Round::Heard(updates.len()))
}

/// A number of Telegram's, as text.
pub(super) fn number(value: &Value) -> String {
    value.as_i64().map(|number| number.to_string()).unwrap_or_default()
}
