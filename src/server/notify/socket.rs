//! Connections that a platform keeps open to tell what happens there: web sockets, under the same rule on addresses as
//! requests.
//!
//! Owns how one is opened. It must not know what is said on it.

use std::error::Error;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_tls_with_config};
use url::Url;

use super::outbound::Outbound;
use super::platform::Failure;
use super::reach::dial;
use crate::server::trouble::Trouble;

/// How long opening may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of one message.
const MESSAGE_MAX: usize = 1024 * 1024;

/// An open connection.
pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Opens a connection to an address, which may hold a secret and is not repeated in what went wrong.
///
/// # Errors
/// If nobody answers there, or it is no address that this client may go to.
pub async fn open(address: &str, outbound: &Outbound) -> Result<Socket, Failure> {
    match timeout(TIMEOUT, connect(address, outbound)).await {
        Ok(opened) => opened,
        Err(_) => Err(Failure::again(None, format!("no connection within {} s", TIMEOUT.as_secs()))),
    }
}

async fn connect(address: &str, outbound: &Outbound) -> Result<Socket, Failure> {
    let is_open = outbound.policy.allow_private_targets;
    let url = Url::parse(address).map_err(|_| Failure::never(None, "not an address"))?;
    match url.scheme() {
        "wss" => {}
        // Only between this server and a proxy of its operator's.
        "ws" if is_open => {}
        _ => return Err(Failure::never(None, "not the address of a WebSocket with TLS")),
    }
    let stream = dial(&url, outbound).await?;
    let whom = url.host_str().unwrap_or_default();
    let lost =
        |error: &(dyn Error + 'static)| Failure::again(None, Trouble::of(whom, error).without_connection());
    // What is said is short, and somebody waits for it.
    stream.set_nodelay(true).map_err(|error| lost(&error))?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX)).max_frame_size(Some(MESSAGE_MAX));
    match client_async_tls_with_config(address, stream, Some(config), None).await {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(answer)) => {
            let status = answer.status().as_u16();
            Err(Failure::again(Some(status), format!("HTTP {status} in the place of a connection")))
        }
        Err(error) => Err(lost(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::notify::OutboundPolicy;
    use crate::server::notify::platform::Remedy;

    #[tokio::test]
    async fn an_inner_address_is_refused_in_every_spelling() {
        let guarded = Outbound::new(OutboundPolicy { allow_private_targets: false });
        for address in [
            "wss://127.0.0.1/x",
            "wss://127.1/",
            "wss://[::1]/",
            "wss://[::ffff:10.0.0.1]/",
            "wss://localhost/",
        ] {
            let failure = open(address, &guarded).await.expect_err(address);
            assert!(failure.reason.starts_with("SSRF blocked"), "{address}: {}", failure.reason);
            assert_eq!(failure.remedy, Remedy::Never);
        }
        for address in ["ws://1.1.1.1/", "https://1.1.1.1/", "file:///etc/passwd", "", "wss://"] {
            let failure = open(address, &guarded).await.expect_err(address);
            assert_eq!(failure.remedy, Remedy::Never, "{address}: {}", failure.reason);
        }
    }

    #[tokio::test]
    async fn who_does_not_answer_is_no_connection_and_the_address_stays_secret() {
        let open_client = Outbound::new(OutboundPolicy { allow_private_targets: true });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let failure =
            open(&format!("ws://{address}/?ticket=secret"), &open_client).await.expect_err("nobody");
        assert_eq!(failure.reason, "no connection: nothing listens there");
        assert_eq!(failure.remedy, Remedy::Again);
    }
}
