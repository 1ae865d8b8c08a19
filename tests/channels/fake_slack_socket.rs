//! Slack's side of Socket Mode (<https://docs.slack.dev/apis/events-api/using-socket-mode/>): it lets in whoever brings a
//! ticket, greets, sends envelopes, notes which were acknowledged, and can say that it is going or just go.

use std::sync::{Arc, Mutex, MutexGuard};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};

use super::fake_slack::{FakeSlack, Shared};

/// The server.
#[derive(Clone, Default)]
pub(super) struct FakeSocket(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Connections that were greeted, ever and at once.
    opened: usize,
    live: usize,
    most_live: usize,
    acknowledged: Vec<String>,
    sent: usize,
    /// To the connection that was opened last.
    line: Option<mpsc::UnboundedSender<Option<Value>>>,
}

impl FakeSocket {
    pub(super) async fn start(slack: &FakeSlack) -> Self {
        let socket = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        slack.lock().socket = Some(listener.local_addr().expect("an address"));
        let (all, shared) = (socket.clone(), Arc::clone(&slack.shared));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(all.clone().serve(stream, Arc::clone(&shared)));
            }
        });
        socket
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic")
    }

    pub(super) fn opened(&self) -> usize {
        self.lock().opened
    }

    pub(super) fn live(&self) -> usize {
        self.lock().live
    }

    pub(super) fn most_live(&self) -> usize {
        self.lock().most_live
    }

    pub(super) fn has_acknowledged(&self, envelope: &str) -> bool {
        self.lock().acknowledged.iter().any(|one| one == envelope)
    }

    /// Sends an envelope; says what it is called.
    pub(super) fn send(&self, kind: &str, payload: &Value) -> String {
        let mut state = self.lock();
        state.sent += 1;
        let envelope = format!("dbdd0ef3-1543-4f94-bfb4-{:012}", state.sent);
        let what = json!({"envelope_id": envelope, "type": kind, "payload": payload, "accepts_response_payload": false});
        state.line.as_ref().expect("a connection").send(Some(what)).expect("it is open");
        envelope
    }

    /// Says that the connection is over.
    pub(super) fn disconnect(&self, reason: &str) {
        let what =
            json!({"type": "disconnect", "reason": reason, "debug_info": {"host": "wss-111.slack.com"}});
        self.lock().line.as_ref().expect("a connection").send(Some(what)).expect("it is open");
    }

    /// Goes without a word.
    pub(super) fn go(&self) {
        self.lock().line.as_ref().expect("a connection").send(None).expect("it is open");
    }

    async fn serve(self, stream: TcpStream, shared: Arc<Mutex<Shared>>) {
        #[expect(clippy::result_large_err, reason = "the library's signature")]
        let let_in = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            let query = request.uri().query().unwrap_or_default();
            let mut shared = shared.lock().expect("no panic");
            let ticket = query.split('&').find_map(|pair| pair.strip_prefix("ticket=")).unwrap_or_default();
            let known = shared.tickets.iter().position(|one| one == ticket);
            let Some(at) = known else {
                let mut refused = ErrorResponse::new(Some("no such ticket".to_owned()));
                *refused.status_mut() = axum::http::StatusCode::UNAUTHORIZED;
                return Err(refused);
            };
            shared.tickets.remove(at);
            Ok(response)
        };
        let Ok(mut socket) = accept_hdr_async(stream, let_in).await else { return };
        let (line, mut steps) = mpsc::unbounded_channel();
        let hello =
            json!({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0KRD7HC3"}});
        socket.send(Frame::text(hello.to_string())).await.expect("greeted");
        {
            let mut state = self.lock();
            state.opened += 1;
            state.live += 1;
            state.most_live = state.most_live.max(state.live);
            state.line = Some(line);
        }
        loop {
            tokio::select! {
                step = steps.recv() => match step {
                    Some(Some(what)) => {
                        if socket.send(Frame::text(what.to_string())).await.is_err() {
                            break;
                        }
                    }
                    _ => break,
                },
                frame = socket.next() => match frame {
                    Some(Ok(Frame::Text(text))) => {
                        let said: Value = serde_json::from_str(text.as_str()).expect("JSON");
                        let envelope = said["envelope_id"].as_str().expect("what is acknowledged").to_owned();
                        self.lock().acknowledged.push(envelope);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => break,
                },
            }
        }
        self.lock().live -= 1;
    }
}
