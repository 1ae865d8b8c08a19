//! The gateway (<https://docs.discord.com/developers/events/gateway>): hello, heartbeats, identify, resume with the events
//! that were missed, and ends of several sorts.

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::{Shared, TOKEN};

/// How a connection ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::channels) enum Kick {
    /// Without a word.
    Drop,
    /// With a close code.
    Close(u16),
    /// Discord asks to connect anew.
    Reconnect,
    /// The session is not known any more.
    Invalid,
}

type Socket = WebSocketStream<TcpStream>;

pub(super) async fn serve(listener: TcpListener, shared: Shared) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = shared.clone();
        tokio::spawn(async move {
            #[expect(clippy::result_large_err, reason = "the library's own signature")]
            let look = |request: &Request, response: Response| {
                assert_eq!(request.uri().query(), Some("v=10&encoding=json"));
                Ok(response)
            };
            if let Ok(socket) = accept_hdr_async(stream, look).await {
                talk(socket, &shared).await;
            }
        });
    }
}

async fn say(socket: &mut Socket, event: Value) -> Option<()> {
    socket.send(Message::text(event.to_string())).await.ok()
}

async fn close(socket: &mut Socket, code: u16) -> Option<()> {
    socket.close(Some(CloseFrame { code: code.into(), reason: "so".into() })).await.ok()
}

async fn hear(socket: &mut Socket) -> Option<Value> {
    loop {
        match socket.next().await?.ok()? {
            Message::Text(text) => {
                assert!(text.len() <= 4_096, "payloads do not exceed 4096 bytes");
                return serde_json::from_str(&text).ok();
            }
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

/// A program that was let in, until its connection ends.
struct Guest<'a>(&'a Shared);

impl<'a> Guest<'a> {
    fn enter(shared: &'a Shared) -> Self {
        let mut state = shared.lock();
        state.live += 1;
        state.most_live = state.most_live.max(state.live);
        Self(shared)
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        if let Ok(mut state) = self.0.state.lock() {
            state.live -= 1;
        }
    }
}

/// Talks until the connection ends.
async fn talk(mut socket: Socket, shared: &Shared) -> Option<()> {
    let mut bell = shared.bell.subscribe();
    let (interval, url) = {
        let state = shared.lock();
        (state.interval, state.gateway.clone())
    };
    say(&mut socket, json!({"op": 10, "d": {"heartbeat_interval": interval}})).await?;
    let mut sent = enter(&mut socket, shared, &url).await?;
    let _guest = Guest::enter(shared);
    loop {
        let (kick, events) = {
            let mut state = shared.lock();
            (state.kicks.pop_front(), state.events.clone())
        };
        match kick {
            Some(Kick::Drop) => return None,
            Some(Kick::Close(code)) => return close(&mut socket, code).await,
            Some(Kick::Reconnect) => say(&mut socket, json!({"op": 7, "d": null})).await?,
            Some(Kick::Invalid) => {
                shared.lock().session += 1;
                say(&mut socket, json!({"op": 9, "d": false})).await?;
            }
            None => {}
        }
        for event in events.iter().skip(sent) {
            sent += 1;
            dispatch(&mut socket, sent, "INTERACTION_CREATE", event.clone()).await?;
        }
        tokio::select! {
            event = hear(&mut socket) => beat(&mut socket, shared, &event?).await?,
            changed = bell.changed() => changed.ok()?,
        }
    }
}

async fn dispatch(socket: &mut Socket, sequence: usize, name: &str, data: Value) -> Option<()> {
    // READY is the first event of a session.
    say(socket, json!({"op": 0, "s": sequence + 1, "t": name, "d": data})).await
}

async fn beat(socket: &mut Socket, shared: &Shared, event: &Value) -> Option<()> {
    assert_eq!(event["op"], 1, "{event}");
    let is_deaf = {
        let mut state = shared.lock();
        state.beats += 1;
        state.is_deaf
    };
    shared.ring();
    if is_deaf { Some(()) } else { say(socket, json!({"op": 11})).await }
}

/// Lets a program in; says how many events of the session it has.
async fn enter(socket: &mut Socket, shared: &Shared, url: &str) -> Option<usize> {
    let hello = loop {
        let event = hear(socket).await?;
        match event["op"].as_u64() {
            Some(1) => beat(socket, shared, &event).await?,
            _ => break event,
        }
    };
    let data = &hello["d"];
    if data["token"] != TOKEN {
        close(socket, 4004).await?;
        return None;
    }
    let session = format!("session-{}", shared.lock().session);
    match hello["op"].as_u64() {
        Some(2) => {
            assert_eq!(data["intents"], 0, "interactions need none");
            assert!(["os", "browser", "device"].iter().all(|name| data["properties"][name].is_string()));
            let sent = shared.lock().events.len();
            let ready = json!({"v": 10, "session_id": session, "resume_gateway_url": url});
            say(socket, json!({"op": 0, "s": sent + 1, "t": "READY", "d": ready})).await?;
            enter_as(shared, "identify");
            Some(sent)
        }
        Some(6) if data["session_id"] == session.as_str() => {
            let seen = usize::try_from(data["seq"].as_u64().expect("a number")).expect("few") - 1;
            let missed = shared.lock().events[seen..].to_vec();
            let mut sent = seen;
            for event in missed {
                sent += 1;
                dispatch(socket, sent, "INTERACTION_CREATE", event).await?;
            }
            dispatch(socket, sent, "RESUMED", json!({})).await?;
            enter_as(shared, "resume");
            Some(sent)
        }
        Some(6) => {
            say(socket, json!({"op": 9, "d": false})).await?;
            hear(socket).await;
            None
        }
        _ => {
            close(socket, 4003).await?;
            None
        }
    }
}

fn enter_as(shared: &Shared, how: &'static str) {
    shared.lock().entries.push(how);
    shared.ring();
}
