//! Hearing what people press, without an address that Slack could reach: by Socket Mode
//! (<https://docs.slack.dev/apis/events-api/using-socket-mode/>). One server at a time holds the connection of each app; if
//! it dies, another one goes on within half a minute.

use std::collections::HashMap;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::api::{Api, Refusal};
use super::news;
use crate::domain::Instant as Moment;
use crate::domain::channel::ChannelKind;
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::lease::{LEASE, LOOK_EVERY, keep, until_changed, version};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::socket;
use crate::server::random;
use crate::server::service::Services;

/// How often the other side is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(10);
/// A connection on which nothing was heard for so long is none.
const SILENCE: Duration = Duration::from_secs(35);
/// Before the next attempt, and how long that grows to.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// What is being worked on when the server stops gets this long.
const GRACE: Duration = Duration::from_millis(500);

/// The channels of each app, with the app.
type Apps = HashMap<String, (Api, Vec<StoredChannel>)>;

/// Hears what happens in every app until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    let holder = random::uuid(services.clock().now());
    let mut tasks: HashMap<String, tokio::task::JoinHandle<()>> = HashMap::new();
    while !stop.is_cancelled() {
        match apps(services).await {
            Err(error) => error.log(),
            Ok(apps) => {
                tasks.retain(|_, task| !task.is_finished());
                for name in apps.into_keys() {
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
    let working = services.platforms().tasks();
    working.close();
    let _ = timeout(GRACE, working.wait()).await;
    for (name, task) in tasks {
        let _ = timeout(Duration::from_millis(300), task).await;
        if let Err(error) = services.let_connection_go(&connection(&name), holder).await {
            error.log();
        }
    }
}

/// The apps by their names: what is the same in all their tokens, `xapp-1-A012345-…`.
async fn apps(services: &Services) -> ServiceResult<Apps> {
    let (mut apps, mut secrets) = (Apps::new(), HashMap::new());
    for channel in services.deciding_channels(ChannelKind::Slack).await? {
        match services.open_config(&channel) {
            Ok(config) => {
                let signing = config.text("signing_secret");
                if !signing.is_empty() {
                    secrets.insert(channel.id.to_string(), signing.to_owned());
                }
                let token = config.text("app_token");
                let Some(name) = token.split('-').nth(2) else { continue };
                let app = || (Api::new(token, services.platforms()), Vec::new());
                let (_, channels) = apps.entry(name.to_owned()).or_insert_with(app);
                channels.push(channel);
            }
            Err(error) => tracing::error!(channel.id = %channel.id, %error, "a channel can't be heard"),
        }
    }
    services.platforms().keep_slack_secrets(secrets);
    Ok(apps)
}

fn connection(app: &str) -> String {
    format!("slack:{app}")
}

/// How a connection ended.
enum End {
    /// Another server holds it, or there is no such app any more.
    Over,
    /// Slack wants it opened anew.
    Anew,
    /// It broke.
    Broken(Break),
}

/// How a connection broke.
struct Break {
    reason: String,
    /// Whether it was greeted before.
    was_greeted: bool,
    /// What helps.
    remedy: Remedy,
}

impl Break {
    fn end(reason: impl Into<String>, was_greeted: bool) -> End {
        End::Broken(Self { reason: reason.into(), was_greeted, remedy: Remedy::Again })
    }

    fn refused(Failure { reason, remedy, .. }: Failure) -> End {
        End::Broken(Self { reason, was_greeted: false, remedy })
    }
}

/// Hears one app for as long as it is there and nobody else has it.
async fn hear(services: &Services, name: &str, holder: Uuid, stop: &CancellationToken) {
    let mut pause = PAUSE.0;
    loop {
        let mut opened_as = Vec::new();
        let held = tokio::select! {
            held = hold(services, name, holder, &mut opened_as) => held,
            () = stop.cancelled() => return,
        };
        match held {
            Ok(End::Over) => return,
            Ok(End::Anew) => {
                pause = PAUSE.0;
                continue;
            }
            Ok(End::Broken(Break { reason, was_greeted, remedy })) => {
                tracing::warn!(app = name, reason, "a Slack app hears nothing");
                // One that was greeted is opened anew at once.
                if !was_greeted {
                    note(services, name, Some(&reason)).await;
                }
                if was_greeted {
                    pause = PAUSE.0;
                }
                match remedy {
                    Remedy::Again => {}
                    Remedy::After(wait) => pause = pause.max(wait),
                    // Such as a token that was withdrawn.
                    Remedy::Never => {
                        let is_changed = || async {
                            let apps = apps(services).await?;
                            Ok(apps.get(name).is_none_or(|(_, channels)| version(channels) != opened_as))
                        };
                        tokio::select! {
                            () = until_changed(is_changed) => {}
                            () = stop.cancelled() => return,
                        }
                        pause = PAUSE.0;
                        continue;
                    }
                }
            }
            Err(error) => error.log(),
        }
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => return,
        }
        pause = (pause * 2).min(PAUSE.1);
    }
}

/// Notes at an app's channels whether they are heard.
async fn note(services: &Services, name: &str, trouble: Option<&str>) {
    match apps(services).await {
        Ok(mut apps) => {
            let channels = apps.remove(name).map(|(_, channels)| channels).unwrap_or_default();
            services.note_hearing(&channels, trouble).await;
        }
        Err(error) => error.log(),
    }
}

/// Opens the connection of an app and listens until it ends. Says as of when the app's channels were.
async fn hold(
    services: &Services,
    name: &str,
    holder: Uuid,
    opened_as: &mut Vec<(ChannelId, Moment)>,
) -> ServiceResult<End> {
    let Some((app, channels)) = apps(services).await?.remove(name) else { return Ok(End::Over) };
    *opened_as = version(&channels);
    let asked = Instant::now();
    if services.hold_connection(&connection(name), holder, LEASE).await?.is_none() {
        return Ok(End::Over);
    }
    let still = || async {
        let is_there = apps(services).await?.contains_key(name);
        Ok(is_there && services.hold_connection(&connection(name), holder, LEASE).await?.is_some())
    };
    tokio::select! {
        // Beside it, so that a slow database keeps nobody from listening.
        () = keep(asked, still) => Ok(End::Over),
        end = listen(services, name, &app) => Ok(end),
    }
}

async fn listen(services: &Services, name: &str, app: &Api) -> End {
    let address = match app.call("apps.connections.open", &json!({})).await {
        Ok(answer) => answer["url"].as_str().unwrap_or_default().to_owned(),
        Err(Refusal { failure, .. }) => return Break::refused(failure),
    };
    let mut socket = match socket::open(&address, app.outbound()).await {
        Ok(socket) => socket,
        Err(failure) => return Break::refused(failure),
    };
    let (mut was_greeted, mut heard, mut ping) = (false, Instant::now(), Instant::now() + PING_EVERY);
    loop {
        let frame = tokio::select! {
            frame = socket.next() => frame,
            () = tokio::time::sleep_until(ping) => {
                ping = Instant::now() + PING_EVERY;
                let is_there = heard.elapsed() < SILENCE;
                if is_there && socket.send(Frame::Ping(Vec::new().into())).await.is_ok() {
                    continue;
                }
                return Break::end("nothing is heard from Slack", was_greeted);
            }
        };
        heard = Instant::now();
        let text = match frame {
            Some(Ok(Frame::Text(text))) => text,
            // Pings are answered by the library.
            Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Binary(_) | Frame::Frame(_))) => continue,
            Some(Ok(Frame::Close(_))) | None => return End::Anew.after(was_greeted),
            Some(Err(error)) => return Break::end(error.to_string(), was_greeted),
        };
        let said: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
        match said["type"].as_str() {
            Some("hello") => {
                was_greeted = true;
                tracing::info!(app = name, "a Slack app is heard by Socket Mode");
                let (all, name) = (services.clone(), name.to_owned());
                services.platforms().tasks().spawn(async move { note(&all, &name, None).await });
            }
            Some("disconnect") if said["reason"] == "link_disabled" => {
                let reason = "Socket Mode is switched off in the app's settings";
                return Break::refused(Failure::never(None, reason));
            }
            Some("disconnect") => return End::Anew.after(was_greeted),
            kind => {
                let Some(envelope) = said["envelope_id"].as_str() else { continue };
                // Before anything is asked of the database: Slack waits 3 seconds.
                let acknowledged = json!({"envelope_id": envelope}).to_string();
                if let Err(error) = socket.send(Frame::text(acknowledged)).await {
                    return Break::end(error.to_string(), was_greeted);
                }
                if kind == Some("interactive") {
                    work(services, name, said["payload"].clone());
                }
            }
        }
    }
}

impl End {
    /// Not at once if Slack never greeted: that would go round and round.
    fn after(self, was_greeted: bool) -> Self {
        match was_greeted {
            true => self,
            false => Break::end("Slack ended the connection", false),
        }
    }
}

/// Works on what was acknowledged.
fn work(services: &Services, name: &str, payload: Value) {
    let (all, name) = (services.clone(), name.to_owned());
    services.platforms().tasks().spawn(async move {
        // Read anew: a channel may have been made, paused or deleted.
        match apps(&all).await {
            Ok(mut apps) => {
                let channels = apps.remove(&name).map(|(_, channels)| channels).unwrap_or_default();
                news::take(&all, &channels, &payload).await;
            }
            Err(error) => {
                error.log();
                news::fail(&all, &payload).await;
            }
        }
    });
}
