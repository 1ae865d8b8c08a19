//! Time zones by their IANA names: what the clock shows there, and where a day begins.
//!
//! The names and rules are those of the machine where it has some, because they change several times a year; else those
//! that are built into this program, so that it needs nothing beside it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use time::{Date, UtcOffset};

use super::db::people::Member;
use crate::domain::Instant;

/// The parts of the world whose zones are offered; the other names are old ones for the same.
const REGIONS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone(TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The zone with an IANA name.
    pub fn named(name: &str) -> Option<Self> {
        jiff::tz::db().get(name).ok().map(Self)
    }

    /// The zone that somebody reads times in: the one that they chose, else their project's.
    pub fn of(member: &Member) -> Self {
        let chosen = member.preferences.time_zone.as_deref().and_then(Self::named);
        chosen.or_else(|| Self::named(&member.project_time_zone)).unwrap_or_else(Self::utc)
    }

    /// Every zone to choose from: the region and the names in it.
    pub fn choices() -> Vec<(&'static str, Vec<String>)> {
        let names: Vec<String> = jiff::tz::db().available().map(|name| name.as_str().to_owned()).collect();
        REGIONS
            .iter()
            .map(|region| {
                let is_in = |name: &&String| name.split_once('/').is_some_and(|(first, _)| first == *region);
                let mut names: Vec<String> = names.iter().filter(is_in).cloned().collect();
                names.sort();
                names.dedup();
                (*region, names)
            })
            .filter(|(_, names)| !names.is_empty())
            .collect()
    }

    /// An instant as the clock shows it there, and what that time is called: `CET`, or `UTC+05:30` where it has no
    /// name.
    pub fn at(&self, at: Instant) -> (Instant, String) {
        let info = Timestamp::from_second(at.unix_timestamp()).ok().map(|at| {
            let info = self.0.to_offset_info(at);
            (info.offset().seconds(), info.abbreviation().to_owned())
        });
        let offset = info.as_ref().and_then(|(secs, _)| UtcOffset::from_whole_seconds(*secs).ok());
        let (Some((_, name)), Some(offset)) = (info, offset) else {
            return (at.to_offset(UtcOffset::UTC), "UTC".to_owned());
        };
        let name =
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { offset_name(offset) };
        (at.to_offset(offset), name)
    }

    /// The instant at which a day begins there.
    pub fn start_of(&self, day: Date) -> Option<Instant> {
        let (year, month, number) = day.to_calendar_date();
        let (year, number) = (i16::try_from(year).ok()?, i8::try_from(number).ok()?);
        let month = i8::try_from(u8::from(month)).ok()?;
        let day = jiff::civil::Date::new(year, month, number).ok()?;
        let start = day.to_zoned_datetime(self.0.clone()).ok()?;
        Instant::from_unix_timestamp(start.timestamp().as_second()).ok()
    }
}

fn offset_name(offset: UtcOffset) -> String {
    let (hours, minutes, _) = offset.as_hms();
    let sign = if offset.is_negative() { '−' } else { '+' };
    format!("UTC{sign}{:02}:{:02}", hours.unsigned_abs(), minutes.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    fn shown(zone: &str, at: Instant) -> (String, String) {
        let (at, name) = Zone::named(zone).expect("a zone").at(at);
        (format!("{:02}:{:02}", at.hour(), at.minute()), name)
    }

    #[test]
    fn a_clock_shows_what_it_shows_there() {
        let (winter, summer) = (datetime!(2026-11-29 12:00 UTC), datetime!(2026-07-01 12:00 UTC));
        assert_eq!(shown("Europe/Berlin", winter), ("13:00".into(), "CET".into()));
        assert_eq!(shown("Europe/Berlin", summer), ("14:00".into(), "CEST".into()));
        assert_eq!(shown("America/St_Johns", summer), ("09:30".into(), "NDT".into()));
        assert_eq!(shown("Asia/Kathmandu", winter), ("17:45".into(), "UTC+05:45".into()));
        assert_eq!(shown("America/Sao_Paulo", winter), ("09:00".into(), "UTC−03:00".into()));
        assert_eq!(shown("UTC", winter), ("12:00".into(), "UTC".into()));
    }

    #[test]
    fn a_day_begins_at_its_first_instant_there() {
        let start = |zone: &str, day| Zone::named(zone).expect("a zone").start_of(day);
        assert_eq!(start("Asia/Tokyo", date!(2026 - 11 - 29)), Some(datetime!(2026-11-28 15:00 UTC)));
        assert_eq!(start("UTC", date!(2026 - 11 - 29)), Some(datetime!(2026-11-29 00:00 UTC)));
        // The clocks went from 23:59:59 to 01:00 in that night.
        assert_eq!(start("America/Sao_Paulo", date!(2018 - 11 - 04)), Some(datetime!(2018-11-04 03:00 UTC)));
    }

    #[test]
    fn what_is_offered_can_be_chosen_and_nothing_else() {
        let choices = Zone::choices();
        let names: Vec<&String> = choices.iter().flat_map(|(_, names)| names).collect();
        assert!(names.len() > 300, "{}", names.len());
        assert!(names.iter().all(|name| Zone::named(name).is_some()));
        assert!(names.iter().any(|name| *name == "Europe/Berlin"));
        for name in ["", "Mars/Phobos", "../etc/passwd", "Europe/../../etc/passwd", "Europe"] {
            assert!(Zone::named(name).is_none(), "{name}");
        }
    }
}
