//! Why a host could not be reached, in words for people.
//!
//! Owns the one place where errors of sockets, names and TLS become words. Their own texts are an operating system's and a
//! library's, and name numbers: they go to the log and nowhere else. It must not know who wants to reach whom.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};

use tokio_rustls::rustls::{self, CertificateError};

/// Why a host could not be reached, or could not be spoken with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// There is a host, and nothing on the port.
    Closed,
    /// No address is known for its name.
    Nameless,
    /// Its network is away.
    Away,
    /// It says nothing.
    Silent,
    /// The connection ended too early.
    CutOff,
    /// Something on this machine forbids it.
    Forbidden,
    /// It can't prove who it is.
    Certificate(&'static str),
    /// It has no TLS, or none that both sides know.
    NoTls,
    /// Something else.
    Unexpected,
}

impl Trouble {
    /// What an error comes from. Its own text goes to the log with `whom`, which must hold no secret.
    pub fn of(whom: &str, error: &(dyn Error + 'static)) -> Self {
        let trouble = causes(error).find_map(told).unwrap_or(Self::Unexpected);
        // The outermost texts repeat addresses, which may hold secrets.
        let cause = causes(error).last().map(ToString::to_string);
        tracing::info!(whom, cause, "{trouble}");
        trouble
    }

    /// That there is no connection, and why.
    pub fn without_connection(self) -> String {
        let safe = if matches!(self, Self::Certificate(_) | Self::NoTls) { "safe " } else { "" };
        format!("no {safe}connection: {self}")
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "nothing listens there",
            Self::Nameless => "no address is known for the host's name",
            Self::Away => "no way leads from here to the host's network",
            Self::Silent => "the host does not answer",
            Self::CutOff => "the connection was cut off",
            Self::Forbidden => "the machine that this server runs on does not allow it",
            Self::Certificate(why) => why,
            Self::NoTls => "the host speaks no TLS, or none that this server knows",
            Self::Unexpected => "the host broke off or spoke in another way than expected",
        })
    }
}

/// An error and what caused it, down to the root.
pub fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// What one error of a chain tells.
fn told(error: &(dyn Error + 'static)) -> Option<Trouble> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(of_tls(error));
    }
    let error = error.downcast_ref::<io::Error>()?;
    // What stands in an error of this sort is not what caused it, and in no chain.
    let inner = error.get_ref().and_then(|inner| causes(inner).find_map(told));
    inner.or_else(|| of_socket(error))
}

fn of_socket(error: &io::Error) -> Option<Trouble> {
    Some(match error.kind() {
        ErrorKind::ConnectionRefused => Trouble::Closed,
        ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable => Trouble::Away,
        ErrorKind::TimedOut => Trouble::Silent,
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::NotConnected
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Trouble::CutOff,
        ErrorKind::PermissionDenied => Trouble::Forbidden,
        // The standard library has no kind for names; it begins so wherever it looks one up.
        _ if error.to_string().starts_with("failed to lookup address information") => Trouble::Nameless,
        _ => return None,
    })
}

fn of_tls(error: &rustls::Error) -> Trouble {
    let rustls::Error::InvalidCertificate(error) = error else { return Trouble::NoTls };
    Trouble::Certificate(match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the host's TLS certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the host's TLS certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the host's TLS certificate is for another name"
        }
        CertificateError::UnknownIssuer => "the host's TLS certificate is from nobody that is trusted here",
        CertificateError::Revoked => "the host's TLS certificate was revoked",
        _ => "the host's TLS certificate is not accepted",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("POST https://host.example/secret")]
    struct Outer(#[source] io::Error);

    #[test]
    fn the_cause_is_found_wherever_it_stands() {
        let refused = || io::Error::from(ErrorKind::ConnectionRefused);
        for error in [refused(), io::Error::other(refused()), io::Error::other(Outer(refused()))] {
            assert_eq!(Trouble::of("host.example", &Outer(error)), Trouble::Closed);
        }
        let tls = rustls::Error::InvalidCertificate(CertificateError::Expired);
        let trouble = Trouble::of("host.example", &Outer(io::Error::new(ErrorKind::InvalidData, tls)));
        assert_eq!(
            trouble.without_connection(),
            "no safe connection: the host's TLS certificate has expired"
        );
        assert_eq!(Trouble::of("host.example", &io::Error::other("x")), Trouble::Unexpected);
    }

    #[tokio::test]
    async fn sockets_and_names_tell_it_themselves() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let error = tokio::net::TcpStream::connect(address).await.expect_err("nobody");
        assert_eq!(Trouble::of("a test", &error), Trouble::Closed);
        // RFC 6761 §6.4: there is no such name.
        let error =
            tokio::net::lookup_host(("no-such-host.invalid", 1)).await.map(drop).expect_err("no name");
        assert_eq!(Trouble::of("a test", &error), Trouble::Nameless);
    }
}
