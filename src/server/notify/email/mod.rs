//! E-mail: the whole card with a link to it. Nothing in a mail decides: programs that look at mails follow links.
//!
//! Mails leave through the operator's server, by lettre: it speaks SMTP with STARTTLS, TLS and every usual way to sign
//! in, over the TLS library that is here already. A mail can't be changed. Where a channel wants to hear of outcomes,
//! they follow as answers in the same thread.

mod write;

use std::error::Error as _;
use std::time::Duration;

use futures::future::BoxFuture;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::{AsyncSmtpTransportBuilder, Error};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};

use self::write::Writer;
use super::message::Message;
use super::platform::{Arrived, Failure, Platform, Sent};
use crate::domain::channel::Config;
use crate::server::config::{Smtp, SmtpTls};
use crate::server::trouble::{Trouble, causes};

/// How long a mail server may take for one step.
const STEP: Duration = Duration::from_secs(10);
/// How long it may take in all: a channel is ours for a little longer than that.
const WHOLE: Duration = Duration::from_secs(20);
/// Longest reason that is kept, in characters.
const REASON_MAX: usize = 300;

/// What an operator has to do before there are e-mail channels.
pub(super) const NOT_SET_UP: &str = "needs a mail server: whoever runs this server names one with IMPRI_SMTP_HOST and a sender with IMPRI_SMTP_FROM.";

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Somebody's mailbox.
pub struct Email {
    writer: Writer,
    tells_outcomes: bool,
    transport: Transport,
}

impl Email {
    /// With a channel's settings and the operator's.
    ///
    /// # Errors
    /// If the operator's can't be used, or the address can't be written to.
    pub fn new(config: &Config, smtp: Option<&Smtp>) -> Result<Self, Failure> {
        let smtp = smtp.ok_or_else(|| Failure::again(None, format!("e-mail {NOT_SET_UP}")))?;
        let writer =
            Writer::new(&smtp.from, config.text("address")).map_err(|why| Failure::never(None, why))?;
        let builder = transport(smtp).map_err(|error| failure(&error))?;
        Ok(Self { writer, tells_outcomes: config.is_on("outcomes"), transport: builder.build() })
    }

    async fn mail(&self, message: &Message, thread: Option<&str>) -> Sent {
        let mail = self.writer.write(message, thread).map_err(|why| Failure::never(None, why))?;
        let sending = tokio::time::timeout(WHOLE, self.transport.send(mail));
        let response = sending.await.map_err(|_| too_slow())?.map_err(|error| failure(&error))?;
        let code = u16::from(response.code());
        let said: String =
            response.message().collect::<Vec<_>>().join(" ").chars().take(REASON_MAX).collect();
        // Only what is named here is changed afterwards, which for a mail is to be answered.
        let thread = thread.map(str::to_owned).or_else(|| self.writer.thread(message));
        let reference = thread.filter(|_| self.tells_outcomes);
        Ok(Arrived { status: code, reference, answer: format!("{code} {said}").trim_end().to_owned() })
    }
}

/// A way to the operator's server.
fn transport(smtp: &Smtp) -> Result<AsyncSmtpTransportBuilder, Error> {
    let tls = || {
        let builder = TlsParameters::builder(smtp.host.clone());
        match &smtp.roots {
            Some(roots) => builder.add_root_certificate(roots.clone()),
            None => builder,
        }
        .build_rustls()
    };
    let builder = Transport::builder_dangerous(&smtp.host).port(smtp.port).timeout(Some(STEP));
    let builder = builder.tls(match smtp.tls {
        // An operator who wants it unprotected has said so; see `config/smtp.rs` for where that is possible.
        SmtpTls::Nothing => Tls::None,
        // Required: a server that does not offer it gets nothing.
        SmtpTls::StartTls => Tls::Required(tls()?),
        SmtpTls::Tls => Tls::Wrapper(tls()?),
    });
    Ok(match &smtp.account {
        Some((user, password)) => {
            builder.credentials(Credentials::new(user.clone(), password.expose().to_owned()))
        }
        None => builder,
    })
}

fn too_slow() -> Failure {
    Failure::again(None, format!("the mail server took more than {} s", WHOLE.as_secs()))
}

/// What an error means. RFC 5321 §4.2.1: 4yz may pass, 5yz will not.
fn failure(error: &Error) -> Failure {
    let status = error.status().map(u16::from);
    let cause = error.source().and_then(|source| causes(source).last());
    let cause: String = cause.map(ToString::to_string).unwrap_or_default().chars().take(REASON_MAX).collect();
    match status {
        // RFC 4954 §6: what a server answers to whom it does not know.
        Some(status @ (530 | 534 | 535 | 538)) => Failure::never(
            Some(status),
            format!(
                "SMTP {status}: {cause}: the mail server does not take the sign-in; whoever runs this server looks at \
                 IMPRI_SMTP_USER and IMPRI_SMTP_PASSWORD"
            ),
        ),
        Some(status) if error.is_permanent() => {
            Failure::never(Some(status), format!("SMTP {status}: {cause}"))
        }
        Some(status) => Failure::again(Some(status), format!("SMTP {status}: {cause}")),
        // STARTTLS or a way to sign in that the server does not have.
        None if error.is_client() => Failure::never(None, format!("the mail server can't be used: {cause}")),
        None if error.is_timeout() => {
            Failure::again(None, format!("no answer from the mail server within {} s", STEP.as_secs()))
        }
        None => {
            let trouble = Trouble::of("the mail server", error);
            let (safe, help) = match trouble {
                Trouble::Certificate(_) => ("safe ", "; IMPRI_SMTP_CA_FILE names certificates of your own"),
                Trouble::NoTls => ("safe ", ""),
                _ => ("", ""),
            };
            Failure::again(None, format!("no {safe}connection to the mail server: {trouble}{help}"))
        }
    }
}

impl Platform for Email {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.mail(message, None))
    }

    fn edit<'a>(&'a self, reference: &'a str, message: &'a Message) -> BoxFuture<'a, Sent> {
        Box::pin(self.mail(message, Some(reference)))
    }

    fn check(&self) -> BoxFuture<'_, Result<String, Failure>> {
        Box::pin(async move {
            let looking = tokio::time::timeout(WHOLE, self.transport.test_connection());
            match looking.await.map_err(|_| too_slow())? {
                Ok(true) => Ok("the mail server answers and takes the sign-in".to_owned()),
                Ok(false) => Err(Failure::again(None, "the mail server broke off")),
                Err(error) => Err(failure(&error)),
            }
        })
    }
}
