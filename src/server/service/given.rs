//! What the fields of a filter mean: empty ones filter nothing, and days are days where their reader is.

use time::Date;
use time::format_description::well_known::Iso8601;

use crate::domain::Instant;
use crate::server::zone::Zone;

/// A field's text, if something stands in it.
pub(super) fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// The beginning of a day.
///
/// # Errors
/// If it is not written like one, or no clock goes that far.
pub(super) fn day(text: Option<&String>, zone: &Zone) -> Result<Option<Instant>, &'static str> {
    read(text)?.map(|day| start(day, zone)).transpose()
}

/// The end of a day, which is meant to be included.
///
/// # Errors
/// As [`day`].
pub(super) fn last_day(text: Option<&String>, zone: &Zone) -> Result<Option<Instant>, &'static str> {
    read(text)?.map(|day| start(day.next_day().unwrap_or(day), zone)).transpose()
}

fn read(text: Option<&String>) -> Result<Option<Date>, &'static str> {
    // Years before the first are dates that the database can't hold.
    let read = |text: &str| Date::parse(text, &Iso8601::DATE).ok().filter(|day| day.year() > 0);
    given(text).map(|text| read(text).ok_or("A day is written like 2026-11-29.")).transpose()
}

fn start(day: Date, zone: &Zone) -> Result<Instant, &'static str> {
    zone.start_of(day).ok_or("That day is too far away.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn days_that_cannot_be_are_refused() {
        for text in ["2026-13-01", "-9999-01-01", "0000-01-01", "29.11.2026", "tomorrow", "\0", "9999-12-31"]
        {
            assert!(day(Some(&text.to_owned()), &Zone::utc()).is_err(), "{text}");
            assert!(last_day(Some(&text.to_owned()), &Zone::utc()).is_err(), "{text}");
        }
        assert_eq!(day(Some(&" ".to_owned()), &Zone::utc()), Ok(None));
    }

    #[test]
    fn a_day_is_the_readers() {
        let tokyo = Zone::named("Asia/Tokyo").expect("a zone");
        let text = Some("2026-11-29".to_owned());
        assert_eq!(day(text.as_ref(), &tokyo), Ok(Some(datetime!(2026-11-28 15:00 UTC))));
        assert_eq!(last_day(text.as_ref(), &tokyo), Ok(Some(datetime!(2026-11-29 15:00 UTC))));
    }
}
