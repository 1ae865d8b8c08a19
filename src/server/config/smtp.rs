//! The operator's mail server, which e-mail channels send through.

use std::fmt::{self, Debug, Formatter};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use lettre::message::Mailbox;
use lettre::transport::smtp::client::Certificate;

use super::Secret;
use crate::server::notify::not_public;

/// How a connection to the mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// It begins in the clear and is then encrypted, or broken off.
    StartTls,
    /// It is encrypted from its first byte on.
    Tls,
    /// Not at all: only inside a network of the operator's own.
    Nothing,
}

impl SmtpTls {
    /// The port that servers usually listen on for it (RFC 6409 §3.1, RFC 8314 §3.3, RFC 5321 §4.5.4.2).
    fn port(self) -> u16 {
        match self {
            Self::StartTls => 587,
            Self::Tls => 465,
            Self::Nothing => 25,
        }
    }
}

/// The settings as they were given.
#[derive(Debug, Default)]
pub struct SmtpSource<'a> {
    /// The server's name or address.
    pub host: Option<&'a str>,
    /// Its port.
    pub port: Option<u16>,
    /// How the connection is protected.
    pub tls: Option<SmtpTls>,
    /// Whom to sign in as.
    pub user: Option<&'a str>,
    /// With what.
    pub password: Option<&'a str>,
    /// The same from a file.
    pub password_file: Option<&'a Path>,
    /// Who the mails are from.
    pub from: Option<&'a str>,
    /// Certificates to trust besides the public ones.
    pub ca_file: Option<&'a Path>,
}

/// A mail server that may be used.
#[derive(Clone)]
pub struct Smtp {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub tls: SmtpTls,
    /// Whom to sign in as, and with what.
    pub account: Option<(String, Secret)>,
    /// Who the mails are from.
    pub from: Mailbox,
    /// Certificates to trust besides the public ones.
    pub roots: Option<Certificate>,
}

impl Debug for Smtp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { host, port, tls, .. } = self;
        f.debug_struct("Smtp")
            .field("host", host)
            .field("port", port)
            .field("tls", tls)
            .finish_non_exhaustive()
    }
}

/// What is wrong with these settings, as one sentence.
#[derive(Debug, thiserror::Error)]
pub enum SmtpError {
    /// Something is said about a server that is not named.
    #[error("{0} is set without a mail server: set IMPRI_SMTP_HOST too.")]
    NoHost(&'static str),
    /// There is no sender, or none that can be written down.
    #[error(
        "IMPRI_SMTP_FROM (--smtp-from) is {0:?}, but must say who the mails are from, such as impri@example.com or \
         Impri <impri@example.com>."
    )]
    From(String),
    /// An account without a password.
    #[error(
        "IMPRI_SMTP_USER is set without a password: set IMPRI_SMTP_PASSWORD_FILE or IMPRI_SMTP_PASSWORD too."
    )]
    NoPassword,
    /// A password without an account.
    #[error("A password for the mail server is set without a user: set IMPRI_SMTP_USER too.")]
    NoUser,
    /// Both ways of giving the password were used.
    #[error("IMPRI_SMTP_PASSWORD and IMPRI_SMTP_PASSWORD_FILE are both set: set only one.")]
    TwoPasswords,
    /// What leaves the operator's network would be readable.
    #[error(
        "IMPRI_SMTP_TLS (--smtp-tls) is none, but {0:?} is not certainly inside your own network: use starttls or tls, \
         or name the server by its private address."
    )]
    Open(String),
    /// A file can't be read.
    #[error("{variable} {path} can't be read: {reason}.")]
    File {
        /// The setting that names it.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A file holds no certificates.
    #[error("IMPRI_SMTP_CA_FILE {0} must hold certificates in PEM.")]
    Certificates(PathBuf),
}

