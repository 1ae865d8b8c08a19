//! Hearing what people press, without an address that Telegram could reach: by long polling
//! (<https://core.telegram.org/bots/api#getupdates>). One server at a time asks for each bot; if it dies, another one goes
//! on within half a minute, where it left off.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::api::Bot;
use super::news;
use crate::domain::channel::ChannelKind;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::lease::{LEASE, LOOK_EVERY, until_changed, version};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::random;
use crate::server::service::Services;

/// How long Telegram holds a question without news, in seconds.
const HOLD_SECS: u64 = 10;
/// How long an answer may take.
const ANSWER: std::time::Duration = std::time::Duration::from_secs(15);
// A bot is held for longer than that.
const _: () = assert!(ANSWER.as_secs() + 5 <= LEASE.whole_seconds().unsigned_abs());
/// Before the next question when one failed.
const AFTER_FAILURE: std::time::Duration = std::time::Duration::from_secs(3);

/// The channels of each bot, with the bot.
type Bots = HashMap<String, (Bot, Vec<StoredChannel>)>;

/// Hears the news of every bot until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    let holder = random::uuid(services.clock().now());
    let mut tasks: HashMap<String, tokio::task::JoinHandle<()>> = HashMap::new();
    while !stop.is_cancelled() {
        match bots(services).await {
            Err(error) => error.log(),
            Ok(bots) => {
                tasks.retain(|_, task| !task.is_finished());
                for name in bots.into_keys() {
                    tasks.entry(name.clone()).or_insert_with(|| {
                        let (services, stop) = (services.clone(), stop.clone());
                        tokio::spawn(async move { hear(&services, &name, holder, &stop).await })
                    });
                }
            }
        }
        tokio::select! {
            () = sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
    for (name, task) in tasks {
        let _ = timeout(std::time::Duration::from_millis(300), task).await;
        if let Err(error) = services.let_connection_go(&connection(&name), holder).await {
            error.log();
        }
    }
}

/// Hears the news of one bot for as long as it is there and nobody else has it.
async fn hear(services: &Services, name: &str, holder: Uuid, stop: &CancellationToken) {
    loop {
        // Read anew each time: a channel may have been made, paused or deleted.
        let mut asked_as = Vec::new();
        let round = async {
            match bots(services).await?.remove(name) {
                Some((bot, channels)) => {
                    asked_as = version(&channels);
                    round(services, &bot, &channels, holder, HOLD_SECS).await
                }
                None => Ok(Round::Over),
            }
        };
        let round = tokio::select! {
            round = round => round,
            () = stop.cancelled() => return,
        };
        let pause = match round {
            Ok(Round::Heard(_)) => continue,
            Ok(Round::Over) => return,
            Ok(Round::Failed(failure)) => {
                tracing::warn!(bot = name, reason = failure.reason, "a Telegram bot hears nothing");
                match failure.remedy {
                    Remedy::Again => AFTER_FAILURE,
                    Remedy::After(wait) => AFTER_FAILURE.max(wait),
                    // Such as a token that was withdrawn.
                    Remedy::Never => {
                        let is_changed = || async {
                            let bots = bots(services).await?;
                            Ok(bots.get(name).is_none_or(|(_, channels)| version(channels) != asked_as))
                        };
                        tokio::select! {
                            () = until_changed(is_changed) => continue,
                            () = stop.cancelled() => return,
                        }
                    }
                }
            }
            Err(error) => {
                error.log();
                AFTER_FAILURE
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => return,
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
    /// Telegram refused.
    Failed(Failure),
}

/// Asks once for every bot, without waiting for news; says how many there were.
///
/// # Errors
/// If the database can't be reached.
pub async fn catch_up(services: &Services, holder: Uuid) -> ServiceResult<usize> {
    let mut heard = 0;
    for (bot, channels) in bots(services).await?.into_values() {
        if let Round::Heard(count) = round(services, &bot, &channels, holder, 0).await? {
            heard += count;
        }
    }
    Ok(heard)
}

async fn bots(services: &Services) -> ServiceResult<Bots> {
    let mut bots = Bots::new();
    for channel in services.deciding_channels(ChannelKind::Telegram).await? {
        match services.open_config(&channel) {
            Ok(config) => {
                let bot = Bot::new(config.text("bot_token"), services.platforms());
                let (_, channels) = bots.entry(bot.id().to_owned()).or_insert_with(|| (bot, Vec::new()));
                channels.push(channel);
            }
            Err(error) => tracing::error!(channel.id = %channel.id, %error, "a channel can't be heard"),
        }
    }
    Ok(bots)
}

fn connection(bot: &str) -> String {
    format!("telegram:{bot}")
}

async fn round(
    services: &Services,
    bot: &Bot,
    channels: &[StoredChannel],
    holder: Uuid,
    hold_secs: u64,
) -> ServiceResult<Round> {
    let name = connection(bot.id());
    let Some(cursor) = services.hold_connection(&name, holder, LEASE).await? else { return Ok(Round::Over) };
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
            services.note_hearing(channels, Some(&failure.reason)).await;
            return Ok(Round::Failed(failure));
        }
    };
    services.note_hearing(channels, None).await;
    let updates = updates.as_array().map_or(&[][..], Vec::as_slice);
    // The answer took its time: what is taken now is taken by whoever has the bot now.
    if !updates.is_empty() && services.hold_connection(&name, holder, LEASE).await?.is_none() {
        return Ok(Round::Over);
    }
    for update in updates {
        news::take(services, bot, channels, update).await?;
        // One after the other: what was taken is not taken again when the next one fails.
        let next = update["update_id"].as_i64().map_or(cursor, |id| id + 1);
        if !services.advance_connection(&name, holder, next, LEASE).await? {
            return Ok(Round::Over);
        }
    }
    Ok(Round::Heard(updates.len()))
}

/// A number of Telegram's, as text.
pub(super) fn number(value: &Value) -> String {
    value.as_i64().map(|number| number.to_string()).unwrap_or_default()
}
