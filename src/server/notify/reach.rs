//! Connections under the same rule on addresses as requests: to where somebody else chose, and only to see that somebody
//! listens there.
//!
//! Owns how a connection is made and that nothing is asked on it: a program takes every request for an event.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

use super::address::not_public;
use super::outbound::{BY_OPERATOR, Blocked, Outbound};
use super::platform::Failure;
use crate::server::trouble::Trouble;

/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to where an address leads, with TLS if it says so, and hangs up. Nothing is sent to what listens there.
///
/// # Errors
/// If nobody listens, they can't prove who they are, or this client may not go there. The address may hold a secret and is
/// not repeated.
pub async fn reach(target: &str, outbound: &Outbound) -> Result<&'static str, Failure> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    reach_trusting(target, outbound, roots).await
}

async fn reach_trusting(
    target: &str,
    outbound: &Outbound,
    roots: RootCertStore,
) -> Result<&'static str, Failure> {
    let url = outbound.check(target).map_err(|reason| Failure::never(None, reason))?;
    let connect = async {
        let stream = dial(&url, outbound).await?;
        if url.scheme() == "http" {
            return Ok("connections are taken");
        }
        greet(stream, &url, roots).await?;
        Ok("connections are taken, with a certificate that is valid")
    };
    let late = || Failure::again(None, format!("no connection within {} s", TIMEOUT.as_secs()));
    timeout(TIMEOUT, connect).await.unwrap_or_else(|_| Err(late()))
}

/// A connection to where an address leads, to one of the addresses that were checked.
///
/// # Errors
/// If nobody listens, or this client may not go there.
pub(super) async fn dial(url: &Url, outbound: &Outbound) -> Result<TcpStream, Failure> {
    let Some(port) = url.port_or_known_default() else {
        return Err(Failure::never(None, "an address without a port"));
    };
    let whom = url.host_str().unwrap_or_default();
    let lost = |error: std::io::Error| Failure::again(None, Trouble::of(whom, &error).without_connection());
    let found: Vec<SocketAddr> = match url.host() {
        Some(Host::Ipv4(ip)) => vec![(ip, port).into()],
        Some(Host::Ipv6(ip)) => vec![(ip, port).into()],
        Some(Host::Domain(name)) => tokio::net::lookup_host((name, port)).await.map_err(lost)?.collect(),
        None => return Err(Failure::never(None, "an address without a host")),
    };
    let is_open = outbound.policy.allow_private_targets;
    let allowed: Vec<SocketAddr> =
        found.into_iter().filter(|one| is_open || not_public(one.ip()).is_none()).collect();
    if allowed.is_empty() {
        let reason = format!("{Blocked}: the name does not lead to a public address{BY_OPERATOR}");
        return Err(Failure::never(None, reason));
    }
    TcpStream::connect(&allowed[..]).await.map_err(lost)
}

/// Begins TLS, so that both know that they could speak.
async fn greet(stream: TcpStream, url: &Url, roots: RootCertStore) -> Result<(), Failure> {
    // The brackets of an IPv6 address are the URL's.
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let lost = |error: &(dyn Error + 'static)| {
        Failure::again(None, format!("no safe connection: {}", Trouble::of(&host, error)))
    };
    let name = ServerName::try_from(host.clone()).map_err(|error| lost(&error))?;
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| lost(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    connected.map(drop).map_err(|error| lost(&error))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;
    use crate::server::notify::OutboundPolicy;

    fn client(allow_private_targets: bool) -> Outbound {
        Outbound::new(OutboundPolicy { allow_private_targets })
    }

    async fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        (listener, address)
    }

    /// What somebody who listens is told before the connection ends.
    fn heard(listener: TcpListener) -> JoinHandle<Vec<u8>> {
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut heard = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut heard).await.expect("its end");
            heard
        })
    }

    #[tokio::test]
    async fn who_listens_is_told_nothing() {
        let (listener, address) = listener().await;
        let heard = heard(listener);
        let reached = reach(&format!("http://{address}/hook?token=secret"), &client(true)).await;
        assert_eq!(reached, Ok("connections are taken"));
        assert_eq!(heard.await.expect("no panic"), b"");
        let failure = reach(&format!("http://{address}/secret"), &client(true)).await.expect_err("nobody");
        assert_eq!(failure.reason, "no connection: nothing listens there");
    }

    #[tokio::test]
    async fn an_inner_address_is_not_connected_to() {
        let (listener, address) = listener().await;
        for host in ["127.0.0.1", "localhost", "[::1]", "127.1"] {
            let target = format!("http://{host}:{}/", address.port());
            let failure = reach(&target, &client(false)).await.expect_err("inside");
            assert!(failure.is_blocked(), "{target}: {}", failure.reason);
        }
        let nothing = std::future::poll_fn(|context| std::task::Poll::Ready(listener.poll_accept(context)));
        assert!(nothing.await.is_pending(), "nobody came");
    }

    #[tokio::test]
    async fn a_certificate_counts_if_it_is_trusted_and_for_that_host() {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("a pair");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let (listener, address) = listener().await;
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Who does not like the certificate breaks off.
                let _ = acceptor.accept(stream).await;
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).expect("a root");
        let at = |host: &str| format!("https://{host}:{}/", address.port());
        let reached = reach_trusting(&at("localhost"), &client(true), roots.clone()).await;
        assert_eq!(reached, Ok("connections are taken, with a certificate that is valid"));
        let refused = |reached: Result<_, Failure>| reached.expect_err("refused").reason;
        assert_eq!(
            refused(reach_trusting(&at("127.0.0.1"), &client(true), roots).await),
            "no safe connection: the host's TLS certificate is for another name"
        );
        assert_eq!(
            refused(reach(&at("localhost"), &client(true)).await),
            "no safe connection: the host's TLS certificate is from nobody that is trusted here"
        );
    }
}
