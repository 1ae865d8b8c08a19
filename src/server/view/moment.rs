//! Instants and spans in words.

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Duration, UtcOffset};

use crate::domain::{Instant, span};
use crate::server::zone::Zone;
use crate::wire::Moment;

/// Who reads, as far as times depend on it.
#[derive(Debug, Clone)]
pub struct Reader {
    /// When they read.
    pub now: Instant,
    zone: Zone,
}

impl Reader {
    /// Somebody who reads at `now`, by the clocks of `zone`.
    pub fn new(now: Instant, zone: Zone) -> Self {
        Self { now, zone }
    }

    /// An instant for this reader.
    pub fn moment(&self, at: Instant) -> Moment {
        let (there, zone) = self.zone.at(at);
        let pattern =
            format_description!("[day padding:none] [month repr:short] [year], [hour]:[minute]:[second]");
        let from_now = at.unix_timestamp() - self.now.unix_timestamp();
        let at = at.to_offset(UtcOffset::UTC);
        // Years beyond 9999 are the only instants without these forms.
        let text = there.format(pattern).map(|text| format!("{text} {zone}")).unwrap_or_default();
        Moment {
            unix: at.unix_timestamp(),
            from_now,
            iso: at.replace_nanosecond(0).unwrap_or(at).format(&Rfc3339).unwrap_or_default(),
            text,
            relative: span::relative(from_now),
        }
    }
}

/// A span as a reader says it, rounded down to its largest unit: `27 min`, `2 h`, `3 d`.
pub fn between(span: Duration) -> String {
    // Deadlines are whole seconds and beginnings are not: five minutes are 299 seconds and a bit.
    let secs = span.whole_seconds() + i64::from(span.subsec_nanoseconds() > 0);
    span::words(secs.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_deadline_in_whole_seconds_is_as_far_as_was_asked() {
        assert_eq!(between(Duration::milliseconds(299_300)), "5 min");
        assert_eq!(between(Duration::minutes(5)), "5 min");
        assert_eq!(between(Duration::milliseconds(359_000)), "5 min");
    }

    #[test]
    fn a_moment_has_every_form() {
        let at = datetime!(2026-11-29 12:40:07.5 UTC);
        let moment = |at, now| Reader::new(now, Zone::utc()).moment(at);
        let shown = moment(at, at + Duration::minutes(2));
        assert_eq!(shown.iso, "2026-11-29T12:40:07Z");
        assert_eq!(shown.text, "29 Nov 2026, 12:40:07 UTC");
        assert_eq!(shown.relative, "2 min ago");
        assert_eq!(moment(at, at - Duration::minutes(27)).relative, "in 27 min");
        assert_eq!(moment(at, at).relative, "just now");
    }

    #[test]
    fn a_moment_is_told_by_the_clock_of_its_reader() {
        let at = datetime!(2026-11-29 23:40:07 UTC);
        let reader = Reader::new(at, Zone::named("Europe/Berlin").expect("a zone"));
        let shown = reader.moment(at);
        assert_eq!(shown.text, "30 Nov 2026, 00:40:07 CET");
        assert_eq!(shown.iso, "2026-11-29T23:40:07Z", "programs read universal time");
    }
}
