//! What a filter of the history means, whoever wrote it: a page's address or a program's query.

use super::given::{day, given, last_day};
use crate::domain::audit::{ByActor, EventKind, Subject};
use crate::domain::decision::Verdict;
use crate::server::db::audit::Place;
use crate::server::db::facts::EventFilter;
use crate::server::zone::Zone;
use crate::wire::history::HistoryFilter;

/// Longest name of an agent, kind of an action or channel, in characters.
const NAME_MAX: usize = 100;

/// Groups of kinds that a page's filter can name.
pub(super) const GROUPS: [(&str, &str, &[EventKind]); 2] = [
    ("decisions", "Decisions", &[EventKind::ActionApproved, EventKind::ActionRejected]),
    ("results", "Results", &[EventKind::ActionExecuted, EventKind::ActionExecuteFailed]),
];

/// Reads what a page's address holds.
///
/// # Errors
/// With a sentence about the first part that can't be read.
pub(super) fn of_page(filter: &HistoryFilter, zone: &Zone) -> Result<EventFilter, &'static str> {
    fn read<T: std::str::FromStr>(
        text: Option<&String>,
        wrong: &'static str,
    ) -> Result<Option<T>, &'static str> {
        given(text).map(|text| text.parse().map_err(|_| wrong)).transpose()
    }
    let named = |text: Option<&String>, wrong: &'static str| match given(text) {
        Some(text) if !is_name(text) => Err(wrong),
        text => Ok(text.map(str::to_owned)),
    };
    let verdict = given(filter.verdict.as_ref()).map(verdict).transpose()?;
    let kinds = given(filter.event.as_ref()).map(kinds).transpose()?;
    Ok(EventFilter {
        about: read(
            filter.action.as_ref(),
            "That is not an action's id. It looks like act_ and 22 characters.",
        )?
        .map(Subject::Action),
        actor: read::<ByActor>(filter.person.as_ref(), "There is no such person. Choose one from the list.")?,
        kinds: with_verdict(kinds, verdict),
        agent: named(
            filter.agent.as_ref(),
            "The name of an agent has up to 100 characters that can be written.",
        )?,
        action_kind: named(filter.kind.as_ref(), "A kind has up to 100 characters that can be written.")?,
        channel: named(filter.channel.as_ref(), "There is no such channel. Choose one from the list.")?,
        is_edited: match given(filter.edited.as_ref()) {
            None => false,
            Some("yes" | "true") => true,
            Some(_) => return Err("Only edited decisions can be asked for: edited=yes, or leave it out."),
        },
        since: day(filter.since.as_ref(), zone)?,
        until: last_day(filter.until.as_ref(), zone)?,
        before: given(filter.cursor.as_ref()).map(read_cursor).transpose()?,
    })
}

/// Whether a text can be a name in the database.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().count() <= NAME_MAX && !text.contains('\0')
}

fn verdict(text: &str) -> Result<Verdict, &'static str> {
    Verdict::from_text(text).ok_or("There is no such verdict. Choose approved or rejected.")
}

/// The kinds that are decisions with a verdict, of those that are asked for; none are left where both can't be.
pub(super) fn with_verdict(
    kinds: Option<Vec<EventKind>>,
    verdict: Option<Verdict>,
) -> Option<Vec<EventKind>> {
    let Some(verdict) = verdict else { return kinds };
    let decided = match verdict {
        Verdict::Approve => EventKind::ActionApproved,
        Verdict::Reject => EventKind::ActionRejected,
    };
    Some(match kinds {
        Some(kinds) if !kinds.contains(&decided) => Vec::new(),
        Some(_) | None => vec![decided],
    })
}

