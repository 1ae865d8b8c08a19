//! The audit history as a reviewer reads it.

use super::Services;
use super::given::{day, given, last_day};
use crate::domain::Instant;
use crate::domain::audit::{ByActor, EventKind, Subject};
use crate::server::db::audit::{EventFilter, StoredEvent};
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::view;
use crate::server::zone::Zone;
use crate::wire::history::{Choice, HistoryFilter, HistoryView};

/// Events on one page.
const PAGE: u32 = 50;

/// Groups of kinds that a filter can name.
const GROUPS: [(&str, &str, &[EventKind]); 2] = [
    ("decisions", "Decisions", &[EventKind::ActionApproved, EventKind::ActionRejected]),
    ("results", "Results", &[EventKind::ActionExecuted, EventKind::ActionExecuteFailed]),
];

impl Services {
    /// One page of events. A filter that can't be read is said to be so and finds nothing.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn history_page(&self, member: &Member, filter: &HistoryFilter) -> ServiceResult<HistoryView> {
        let reader = self.reader(member);
        let (stored, problem) = match read_filter(filter, &Zone::of(member)) {
            Ok(filter) => (self.events(member.project, &filter, PAGE + 1).await?, None),
            Err(problem) => (Vec::new(), Some(problem.to_owned())),
        };
        let more = stored.len() > PAGE as usize;
        let last = stored.get(PAGE as usize - 1).filter(|_| more);
        let next_cursor = last.map(write_cursor);
        let people = self.list_people(member.project).await?;
        Ok(HistoryView {
            events: stored
                .into_iter()
                .take(PAGE as usize)
                .map(|event| view::history::event(event, &reader))
                .collect(),
            next_cursor,
            people: people
                .into_iter()
                .map(|person| Choice { value: person.id.to_string(), label: person.name })
                .collect(),
            kinds: choices(),
            problem,
            seal: self.seal_state(member.project).await?.map(|state| view::history::seal(state, &reader)),
        })
    }
}

fn choices() -> Vec<Choice> {
    let groups =
        GROUPS.iter().map(|(value, label, _)| Choice { value: (*value).into(), label: (*label).into() });
    let kinds = EventKind::ALL
        .iter()
        .map(|kind| Choice { value: kind.as_str().into(), label: view::history::label(*kind).into() });
    groups.chain(kinds).collect()
}

fn read_filter(filter: &HistoryFilter, zone: &Zone) -> Result<EventFilter, &'static str> {
    fn read<T: std::str::FromStr>(
        text: Option<&String>,
        wrong: &'static str,
    ) -> Result<Option<T>, &'static str> {
        given(text).map(|text| text.parse().map_err(|_| wrong)).transpose()
    }
    Ok(EventFilter {
        about: read(
            filter.action.as_ref(),
            "That is not an action's id. It looks like act_ and 22 characters.",
        )?
        .map(Subject::Action),
        actor: read(filter.person.as_ref(), "There is no such person. Choose one from the list.")?
            .map(ByActor::Reviewer),
        kinds: given(filter.event.as_ref()).map(kinds).transpose()?,
        since: day(filter.since.as_ref(), zone)?,
        until: last_day(filter.until.as_ref(), zone)?,
        before: given(filter.cursor.as_ref()).map(read_cursor).transpose()?,
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
pub(super) fn write_cursor(last: &StoredEvent) -> String {
    format!("{}.{}", last.event.at.unix_timestamp_nanos() / 1_000, last.id)
}

/// What [`write_cursor`] wrote.
///
/// # Errors
/// A sentence, if it is none of ours.
pub(super) fn read_cursor(text: &str) -> Result<(Instant, i64), &'static str> {
    let wrong = "That page does not exist. Start from the newest.";
    let (micros, id) = text.split_once('.').ok_or(wrong)?;
    let micros: u64 = micros.parse().map_err(|_| wrong)?;
    let at = Instant::from_unix_timestamp_nanos(i128::from(micros) * 1_000).map_err(|_| wrong)?;
    Ok((at, id.parse().map_err(|_| wrong)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(set: impl FnOnce(&mut HistoryFilter)) -> Result<EventFilter, &'static str> {
        let mut filter = HistoryFilter::default();
        set(&mut filter);
        read_filter(&filter, &Zone::utc())
    }

    #[test]
    fn empty_fields_of_the_form_filter_nothing() {
        let all = filter(|f| {
            f.action = Some(String::new());
            f.event = Some(" ".into());
            f.since = Some(String::new());
        });
        let all = all.unwrap();
        assert!(all.about.is_none() && all.kinds.is_none() && all.since.is_none());
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
    fn what_cannot_be_read_is_said_to_be_so() {
        assert!(filter(|f| f.action = Some("act_1".into())).is_err());
        assert!(filter(|f| f.person = Some("Ada".into())).is_err());
        assert!(filter(|f| f.event = Some("weather".into())).is_err());
        assert!(filter(|f| f.since = Some("yesterday".into())).is_err());
        assert!(filter(|f| f.cursor = Some("1".into())).is_err());
    }
}
