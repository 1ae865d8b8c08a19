//! The flags and variables of the mail server that e-mail channels send through.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::server::config::{ConfigError, Smtp, SmtpSource, SmtpTls};

/// The mail server.
#[derive(Debug, Args)]
#[command(next_help_heading = "E-mail")]
pub struct SmtpArgs {
    /// Send mails through this server; without it there are no e-mail channels
    #[arg(long, env = "IMPRI_SMTP_HOST", value_name = "HOST", global = true)]
    pub smtp_host: Option<String>,

    /// Its port [default: 587, with tls 465, with none 25]
    #[arg(long, env = "IMPRI_SMTP_PORT", value_name = "PORT", global = true)]
    pub smtp_port: Option<u16>,

    /// How the connection is protected [default: starttls, at port 465 tls]
    #[arg(long, env = "IMPRI_SMTP_TLS", value_name = "MODE", global = true)]
    pub smtp_tls: Option<SmtpTlsArg>,

    /// Sign in as this user
    #[arg(long, env = "IMPRI_SMTP_USER", value_name = "USER", global = true)]
    pub smtp_user: Option<String>,

    /// Sign in with this password; others on this machine can read a flag, so use the variable or the file
    #[arg(long, env = "IMPRI_SMTP_PASSWORD", value_name = "PASSWORD", hide_env_values = true, global = true)]
    pub smtp_password: Option<String>,

    /// Read the password from this file
    #[arg(long, env = "IMPRI_SMTP_PASSWORD_FILE", value_name = "FILE", global = true)]
    pub smtp_password_file: Option<PathBuf>,

    /// Who the mails are from, such as impri@example.com or Impri <impri@example.com>
    #[arg(long, env = "IMPRI_SMTP_FROM", value_name = "ADDRESS", global = true)]
    pub smtp_from: Option<String>,

    /// Trust the certificates in this PEM file, too: for a mail server with a certificate of your own
    #[arg(long, env = "IMPRI_SMTP_CA_FILE", value_name = "FILE", global = true)]
    pub smtp_ca_file: Option<PathBuf>,
}

impl SmtpArgs {
    /// The same, checked.
    ///
    /// # Errors
    /// The first one that is wrong.
    pub fn settings(&self) -> Result<Option<Smtp>, ConfigError> {
        let given = SmtpSource {
            host: self.smtp_host.as_deref(),
            port: self.smtp_port,
            tls: self.smtp_tls.map(Into::into),
            user: self.smtp_user.as_deref(),
            password: self.smtp_password.as_deref(),
            password_file: self.smtp_password_file.as_deref(),
            from: self.smtp_from.as_deref(),
            ca_file: self.smtp_ca_file.as_deref(),
        };
        Ok(Smtp::new(&given)?)
    }
}

/// How the connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SmtpTlsArg {
    /// It begins in the clear and is encrypted before anything is said
    Starttls,
    /// It is encrypted from its first byte on
    Tls,
    /// Not at all; only for a server inside your own network
    None,
}

impl From<SmtpTlsArg> for SmtpTls {
    fn from(arg: SmtpTlsArg) -> Self {
        match arg {
            SmtpTlsArg::Starttls => Self::StartTls,
            SmtpTlsArg::Tls => Self::Tls,
            SmtpTlsArg::None => Self::Nothing,
        }
    }
}
