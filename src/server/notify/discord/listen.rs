//! Hearing what people press, without an address that Discord could reach: by the gateway. One server at a time listens for
//! each bot; if it dies, another one goes on within half a minute.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::api::{self, Bot};
use super::gateway::{self, End, Event, Memory};
use super::interaction::Interaction;
use super::news;
use crate::domain::channel::{ChannelKind, Config};
use crate::server::db::channels::StoredChannel;
use crate::server::notify::hearing::{self, Ear, Heard};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::socket;
use crate::server::service::Services;

/// Before another connection after one that did not get in, doubled each time.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Before another one after one that got in and did not last, doubled each time.
const AFTER_DROP: Duration = Duration::from_millis(50);
/// The longest of these.
const AFTER_FAILURES: Duration = Duration::from_secs(32);
/// A connection that was there for so long lasted.
const LASTED: Duration = Duration::from_mins(2);
/// Sessions that a bot leaves unused: one that begins more than its limit in a day loses its token.
const SESSIONS_LEFT: u64 = 10;

/// Discord, as what is listened to.
struct Discord;

/// Hears every bot until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    hearing::run::<Discord>(services, stop).await;
}

impl Heard for Discord {
    const KIND: ChannelKind = ChannelKind::Discord;
    type Account = Bot;

    fn account(services: &Services, _: &StoredChannel, config: &Config) -> Option<(String, Bot)> {
        let bot = Bot::new(config.text("bot_token"), services.platforms());
        Some((bot.key(), bot))
    }

    async fn listen(ear: &Ear<Self>) {
        let mut memory = Memory::default();
        let mut pause = Duration::ZERO;
        loop {
            sleep(pause).await;
            let held = match ear.hold().await {
                Ok(Some(held)) => held,
                Ok(None) => return,
                Err(error) => {
                    error.log();
                    pause = AFTER_FAILURE;
                    continue;
                }
            };
            memory.is_in = false;
            let began = Instant::now();
            let ended = tokio::select! {
                ended = connect(ear, &held.account, &mut memory) => ended,
                () = ear.keep(held.asked) => return,
            };
            match ended {
                End::Again(reason) if memory.is_in => {
                    tracing::debug!(bot = ear.name(), reason, "a connection to Discord ended");
                    let lasted = began.elapsed() >= LASTED;
                    pause =
                        if lasted { Duration::ZERO } else { (pause * 2).clamp(AFTER_DROP, AFTER_FAILURES) };
                }
                End::Again(reason) => {
                    tracing::warn!(bot = ear.name(), reason, "a Discord bot hears nothing");
                    ear.note(Some(&reason)).await;
                    // What did not get in is not resumed again and again.
                    memory = Memory::default();
                    pause = (pause * 2).clamp(AFTER_FAILURE, AFTER_FAILURES);
                }
                End::Never(reason) => {
                    let bot = ear.name();
                    tracing::error!(bot, reason, "a Discord bot hears nothing until something is changed");
                    ear.note(Some(&reason)).await;
                    ear.until_changed(&held.channels).await;
                    (memory, pause) = (Memory::default(), Duration::ZERO);
                }
            }
        }
    }
}

/// Opens a connection and listens until it ends.
async fn connect(ear: &Ear<Discord>, bot: &Bot, memory: &mut Memory) -> End {
    let address = match &memory.session {
        Some(session) if !session.url.is_empty() => session.url.clone(),
        _ => match gateway(bot).await {
            Ok(address) => address,
            Err(end) => return end,
        },
    };
    let mut socket = match socket::open(&with_version(&address), bot.outbound()).await {
        Ok(socket) => socket,
        Err(failure) => return end(failure),
    };
    let platforms = ear.services().platforms();
    gateway::listen(&mut socket, bot, memory, |event| {
        let own = ear.clone();
        match event {
            Event::In => own.note_heard(),
            Event::Interaction(value) => {
                let Some(room) = platforms.room(ChannelKind::Discord) else {
                    // Not acknowledged: Discord says to whoever pressed that it did not work.
                    tracing::warn!(bot = own.name(), "too much is pressed in Discord");
                    return;
                };
                room.work(async move { take(&own, &value).await });
            }
        }
    })
    .await
}

fn end(failure: Failure) -> End {
    match failure.remedy {
        Remedy::Never => End::Never(failure.reason),
        Remedy::Again | Remedy::After(_) => End::Again(failure.reason),
    }
}

/// Where the gateway is, if the bot may begin another session
/// (<https://docs.discord.com/developers/events/gateway#get-gateway-bot>).
async fn gateway(bot: &Bot) -> Result<String, End> {
    let found =
        bot.call(Method::GET, "/gateway/bot", None).await.map_err(|failure| match failure.status {
            // Only these are about the bot; the rest is whoever stands between, and passes.
            Some(status) if !matches!(status, 401 | 403) => End::Again(failure.reason),
            _ => end(failure),
        })?;
    if found["session_start_limit"]["remaining"].as_u64().is_some_and(|left| left < SESSIONS_LEFT) {
        let millis = found["session_start_limit"]["reset_after"].as_u64().unwrap_or_default();
        return Err(End::Again(format!("Discord lets the bot begin no session for {} s", millis / 1_000)));
    }
    let address = found["url"].as_str().map(str::to_owned);
    address.ok_or_else(|| End::Again("Discord did not say where the gateway is".to_owned()))
}

fn with_version(address: &str) -> String {
    format!("{}/?v=10&encoding=json", address.trim_end_matches('/'))
}

/// Acknowledges an interaction, and only then does what it asks for.
async fn take(ear: &Ear<Discord>, sent: &Value) {
    let (services, bot) = (ear.services(), ear.name());
    let Some(interaction) = Interaction::read(sent) else {
        tracing::warn!(bot, "an interaction that can't be read");
        return;
    };
    let path = format!("/interactions/{}/{}/callback", interaction.id, interaction.token);
    let first = interaction.first_answer();
    if let Err(failure) = api::answer(services.platforms(), Method::POST, &path, &first).await {
        tracing::warn!(bot, reason = failure.reason, "Discord did not take an acknowledgement");
        return;
    }
    if !interaction.goes_on() {
        return;
    }
    match ear.channels().await {
        Ok(channels) => news::finish(services, &channels, &interaction).await,
        Err(error) => {
            error.log();
            news::fail(services, &interaction).await;
        }
    }
}
