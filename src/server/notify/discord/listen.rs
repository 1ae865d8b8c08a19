//! Hearing what people press, without an address that Discord could reach: by the gateway. One server at a time listens for
//! each bot; if it dies, another one goes on within half a minute.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::Method;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::api::{self, Bot};
use super::gateway::{self, End, Memory};
use super::interaction::Interaction;
use super::news;
use crate::domain::channel::ChannelKind;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::socket;
use crate::server::random;
use crate::server::service::Services;

/// How often a server looks which bots there are, and whether it can have one that another server held.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a server holds a bot without asking anew.
const LEASE: time::Duration = time::Duration::seconds(22);
/// How often it asks anew.
const HOLD_EVERY: Duration = Duration::from_secs(6);
/// When it can't ask any more, it stops before another one may begin.
const HELD_AT_LEAST: Duration = Duration::from_secs(18);
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

/// The channels of each bot, with the bot.
type Bots = HashMap<String, (Bot, Vec<StoredChannel>)>;

/// Why a server stopped listening for a bot.
#[derive(Debug, PartialEq, Eq)]
enum Stopped {
    /// Another server has it, or it is not there any more.
    Over,
    /// Discord refuses it until somebody changes something, and says why.
    Refused(String),
}

/// Hears the interactions of every bot until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    let holder = random::uuid(services.clock().now());
    let mut tasks: HashMap<String, JoinHandle<Stopped>> = HashMap::new();
    // Bots that Discord refuses, with their channels as they were then.
    let mut refused: HashMap<String, Vec<StoredChannel>> = HashMap::new();
    while !stop.is_cancelled() {
        match bots(services).await {
            Err(error) => error.log(),
            Ok(bots) => {
                refused.retain(|name, before| bots.get(name).is_some_and(|(_, now)| same(before, now)));
                for (name, task) in std::mem::take(&mut tasks) {
                    if !task.is_finished() {
                        tasks.insert(name, task);
                    } else if let (Ok(Stopped::Refused(reason)), Some((_, channels))) =
                        (task.await, bots.get(&name))
                    {
                        services.note_hearing(channels, Some(&reason)).await;
                        refused.insert(name, channels.clone());
                    }
                }
                for name in bots.into_keys().filter(|name| !refused.contains_key(name)) {
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
        let _ = timeout(Duration::from_millis(300), task).await;
        if let Err(error) = services.let_connection_go(&connection(&name), holder).await {
            error.log();
        }
    }
}

fn same(before: &[StoredChannel], now: &[StoredChannel]) -> bool {
    let state = |channels: &[StoredChannel]| -> Vec<_> {
        channels.iter().map(|channel| (channel.id, channel.updated_at)).collect()
    };
    state(before) == state(now)
}

async fn bots(services: &Services) -> ServiceResult<Bots> {
    let mut bots = Bots::new();
    for channel in services.deciding_channels(ChannelKind::Discord).await? {
        match services.open_config(&channel) {
            Ok(config) => {
                let bot = Bot::new(config.text("bot_token"), services.platforms());
                let (_, channels) = bots.entry(bot.key()).or_insert_with(|| (bot, Vec::new()));
                channels.push(channel);
            }
            Err(error) => tracing::error!(channel.id = %channel.id, %error, "a channel can't be heard"),
        }
    }
    Ok(bots)
}

fn connection(bot: &str) -> String {
    format!("discord:{bot}")
}

/// Hears one bot for as long as it is there and nobody else has it.
async fn hear(services: &Services, name: &str, holder: Uuid, stop: &CancellationToken) -> Stopped {
    let mut memory = Memory::default();
    let mut pause = Duration::ZERO;
    loop {
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => return Stopped::Over,
        }
        let bot = match held(services, name, holder).await {
            Ok(Some(bot)) => bot,
            Ok(None) => return Stopped::Over,
            Err(error) => {
                error.log();
                pause = AFTER_FAILURE;
                continue;
            }
        };
        memory.is_in = false;
        let began = Instant::now();
        let ended = tokio::select! {
            ended = connect(services, name, &bot, &mut memory) => ended,
            () = keep(services, name, holder) => return Stopped::Over,
            () = stop.cancelled() => return Stopped::Over,
        };
        match ended {
            End::Again(reason) if memory.is_in => {
                tracing::debug!(bot = name, reason, "a connection to Discord ended");
                let lasted = began.elapsed() >= LASTED;
                pause = if lasted { Duration::ZERO } else { (pause * 2).clamp(AFTER_DROP, AFTER_FAILURES) };
            }
            End::Again(reason) => {
                tracing::warn!(bot = name, reason, "a Discord bot hears nothing");
                // What did not get in is not resumed again and again.
                memory = Memory::default();
                pause = (pause * 2).clamp(AFTER_FAILURE, AFTER_FAILURES);
            }
            End::Never(reason) => {
                tracing::error!(
                    bot = name,
                    reason,
                    "a Discord bot hears nothing until its settings are changed"
                );
                return Stopped::Refused(reason);
            }
        }
    }
}

/// The bot, if this server may listen for it.
async fn held(services: &Services, name: &str, holder: Uuid) -> ServiceResult<Option<Bot>> {
    let Some((bot, _)) = bots(services).await?.remove(name) else { return Ok(None) };
    Ok(services.hold_connection(&connection(name), holder, LEASE).await?.map(|_| bot))
}

/// Ends when this server may not listen any more.
async fn keep(services: &Services, name: &str, holder: Uuid) {
    let mut asked = Instant::now();
    loop {
        sleep(HOLD_EVERY).await;
        match timeout(HOLD_EVERY, held(services, name, holder)).await {
            Ok(Ok(Some(_))) => asked = Instant::now(),
            Ok(Ok(None)) => return,
            Ok(Err(error)) => error.log(),
            Err(_) => {}
        }
        if asked.elapsed() + HOLD_EVERY > HELD_AT_LEAST {
            return;
        }
    }
}

/// Opens a connection and listens until it ends.
async fn connect(services: &Services, name: &str, bot: &Bot, memory: &mut Memory) -> End {
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
    gateway::listen(&mut socket, bot, memory, |value| {
        let Some(interaction) = Interaction::read(&value) else {
            tracing::warn!(bot = name, "an interaction that can't be read");
            return;
        };
        let (services, name) = (services.clone(), name.to_owned());
        tokio::spawn(async move { take(&services, &name, &interaction).await });
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
    let found = bot.call(Method::GET, "/gateway/bot", None).await.map_err(end)?;
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
async fn take(services: &Services, name: &str, interaction: &Interaction) {
    let path = format!("/interactions/{}/{}/callback", interaction.id, interaction.token);
    let first = interaction.first_answer();
    if let Err(failure) = api::answer(services.platforms(), Method::POST, &path, &first).await {
        tracing::warn!(bot = name, reason = failure.reason, "Discord did not take an acknowledgement");
        return;
    }
    if !interaction.goes_on() {
        return;
    }
    let channels = match bots(services).await {
        Ok(mut bots) => bots.remove(name).map(|(_, channels)| channels).unwrap_or_default(),
        Err(error) => {
            error.log();
            Vec::<StoredChannel>::new()
        }
    };
    news::finish(services, &channels, interaction).await;
}
