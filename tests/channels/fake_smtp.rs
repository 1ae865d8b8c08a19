//! A mail server as RFC 5321 describes it: it greets (§4.3.1), takes EHLO (§4.1.1.1), STARTTLS (RFC 3207), AUTH PLAIN and
//! LOGIN (RFC 4954), one transaction of MAIL, RCPT and DATA (§3.3), un-stuffs dots (§4.5.2), keeps what it took, and
//! refuses or breaks off when a test says so. It answers 503 to what comes out of its order (§4.1.4).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use impri::server::config::{Smtp, SmtpSource, SmtpTls};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(super) const USER: &str = "impri@mail.example";
pub(super) const PASSWORD: &str = "a password, with: odd; signs";

/// A mail that was taken.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) from: String,
    pub(super) to: Vec<String>,
    pub(super) data: Vec<u8>,
    pub(super) was_encrypted: bool,
}

/// What a server does in the place of what it usually does, once.
#[derive(Debug, Clone, Copy)]
pub(super) enum Whim {
    /// Answers this to a command.
    Says(&'static str, &'static str),
    /// Closes the connection at a command.
    Drops(&'static str),
}

#[derive(Default)]
struct Shared {
    taken: Vec<Taken>,
    whims: Vec<Whim>,
    commands: Vec<String>,
}

/// How connections begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protection {
    StartTls,
    Tls,
    Nothing,
}

/// The server.
pub(super) struct FakeSmtp {
    address: SocketAddr,
    protection: Protection,
    ca: Option<CaFile>,
    shared: Arc<Mutex<Shared>>,
}

/// A file that goes when nobody needs it.
struct CaFile(PathBuf);

impl Drop for CaFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl FakeSmtp {
    pub(super) async fn start(protection: Protection) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::<Mutex<Shared>>::default();
        let (acceptor, ca) = match protection {
            Protection::Nothing => (None, None),
            Protection::StartTls | Protection::Tls => {
                let (acceptor, pem) = identity();
                let path: PathBuf = std::env::temp_dir().join(format!(
                    "impri-smtp-{}-{}.pem",
                    std::process::id(),
                    address.port()
                ));
                std::fs::write(&path, pem).expect("a file");
                (Some(acceptor), Some(CaFile(path)))
            }
        };
        let its = shared.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let session = Session { shared: its.clone(), is_encrypted: false, user: None };
                tokio::spawn(serve(stream, session, acceptor.clone(), protection));
            }
        });
        Self { address, protection, ca, shared }
    }

    /// The settings of an operator who has an account there.
    pub(super) fn settings(&self) -> Smtp {
        self.settings_with(|given| given)
    }

    pub(super) fn settings_with<'a>(&'a self, change: impl Fn(SmtpSource<'a>) -> SmtpSource<'a>) -> Smtp {
        let given = SmtpSource {
            host: Some("localhost"),
            port: Some(self.address.port()),
            tls: Some(match self.protection {
                Protection::StartTls => SmtpTls::StartTls,
                Protection::Tls => SmtpTls::Tls,
                Protection::Nothing => SmtpTls::Nothing,
            }),
            user: Some(USER),
            password: Some(PASSWORD),
            from: Some("Impri <impri@mail.example>"),
            ca_file: self.ca.as_ref().map(|ca| ca.0.as_path()),
            ..SmtpSource::default()
        };
        Smtp::new(&change(given)).expect("fitting settings").expect("a server")
    }

    pub(super) fn taken(&self) -> Vec<Taken> {
        self.shared.lock().expect("no panic").taken.clone()
    }

    /// The verbs that it heard, in order.
    pub(super) fn commands(&self) -> Vec<String> {
        self.shared.lock().expect("no panic").commands.clone()
    }

    pub(super) fn will(&self, whim: Whim) {
        self.shared.lock().expect("no panic").whims.push(whim);
    }
}

/// A certificate for localhost, and the one of who issued it.
fn identity() -> (TlsAcceptor, String) {
    let mut authority = CertificateParams::new(Vec::new()).expect("names");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer =
        CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("a certificate");
    let key = KeyPair::generate().expect("a key");
    let own = CertificateParams::new(vec!["localhost".to_owned()]).expect("names");
    let certificate = own.signed_by(&key, &issuer).expect("a certificate");
    let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate with its key");
    (TlsAcceptor::from(Arc::new(config)), issuer.pem())
}

struct Session {
    shared: Arc<Mutex<Shared>>,
    is_encrypted: bool,
    user: Option<String>,
}

/// How a conversation goes on.
enum End {
    Over,
    StartTls,
}

