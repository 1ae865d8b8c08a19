//! Logs: structured events to stderr, as text or JSON.
//!
//! The rule that nothing here can enforce: no event and no span field holds a key, a token, a cookie, a password, an
//! e-mail address, or anything an agent or a reviewer wrote. Functions are instrumented with `skip_all` and name the
//! fields they need; ids are what a log refers to things by. An error is logged once, where it is turned into an
//! answer.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::server::config::{LogFormat, LogSettings};

/// Sends all events of the process to stderr from now on; stdout belongs to what commands print.
///
/// # Errors
///
/// When events already go somewhere.
pub fn init(settings: &LogSettings) -> anyhow::Result<()> {
    let registry = tracing_subscriber::registry().with(EnvFilter::new(settings.filter.to_string()));
    match settings.format {
        LogFormat::Text => {
            let layer = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
            registry.with(layer).try_init()?;
        }
        LogFormat::Json => {
            let layer = fmt::layer().json().flatten_event(true).with_writer(io::stderr);
            registry.with(layer).try_init()?;
        }
    }
    Ok(())
}
