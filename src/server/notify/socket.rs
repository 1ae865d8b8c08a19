//! `WebSockets` to platforms, under the same policy as the HTTP client: names are resolved here, and a connection is made to
//! checked addresses and to nothing else.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_tls_with_config};
use url::Url;

use super::address::not_public;
use super::outbound::Outbound;
use super::platform::Failure;

/// A connection that messages come and go on.
pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How long it may take until messages can come and go.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a message.
const MESSAGE_MAX: usize = 4 * 1024 * 1024;
/// Longest reason that is kept, in characters.
const REASON_MAX: usize = 300;

/// Opens a connection to a `wss` or `ws` address.
///
/// # Errors
/// If the policy forbids it, or nobody answers as a `WebSocket` does.
pub(super) async fn open(outbound: &Outbound, address: &str) -> Result<Socket, Failure> {
    let opened = timeout(CONNECT_TIMEOUT, connect(outbound, address)).await;
    opened.unwrap_or_else(|_| {
        Err(Failure::again(None, format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())))
    })
}

async fn connect(outbound: &Outbound, address: &str) -> Result<Socket, Failure> {
    let never = |reason: &str| Failure::never(None, reason);
    // The HTTP client's check knows the schemes of HTTP; the rest of an address is the same.
    let as_http = match address.split_once("://") {
        Some(("wss", rest)) => format!("https://{rest}"),
        Some(("ws", rest)) => format!("http://{rest}"),
        _ => return Err(never("not a wss or ws address")),
    };
    let url: Url = outbound.check(&as_http).map_err(|reason| Failure::never(None, reason))?;
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().unwrap_or(443);
    let found = lookup_host((host, port)).await;
    let found = found.map_err(|error| Failure::again(None, format!("no connection: {error}")))?;
    let allowed: Vec<SocketAddr> = found
        .filter(|address| outbound.policy.allow_private_targets || not_public(address.ip()).is_none())
        .collect();
    if allowed.is_empty() {
        return Err(never("SSRF blocked: the name does not lead to a public address"));
    }
    let broken = |error: &dyn std::error::Error| {
        let reason = format!("no connection: {error}");
        Failure::again(None, reason.chars().take(REASON_MAX).collect::<String>())
    };
    let stream = TcpStream::connect(allowed.as_slice()).await.map_err(|error| broken(&error))?;
    let _ = stream.set_nodelay(true);
    let config = WebSocketConfig::default()
        .read_buffer_size(16 * 1024)
        .max_message_size(Some(MESSAGE_MAX))
        .max_frame_size(Some(MESSAGE_MAX));
    let opened = client_async_tls_with_config(address, stream, Some(config), None).await;
    opened.map(|(socket, _)| socket).map_err(|error| broken(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::notify::OutboundPolicy;

    #[tokio::test]
    async fn what_the_client_may_not_reach_a_socket_may_not_either() {
        let guarded = Outbound::new(OutboundPolicy { allow_private_targets: false });
        for address in [
            "wss://127.0.0.1/",
            "ws://localhost:80/",
            "wss://[::1]/",
            "ws://2130706433/",
            "http://1.1.1.1/",
            "",
        ] {
            let failure = open(&guarded, address).await.expect_err("refused");
            let said = failure.reason.starts_with("SSRF blocked") || failure.reason.starts_with("not a wss");
            assert!(said, "{address}: {}", failure.reason);
        }
    }

    #[tokio::test]
    async fn who_does_not_answer_as_a_socket_is_no_connection() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { drop(listener.accept().await) });
        let open_to_all = Outbound::new(OutboundPolicy { allow_private_targets: true });
        let failure = open(&open_to_all, &format!("ws://{address}/")).await.expect_err("nobody");
        assert!(failure.reason.starts_with("no connection: "), "{}", failure.reason);
    }
}
