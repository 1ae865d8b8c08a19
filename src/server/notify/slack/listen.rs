//! Hearing what people press, without an address that Slack could reach: by Socket Mode
//! (<https://docs.slack.dev/apis/events-api/using-socket-mode/>). One server at a time holds the connection of each app; if
//! it dies, another one goes on within half a minute.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_util::sync::CancellationToken;

use super::api::{Api, Refusal};
use super::news;
use crate::domain::channel::{ChannelKind, Config};
use crate::server::db::channels::StoredChannel;
use crate::server::notify::hearing::{self, Ear, Heard};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::platforms::Room;
use crate::server::notify::socket;
use crate::server::service::Services;
use crate::server::trouble::Trouble;

/// How often the other side is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(10);
/// A connection on which nothing was heard for so long is none.
const SILENCE: Duration = Duration::from_secs(35);
/// Before the next attempt, and how long that grows to.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Slack, as what is listened to.
struct Slack;

/// Hears every app until `stop` is cancelled.
pub async fn run(services: &Services, stop: &CancellationToken) {
    hearing::run::<Slack>(services, stop).await;
}

impl Heard for Slack {
    const KIND: ChannelKind = ChannelKind::Slack;
    type Account = Api;

    /// An app's name is what is the same in all its tokens, `xapp-1-A012345-…`.
    fn account(services: &Services, channel: &StoredChannel, config: &Config) -> Option<(String, Api)> {
        services.platforms().keep_slack_secret(channel.id, config.text("signing_secret"));
        let token = config.text("app_token");
        let name = token.split('-').nth(2)?;
        Some((name.to_owned(), Api::new(token, services.platforms())))
    }

    async fn listen(ear: &Ear<Self>) {
        let mut pause = PAUSE.0;
        loop {
            let held = match ear.hold().await {
                Ok(Some(held)) => held,
                Ok(None) => return,
                Err(error) => {
                    error.log();
                    sleep(pause).await;
                    continue;
                }
            };
            let end = tokio::select! {
                // Beside it, so that a slow database keeps nobody from listening.
                () = ear.keep(held.asked) => return,
                end = listen(ear, &held.account) => end,
            };
            let End::Broken(Break { reason, was_greeted, remedy }) = end else {
                pause = PAUSE.0;
                continue;
            };
            tracing::warn!(app = ear.name(), reason, "a Slack app hears nothing");
            // One that was greeted is opened anew at once.
            if was_greeted {
                pause = PAUSE.0;
            } else {
                ear.note(Some(&reason)).await;
            }
            match remedy {
                Remedy::Again => sleep(pause).await,
                Remedy::After(wait) => sleep(pause.max(wait)).await,
                // Such as a token that was withdrawn.
                Remedy::Never => {
                    ear.until_changed(&held.channels).await;
                    pause = PAUSE.0;
                    continue;
                }
            }
            pause = (pause * 2).min(PAUSE.1);
        }
    }
}

/// How a connection ended.
enum End {
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

/// Opens the connection of an app and listens until it ends.
async fn listen(ear: &Ear<Slack>, app: &Api) -> End {
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
            Some(Err(error)) => return Break::end(Trouble::of("Slack", &error).to_string(), was_greeted),
        };
        let said: Value = serde_json::from_str(text.as_str()).unwrap_or_default();
        match said["type"].as_str() {
            Some("hello") => {
                was_greeted = true;
                tracing::info!(app = ear.name(), "a Slack app is heard by Socket Mode");
                ear.note_heard();
            }
            Some("disconnect") if said["reason"] == "link_disabled" => {
                let reason = "Socket Mode is switched off in the app's settings";
                return Break::refused(Failure::never(None, reason));
            }
            Some("disconnect") => return End::Anew.after(was_greeted),
            kind => {
                let Some(envelope) = said["envelope_id"].as_str() else { continue };
                let is_pressed = kind == Some("interactive");
                let room = ear.services().platforms().room(ChannelKind::Slack).filter(|_| is_pressed);
                if is_pressed && room.is_none() {
                    // Not acknowledged: Slack says to whoever pressed that it did not work.
                    tracing::warn!(app = ear.name(), "too much is pressed in Slack");
                    continue;
                }
                // Before anything is asked of the database: Slack waits 3 seconds.
                let acknowledged = json!({"envelope_id": envelope}).to_string();
                if let Err(error) = socket.send(Frame::text(acknowledged)).await {
                    return Break::end(Trouble::of("Slack", &error).to_string(), was_greeted);
                }
                if let Some(room) = room {
                    work(ear, room, said["payload"].clone());
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
fn work(ear: &Ear<Slack>, room: Room, payload: Value) {
    let own = ear.clone();
    room.work(async move {
        match own.channels().await {
            Ok(channels) => news::take(own.services(), &channels, &payload).await,
            Err(error) => {
                error.log();
                news::fail(own.services(), &payload).await;
            }
        }
    });
}
