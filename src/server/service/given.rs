//! What the fields of a filter mean: empty ones filter nothing, and days are days in UTC.

use time::format_description::well_known::Iso8601;
use time::{Date, Duration};

use crate::domain::Instant;

/// A field's text, if something stands in it.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// The beginning of a day.
///
/// # Errors
/// If it is not written like one.
pub(super) fn day(text: Option<&String>) -> Result<Option<Instant>, &'static str> {
    // Years before the first are dates that the database can't hold.
    let read = |text: &str| Date::parse(text, &Iso8601::DATE).ok().filter(|day| day.year() > 0);
    given(text)
        .map(|text| read(text).map(|day| day.midnight().assume_utc()))
        .map(|day| day.ok_or("A day is written like 2026-11-29."))
        .transpose()
}

/// The end of a day, which is meant to be included.
///
/// # Errors
/// As [`day`].
pub(super) fn last_day(text: Option<&String>) -> Result<Option<Instant>, &'static str> {
    Ok(day(text)?.map(|day| day.checked_add(Duration::DAY).unwrap_or(day)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_cannot_be_are_refused() {
        for text in ["2026-13-01", "-9999-01-01", "0000-01-01", "29.11.2026", "tomorrow", "\0"] {
            assert!(day(Some(&text.to_owned())).is_err(), "{text}");
        }
        assert_eq!(day(Some(&" ".to_owned())), Ok(None));
        assert!(last_day(Some(&"9999-12-31".to_owned())).unwrap().is_some());
    }
}
