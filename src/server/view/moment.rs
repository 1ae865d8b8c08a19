//! Instants and spans in words.

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Duration, UtcOffset};

use crate::domain::{Instant, span};
use crate::wire::Moment;

/// An instant for a reader who looks at `now`.
pub fn moment(at: Instant, now: Instant) -> Moment {
    let at = at.to_offset(UtcOffset::UTC);
    let pattern =
        format_description!("[day padding:none] [month repr:short] [year], [hour]:[minute]:[second] UTC");
    let from_now = at.unix_timestamp() - now.unix_timestamp();
    Moment {
        unix: at.unix_timestamp(),
        from_now,
        // Years beyond 9999 are the only instants without these forms.
        iso: at.replace_nanosecond(0).unwrap_or(at).format(&Rfc3339).unwrap_or_default(),
        text: at.format(pattern).unwrap_or_default(),
        relative: span::relative(from_now),
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
        let shown = moment(at, at + Duration::minutes(2));
        assert_eq!(shown.iso, "2026-11-29T12:40:07Z");
        assert_eq!(shown.text, "29 Nov 2026, 12:40:07 UTC");
        assert_eq!(shown.relative, "2 min ago");
        assert_eq!(moment(at, at - Duration::minutes(27)).relative, "in 27 min");
        assert_eq!(moment(at, at).relative, "just now");
    }
}