fn kinds(text: &str) -> Result<Vec<EventKind>, &'static str> {
    if let Some((_, _, kinds)) = GROUPS.iter().find(|(name, _, _)| *name == text) {
        return Ok(kinds.to_vec());
    }
    let fits =
        |kind: &&EventKind| kind.as_str() == text || (text.ends_with('.') && kind.as_str().starts_with(text));
    let found: Vec<EventKind> = EventKind::ALL.iter().filter(fits).copied().collect();
    if found.is_empty() {
        Err("There is no such kind of event. Choose one from the list.")
    } else {
        Ok(found)
    }
}

/// `<microseconds>.<number>`, opaque to callers: where a page ends.
pub(super) fn write_cursor((micros, id): Place) -> String {
    format!("{micros}.{id}")
}

/// What [`write_cursor`] wrote.
///
/// # Errors
/// A sentence, if it is none of ours.
pub(super) fn read_cursor(text: &str) -> Result<Place, &'static str> {
    let wrong = "That page does not exist. Start from the newest.";
    let (micros, id) = text.split_once('.').ok_or(wrong)?;
    let micros: i64 = micros.parse().map_err(|_| wrong)?;
    // Between these the database has instants, and beyond them only the two without an end.
    let has_instant = (-211_813_488_000_000_000..9_223_371_331_200_000_000).contains(&micros);
    if !has_instant && micros != i64::MAX && micros != i64::MIN {
        return Err(wrong);
    }
    Ok((micros, id.parse().map_err(|_| wrong)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(set: impl FnOnce(&mut HistoryFilter)) -> Result<EventFilter, &'static str> {
        let mut filter = HistoryFilter::default();
        set(&mut filter);
        of_page(&filter, &Zone::utc())
    }

    #[test]
    fn empty_fields_of_the_form_filter_nothing() {
        let all = filter(|f| {
            f.action = Some(String::new());
            f.event = Some(" ".into());
            f.since = Some(String::new());
            f.verdict = Some(String::new());
            f.edited = Some(String::new());
        });
        assert_eq!(all.unwrap(), EventFilter::default());
    }

    #[test]
    fn the_last_day_is_included_and_groups_open_up() {
        let until = filter(|f| f.until = Some("2026-11-29".into())).unwrap().until.unwrap();
        assert_eq!(until, time::macros::datetime!(2026-11-30 00:00 UTC));
        let decisions = filter(|f| f.event = Some("decisions".into())).unwrap().kinds;
        assert_eq!(decisions.unwrap(), [EventKind::ActionApproved, EventKind::ActionRejected]);
        assert_eq!(filter(|f| f.event = Some("key.".into())).unwrap().kinds.unwrap().len(), 2);
    }

    #[test]
    fn a_verdict_is_a_kind_of_event() {
        let both = |event: Option<&str>, verdict: &str| {
            filter(|f| {
                f.event = event.map(str::to_owned);
                f.verdict = Some(verdict.to_owned());
            })
        };
        assert_eq!(both(None, "approve").unwrap().kinds.unwrap(), [EventKind::ActionApproved]);
        assert_eq!(both(Some("decisions"), "reject").unwrap().kinds.unwrap(), [EventKind::ActionRejected]);
        assert_eq!(both(Some("key."), "reject").unwrap().kinds.unwrap(), [], "a key is not rejected");
        assert!(both(None, "maybe").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_said_to_be_so() {
        assert!(filter(|f| f.agent = Some("x".repeat(101))).is_err());
        assert!(filter(|f| f.kind = Some("a\0b".into())).is_err());
        assert!(filter(|f| f.person = Some("Bob".into())).is_err());
    }

    #[test]
    fn a_cursor_comes_back_and_no_other_text_is_one() {
        for place in [(0, 1), (1_764_416_407_500_000, 9), (i64::MAX, 3), (i64::MIN, 4), (-5, 5)] {
            assert_eq!(read_cursor(&write_cursor(place)), Ok(place));
        }
        for text in ["", "1", ".", "a.b", "1.x", "9223372036854775806.1", "-9223372036854775807.1"] {
            assert!(read_cursor(text).is_err(), "{text}");
        }
    }
}