async fn serve(
    stream: TcpStream,
    mut session: Session,
    acceptor: Option<TlsAcceptor>,
    protection: Protection,
) {
    let Some(acceptor) = acceptor else {
        talk(&mut BufStream::new(stream), &mut session, true, false).await;
        return;
    };
    if protection == Protection::Tls {
        let Ok(stream) = acceptor.accept(stream).await else { return };
        session.is_encrypted = true;
        talk(&mut BufStream::new(stream), &mut session, true, false).await;
        return;
    }
    let mut stream = BufStream::new(stream);
    if let Some(End::StartTls) = talk(&mut stream, &mut session, true, true).await {
        // Whatever was sent ahead of the handshake is dropped here (RFC 3207 §6), and the handshake fails.
        let Ok(stream) = acceptor.accept(stream.into_inner()).await else { return };
        session.is_encrypted = true;
        // RFC 3207 §4.2: what was said before is forgotten, and there is no second greeting.
        talk(&mut BufStream::new(stream), &mut session, false, false).await;
    }
}

async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufStream<S>,
    session: &mut Session,
    greets: bool,
    offers_tls: bool,
) -> Option<End> {
    if greets {
        say(stream, "220 mail.example ESMTP").await?;
    }
    let (mut has_greeted, mut from, mut to) = (false, None::<String>, Vec::<String>::new());
    loop {
        let line = hear(stream).await?;
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let whim = {
            let mut shared = session.shared.lock().expect("no panic");
            shared.commands.push(verb.clone());
            let at = shared.whims.iter().position(|whim| match whim {
                Whim::Says(at, _) | Whim::Drops(at) => *at == verb,
            });
            at.map(|at| shared.whims.remove(at))
        };
        match whim {
            Some(Whim::Drops(_)) => return Some(End::Over),
            Some(Whim::Says(_, answer)) => {
                say(stream, answer).await?;
                continue;
            }
            None => {}
        }
        match verb.as_str() {
            "EHLO" => {
                has_greeted = true;
                say(stream, "250-mail.example greets you").await?;
                say(stream, "250-SIZE 10485760").await?;
                let last = match (offers_tls, session.is_encrypted) {
                    (true, false) => "250 STARTTLS",
                    // RFC 4954 §4: no plain password where others listen; the one on loopback is what tests need.
                    _ => "250 AUTH PLAIN LOGIN",
                };
                say(stream, last).await?;
            }
            "STARTTLS" if offers_tls => {
                say(stream, "220 go ahead").await?;
                return Some(End::StartTls);
            }
            "AUTH" if has_greeted && session.user.is_none() => {
                let given = line.strip_prefix("AUTH PLAIN ").and_then(|given| STANDARD.decode(given).ok());
                let expected = format!("\0{USER}\0{PASSWORD}");
                if given.as_deref() == Some(expected.as_bytes()) {
                    session.user = Some(USER.to_owned());
                    say(stream, "235 2.7.0 welcome").await?;
                } else {
                    say(stream, "535 5.7.8 Authentication credentials invalid").await?;
                }
            }
            "NOOP" => say(stream, "250 2.0.0 ok").await?,
            "MAIL" if has_greeted && from.is_none() && session.user.is_some() => {
                from = Some(path(&line, "MAIL FROM:"));
                say(stream, "250 2.1.0 ok").await?;
            }
            "MAIL" if session.user.is_none() => say(stream, "530 5.7.0 Authentication required").await?,
            "RCPT" if from.is_some() => {
                to.push(path(&line, "RCPT TO:"));
                say(stream, "250 2.1.5 ok").await?;
            }
            "DATA" if !to.is_empty() => {
                say(stream, "354 go ahead").await?;
                let data = data(stream).await?;
                let mail = Taken {
                    from: from.take().unwrap_or_default(),
                    to: std::mem::take(&mut to),
                    data,
                    was_encrypted: session.is_encrypted,
                };
                session.shared.lock().expect("no panic").taken.push(mail);
                say(stream, "250 2.0.0 queued as 4XyZ").await?;
            }
            "QUIT" => {
                say(stream, "221 2.0.0 bye").await?;
                return Some(End::Over);
            }
            _ => say(stream, "503 5.5.1 bad sequence of commands").await?,
        }
    }
}

/// The address between the brackets.
fn path(line: &str, before: &str) -> String {
    let rest = line.strip_prefix(before).expect("the form of §4.1.2");
    let (address, _) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).expect("a path");
    address.to_owned()
}

/// A mail up to the lonely dot.
async fn data<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut BufStream<S>) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).await.ok()? == 0 {
            return None;
        }
        assert!(line.ends_with(b"\r\n"), "§2.3.8: lines end with both");
        assert!(line.len() <= 1_000, "§4.5.3.1.6: a line has 1,000 octets at most");
        assert!(!line[..line.len() - 2].contains(&b'\r'), "§2.3.8: neither stands alone");
        if line == b".\r\n" {
            return Some(data);
        }
        let stuffed = usize::from(line.starts_with(b"."));
        data.extend_from_slice(&line[stuffed..]);
    }
}

async fn hear<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut BufStream<S>) -> Option<String> {
    let mut line = String::new();
    if stream.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    assert!(line.len() <= 512 || line.starts_with("AUTH"), "§4.5.3.1.4: a command has 512 octets at most");
    Some(line.trim_end_matches("\r\n").to_owned())
}

async fn say<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut BufStream<S>, line: &str) -> Option<()> {
    stream.write_all(format!("{line}\r\n").as_bytes()).await.ok()?;
    stream.flush().await.ok()
}
