//! Where a page of a list ended: opaque to callers, who send it back for the next page.

use crate::domain::Instant;
use crate::domain::ids::ActionId;
use crate::domain::text::FieldError;

/// The last action of a page, `<microseconds>.<id>`.
pub(super) fn write(at: Instant, id: ActionId) -> String {
    format!("{}.{id}", at.unix_timestamp_nanos() / 1_000)
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// If this is none of ours.
pub(super) fn parse(text: &str) -> Result<(Instant, ActionId), FieldError> {
    let read = || {
        let (micros, id) = text.split_once('.')?;
        // Nothing was proposed before 1970, and the database can't hold every instant that a number can name.
        let micros: u64 = micros.parse().ok()?;
        let at = Instant::from_unix_timestamp_nanos(i128::from(micros) * 1_000).ok()?;
        Some((at, id.parse().ok()?))
    };
    read().ok_or_else(|| {
        FieldError::invalid("cursor", "is not one that this server gave. Start again without it.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip_and_strangers_are_refused() {
        let id = ActionId::from_uuid(uuid::Uuid::from_u128(5));
        let at = Instant::from_unix_timestamp_nanos(1_764_418_400_123_456_000).unwrap();
        assert_eq!(parse(&write(at, id)).unwrap(), (at, id));
        for text in ["x", "1", "1.", ".act_", "99999999999999999999.x", "-1.act_AAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
