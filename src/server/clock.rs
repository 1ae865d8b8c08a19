//! The one source of "now". Everything else takes an instant as an argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use time::OffsetDateTime;

use crate::domain::Instant;

/// The wall clock, or one that a test moves by hand.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Microseconds since the epoch, moved by [`Clock::advance`].
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still at the machine's time until it is moved.
    pub fn manual() -> Self {
        let micros = i64::try_from(Self::System.now().unix_timestamp_nanos() / 1_000).unwrap_or_default();
        Self::Manual(Arc::new(AtomicI64::new(micros)))
    }

    /// Now, to the microsecond: what the database can hold.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    pub fn now(&self) -> Instant {
        let micros = match self {
            Self::System => OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000,
            Self::Manual(micros) => i128::from(micros.load(Ordering::SeqCst)),
        };
        OffsetDateTime::from_unix_timestamp_nanos(micros * 1_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// Moves a manual clock forward; the machine's clock moves by itself.
    pub fn advance(&self, by: std::time::Duration) {
        if let Self::Manual(micros) = self {
            micros.fetch_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}
