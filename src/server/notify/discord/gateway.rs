//! One connection to the gateway (<https://docs.discord.com/developers/events/gateway>): hello, heartbeats, identify or
//! resume, and what comes then. Interactions need no intents, so nothing else of a server is heard.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{self, Message};

use super::api::Bot;
use crate::server::notify::socket::Socket;
use crate::server::random;
use crate::server::trouble::Trouble;

/// How long the gateway may take to say hello.
const HELLO: Duration = Duration::from_secs(10);
/// Shortest time between heartbeats, whatever the gateway wishes.
const BEAT_MIN: Duration = Duration::from_millis(50);
/// Longest time between heartbeats.
const BEAT_MAX: Duration = Duration::from_mins(5);

/// What a later connection goes on with (<https://docs.discord.com/developers/events/gateway#resuming>).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) url: String,
}

/// What a bot remembers between connections.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What can be resumed.
    pub(super) session: Option<Session>,
    /// The number of the last event.
    pub(super) sequence: Option<u64>,
    /// Whether the gateway took the bot in, in this connection.
    pub(super) is_in: bool,
}

/// Why a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It may be opened again; what is remembered is kept or gone.
    Again(String),
    /// Opening it again would not help.
    Never(String),
}

/// What is heard on a connection.
#[derive(Debug)]
pub(super) enum Event {
    /// The gateway took the bot in.
    In,
    /// Somebody did something.
    Interaction(Value),
}

/// Listens on a connection until it ends. `hear` gets everything that is heard.
pub(super) async fn listen(
    socket: &mut Socket,
    bot: &Bot,
    memory: &mut Memory,
    mut hear: impl FnMut(Event),
) -> End {
    memory.is_in = false;
    let hello = match timeout(HELLO, next(socket)).await {
        Ok(Ok(hello)) => hello,
        Ok(Err(end)) => return forget(end, memory),
        Err(_) => return End::Again("the gateway did not say hello".to_owned()),
    };
    let Some(interval) = hello["d"]["heartbeat_interval"].as_u64().filter(|_| hello["op"] == 10) else {
        return End::Again("the gateway did not say hello".to_owned());
    };
    let interval = Duration::from_millis(interval).clamp(BEAT_MIN, BEAT_MAX);
    // The first one comes at random, so that not all programs beat at once after an outage.
    let mut beat = Instant::now() + interval * u32::from(random::bytes::<1>()[0]) / 256;
    let mut is_answered = true;
    if let Err(end) = say(socket, &introduction(bot, memory)).await {
        return end;
    }
    loop {
        let event = tokio::select! {
            event = next(socket) => match event {
                Ok(event) => event,
                Err(end) => return forget(end, memory),
            },
            () = sleep_until(beat) => {
                if !is_answered {
                    return End::Again("the gateway did not answer a heartbeat".to_owned());
                }
                is_answered = false;
                beat = Instant::now() + interval;
                if let Err(end) = say(socket, &heartbeat(memory)).await {
                    return end;
                }
                continue;
            }
        };
        match event["op"].as_u64() {
            Some(0) => {
                memory.sequence = event["s"].as_u64().or(memory.sequence);
                match event["t"].as_str() {
                    Some("READY") => {
                        let text = |name: &str| event["d"][name].as_str().unwrap_or_default().to_owned();
                        memory.session =
                            Some(Session { id: text("session_id"), url: text("resume_gateway_url") });
                        memory.is_in = true;
                        hear(Event::In);
                    }
                    Some("RESUMED") => {
                        memory.is_in = true;
                        hear(Event::In);
                    }
                    Some("INTERACTION_CREATE") => hear(Event::Interaction(event["d"].clone())),
                    _ => {}
                }
            }
            Some(1) => {
                if let Err(end) = say(socket, &heartbeat(memory)).await {
                    return end;
                }
            }
            Some(7) => return End::Again("the gateway asks to connect anew".to_owned()),
            Some(9) => {
                if event["d"] != true {
                    *memory = Memory { is_in: memory.is_in, ..Memory::default() };
                }
                return End::Again("the gateway does not know the session".to_owned());
            }
            Some(11) => is_answered = true,
            _ => {}
        }
    }
}

/// Who this is, or where it left off.
fn introduction(bot: &Bot, memory: &Memory) -> Value {
    match &memory.session {
        Some(session) => json!({"op": 6, "d": {
            "token": bot.token(), "session_id": session.id, "seq": memory.sequence,
        }}),
        None => json!({"op": 2, "d": {
            "token": bot.token(), "intents": 0,
            "properties": {"os": std::env::consts::OS, "browser": "impri", "device": "impri"},
        }}),
    }
}

fn heartbeat(memory: &Memory) -> Value {
    json!({"op": 1, "d": memory.sequence})
}

/// The next event.
async fn next(socket: &mut Socket) -> Result<Value, End> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                let event = serde_json::from_str(&text);
                return event
                    .map_err(|_| End::Again("the gateway sent something that is no JSON".to_owned()));
            }
            Some(Ok(Message::Close(frame))) => {
                return Err(match frame {
                    Some(frame) => closed(frame.code.into(), &frame.reason),
                    None => End::Again("the gateway closed the connection".to_owned()),
                });
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(broken(&error)),
            None => return Err(End::Again("the connection ended".to_owned())),
        }
    }
}

async fn say(socket: &mut Socket, event: &Value) -> Result<(), End> {
    let sent = socket.send(Message::text(event.to_string())).await;
    sent.map_err(|error| broken(&error))
}

fn broken(error: &tungstenite::Error) -> End {
    End::Again(Trouble::of("Discord's gateway", error).to_string())
}

/// A session that the gateway ended is not resumed.
fn forget(end: End, memory: &mut Memory) -> End {
    if matches!(&end, End::Again(reason) if reason.starts_with(ENDED)) {
        *memory = Memory { is_in: memory.is_in, ..Memory::default() };
    }
    end
}

/// How the reason of an end begins after which a session is over.
const ENDED: &str = "the gateway ended the session";

/// What a close code means
/// (<https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes>).
fn closed(code: u16, said: &str) -> End {
    let said: String = said.chars().take(100).collect();
    match code {
        4004 => End::Never(
            "Discord does not know the bot token: reset it on the application's page Bot".to_owned(),
        ),
        4010..=4014 => End::Never(format!("the gateway refuses this program (code {code}: {said})")),
        // A normal end, a sequence that the gateway does not know, a session that was away for too long.
        1000 | 1001 | 4007 | 4009 => End::Again(format!("{ENDED} (code {code}: {said})")),
        _ => End::Again(format!("the gateway closed the connection (code {code}: {said})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_ends_are_final_and_some_end_the_session() {
        for code in [4004, 4010, 4011, 4012, 4013, 4014] {
            assert!(matches!(closed(code, ""), End::Never(_)), "{code}");
        }
        for (code, is_over) in
            [(1006, false), (4000, false), (4008, false), (4007, true), (4009, true), (1000, true)]
        {
            let session = Some(Session { id: "s".into(), url: "wss://x".into() });
            let mut memory = Memory { session, sequence: Some(5), is_in: true };
            let end = forget(closed(code, "so"), &mut memory);
            assert!(matches!(end, End::Again(_)), "{code}");
            assert_eq!(memory.session.is_none(), is_over, "{code}");
        }
    }
}