impl Smtp {
    /// The settings, checked; none if there are none.
    ///
    /// # Errors
    /// The first one that is wrong or missing.
    pub fn new(given: &SmtpSource<'_>) -> Result<Option<Self>, SmtpError> {
        let said =
            |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let Some(host) = said(given.host) else {
            return match lonely(given) {
                Some(variable) => Err(SmtpError::NoHost(variable)),
                None => Ok(None),
            };
        };
        let from = said(given.from).unwrap_or_default();
        let from = from.parse().map_err(|_| SmtpError::From(from))?;
        let tls = given.tls.unwrap_or(match given.port {
            Some(465) => SmtpTls::Tls,
            _ => SmtpTls::StartTls,
        });
        if tls == SmtpTls::Nothing && !is_inside(&host) {
            return Err(SmtpError::Open(host));
        }
        let password = match (given.password.filter(|text| !text.is_empty()), given.password_file) {
            (Some(_), Some(_)) => return Err(SmtpError::TwoPasswords),
            (Some(password), None) => Some(password.to_owned()),
            (None, Some(path)) => {
                let read = fs::read_to_string(path);
                let text = read.map_err(|reason| unreadable("IMPRI_SMTP_PASSWORD_FILE", path, reason))?;
                // Editors and echo end a file with a newline that is no part of the password.
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
            (None, None) => None,
        };
        let account = match (said(given.user), password) {
            (None, None) => None,
            (Some(user), Some(password)) => Some((user, Secret::new(password))),
            (Some(_), None) => return Err(SmtpError::NoPassword),
            (None, Some(_)) => return Err(SmtpError::NoUser),
        };
        let roots = given.ca_file.map(certificates).transpose()?;
        Ok(Some(Self { host, port: given.port.unwrap_or(tls.port()), tls, account, from, roots }))
    }
}

/// A setting that means nothing without a server.
fn lonely(given: &SmtpSource<'_>) -> Option<&'static str> {
    let is_said = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    [
        (is_said(given.from), "IMPRI_SMTP_FROM"),
        (is_said(given.user), "IMPRI_SMTP_USER"),
        (is_said(given.password), "IMPRI_SMTP_PASSWORD"),
        (given.password_file.is_some(), "IMPRI_SMTP_PASSWORD_FILE"),
    ]
    .into_iter()
    .find_map(|(is_set, variable)| is_set.then_some(variable))
}

fn unreadable(variable: &'static str, path: &Path, reason: std::io::Error) -> SmtpError {
    SmtpError::File { variable, path: path.to_owned(), reason }
}

fn certificates(path: &Path) -> Result<Certificate, SmtpError> {
    let pem = fs::read(path).map_err(|reason| unreadable("IMPRI_SMTP_CA_FILE", path, reason))?;
    let is_empty =
        !pem.windows(b"-----BEGIN CERTIFICATE-----".len()).any(|part| part == b"-----BEGIN CERTIFICATE-----");
    match Certificate::from_pem(&pem) {
        Ok(certificate) if !is_empty => Ok(certificate),
        _ => Err(SmtpError::Certificates(path.to_owned())),
    }
}

/// Whether a host can only be inside the operator's own network: an address that is not public, or a name that only an
/// inner resolver knows.
fn is_inside(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return not_public(address).is_some();
    }
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    // RFC 6761 §6.3, RFC 6762 §3, RFC 8375 §4, and what ICANN keeps for private use.
    let endings = [".localhost", ".local", ".home.arpa", ".internal"];
    !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: SmtpSource<'_> = SmtpSource {
        host: Some("mail.example.com"),
        port: None,
        tls: None,
        user: None,
        password: None,
        password_file: None,
        from: Some("Impri <impri@example.com>"),
        ca_file: None,
    };

    fn refused(given: &SmtpSource<'_>) -> String {
        Smtp::new(given).expect_err("refused").to_string()
    }

    #[test]
    fn a_server_and_a_sender_are_enough() {
        let smtp = Smtp::new(&GIVEN).expect("complete").expect("a server");
        assert_eq!((smtp.port, smtp.tls), (587, SmtpTls::StartTls));
        let smtp = Smtp::new(&SmtpSource { port: Some(465), ..GIVEN }).expect("complete").expect("a server");
        assert_eq!(smtp.tls, SmtpTls::Tls);
        let none = SmtpSource { host: Some(" "), from: Some(""), ..GIVEN };
        assert!(Smtp::new(&none).expect("nothing is said").is_none());
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(refused(&SmtpSource { host: None, ..GIVEN }).contains("IMPRI_SMTP_HOST"));
        for from in [None, Some("nobody"), Some("a@b.example\r\nBcc: c@d.example")] {
            assert!(refused(&SmtpSource { from, ..GIVEN }).contains("IMPRI_SMTP_FROM"));
        }
        let user = SmtpSource { user: Some("impri"), ..GIVEN };
        assert!(refused(&user).contains("IMPRI_SMTP_PASSWORD"));
        assert!(refused(&SmtpSource { password: Some("hunter2"), ..GIVEN }).contains("IMPRI_SMTP_USER"));
        let file = Some(Path::new("/nowhere/at/all"));
        assert!(refused(&SmtpSource { password_file: file, ..user }).contains("/nowhere/at/all"));
        assert!(refused(&SmtpSource { ca_file: file, ..GIVEN }).contains("IMPRI_SMTP_CA_FILE"));
    }

    #[test]
    fn nothing_leaves_the_house_in_the_clear() {
        for (host, is_allowed) in [
            ("127.0.0.1", true),
            ("10.0.0.7", true),
            ("[::1]", true),
            ("localhost", true),
            ("postfix", true),
            ("mail.internal", true),
            ("mail.example.com", false),
            ("localhost.example.com", false),
            ("8.8.8.8", false),
            ("2606:4700::1111", false),
        ] {
            let given = SmtpSource { host: Some(host), tls: Some(SmtpTls::Nothing), ..GIVEN };
            assert_eq!(Smtp::new(&given).is_ok(), is_allowed, "{host}");
        }
    }

    #[test]
    fn the_password_does_not_show_itself() {
        let given = SmtpSource { user: Some("impri"), password: Some("hunter2"), ..GIVEN };
        let smtp = Smtp::new(&given).expect("complete");
        assert!(!format!("{smtp:?}").contains("hunter2"));
    }
}
