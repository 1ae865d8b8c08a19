//! The flags of `impri audit`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, Duration, Time};

use super::DatabaseArgs;
use crate::domain::Instant;

/// `impri audit`
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: AuditCommand,
}

/// What can be done with the history.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Write the sealed history, with chain and signed checkpoints, as lines of JSON that prove themselves
    Export(AuditExportArgs),
    /// Say whether a history is as it was sealed, or which event is the first that is not; ends with 1 if it is not, and
    /// with 3 if it is and its end has waited too long for its seal or signature
    Verify(AuditVerifyArgs),
}

/// `impri audit export`
#[derive(Debug, Args)]
pub struct AuditExportArgs {
    /// Begin with this day, or with this instant, such as 2026-11-01 or 2026-11-01T09:00:00Z
    /// [default: the first event]
    #[arg(long, value_name = "DAY-OR-INSTANT", value_parser = parse_since)]
    pub since: Option<Instant>,

    /// End with this day, or with the second of this instant, and the next checkpoint [default: the last event]
    #[arg(long, value_name = "DAY-OR-INSTANT", value_parser = parse_until)]
    pub until: Option<Instant>,

    /// Write into this file [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `impri audit verify`
#[derive(Debug, Args)]
pub struct AuditVerifyArgs {
    /// An export; - reads stdin [default: the history of every project in this server's database]
    pub file: Option<PathBuf>,

    /// The public keys: a file, or an address such as `https://impri.example.com/.well-known/jwks.json`
    /// [default: those in this server's database]
    #[arg(long, value_name = "FILE-OR-URL")]
    pub jwks: Option<String>,

    /// Say whether it continues this older export, or a file of checkpoints
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,
}

/// A day of universal time, or an instant, which says with its zone which it is.
fn parse(text: &str) -> Result<(Instant, Duration), String> {
    // The parser of days reads the beginning of an instant as one.
    if text.len() == "2026-11-01".len()
        && let Ok(day) = Date::parse(text, &Iso8601::DATE)
    {
        return Ok((day.with_time(Time::MIDNIGHT).assume_utc(), Duration::DAY));
    }
    let at = Instant::parse(text, &Rfc3339);
    let at =
        at.map_err(|_| "use a day or an instant, such as 2026-11-01 or 2026-11-01T09:00:00Z".to_owned())?;
    Ok((at, Duration::SECOND))
}

fn parse_since(text: &str) -> Result<Instant, String> {
    parse(text).map(|(at, _)| at)
}

/// The whole of what is named is included.
fn parse_until(text: &str) -> Result<Instant, String> {
    let (at, whole) = parse(text)?;
    at.checked_add(whole).ok_or_else(|| "it is too far away".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn days_and_instants_are_included() {
        assert_eq!(parse_since("2026-11-01"), Ok(datetime!(2026-11-01 0:00 UTC)));
        assert_eq!(parse_until("2026-11-01"), Ok(datetime!(2026-11-02 0:00 UTC)));
        assert_eq!(parse_since("2026-11-01T09:00:00+02:00"), Ok(datetime!(2026-11-01 7:00 UTC)));
        assert_eq!(parse_until("2026-11-01T09:00:00Z"), Ok(datetime!(2026-11-01 9:00:01 UTC)));
        for text in ["", "yesterday", "2026-13-01", "2026-11-01T09:00:00", "9999-12-31"] {
            assert!(parse_until(text).is_err(), "{text}");
        }
    }
}
