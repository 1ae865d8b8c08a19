//! The audit history as a person reads it, takes it away and prints it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Services;
use super::fact_filter::{GROUPS, of_page, write_cursor};
use crate::domain::audit::{Actor, EventKind, Subject};
use crate::domain::decision::Channel;
use crate::domain::text::FieldError;
use crate::server::db::audit::StoredEvent;
use crate::server::db::facts::{EventFilter, Found};
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::view::Reader;
use crate::server::zone::Zone;
use crate::server::{db, view};
use crate::wire::history::{Choice, HistoryFilter, HistoryView, ReportView};

/// Events on one page.
const PAGE: u32 = 50;
/// Events in a report, which is for paper.
const REPORT: usize = 1_000;
/// How many searches a report takes at most; each is bounded.
const SEARCHES: usize = 20;
/// Agents, kinds of actions and channels to choose from.
const CHOICES: i64 = 50;

impl Services {
    /// One page of events. A filter that can't be read is said to be so and finds nothing.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn history_page(&self, member: &Member, filter: &HistoryFilter) -> ServiceResult<HistoryView> {
        let read = of_page(filter, &Zone::of(member));
        let (found, problem) = match &read {
            Ok(filter) => (self.events(member.project, filter, PAGE).await?, None),
            Err(problem) => (Found::default(), Some((*problem).to_owned())),
        };
        let steps = match read {
            Ok(EventFilter { about: Some(Subject::Action(action)), .. }) => {
                let mut conn = self.pool.acquire().await?;
                view::history::steps(&db::audit::timeline(&mut conn, action).await?)
            }
            Ok(_) | Err(_) => BTreeMap::new(),
        };
        self.history_view(member, found, problem, &steps).await
    }

    async fn history_view(
        &self,
        member: &Member,
        found: Found,
        problem: Option<String>,
        steps: &BTreeMap<i64, String>,
    ) -> ServiceResult<HistoryView> {
        let reader = self.reader(member);
        let project = member.project;
        let people = self.list_people(project).await?;
        let mut conn = self.pool.acquire().await?;
        let action_kinds = db::listing::kinds(&mut conn, project, CHOICES).await?;
        let agents = db::listing::agents(&mut conn, project, CHOICES).await?;
        let channels = db::audit::channels(&mut conn, project, CHOICES).await?;
        let seal = db::seals::state(&mut conn, project).await?;
        drop(conn);
        let receivers = self.receivers().await?;
        let people =
            people.into_iter().map(|person| Choice { value: person.id.to_string(), label: person.name });
        Ok(HistoryView {
            next_cursor: found.next.map(write_cursor),
            looked_back_to: found.looked_back_to.map(|at| reader.moment(at)),
            events: written(found.events, steps, &reader),
            people: people.chain(nobody()).collect(),
            kinds: choices(),
            action_kinds,
            agents,
            channels: channels
                .into_iter()
                .map(|channel| Choice { label: view::history::door(&channel), value: channel })
                .collect(),
            problem,
            seal: seal.map(|state| view::history::seal(state, receivers, &reader)),
        })
    }

    /// Notes that somebody takes a part of the history away from its page, and says which; read it with
    /// [`Services::events`], page by page. Whoever may read the history may do that.
    ///
    /// # Errors
    /// If the filter can't be read.
    pub async fn begin_history_export(
        &self,
        member: &Member,
        filter: &HistoryFilter,
        format: &str,
    ) -> ServiceResult<EventFilter> {
        let whole = HistoryFilter { cursor: None, ..filter.clone() };
        let read = of_page(&whole, &Zone::of(member));
        let read = read.map_err(|problem| FieldError::invalid("filter", problem))?;
        let asked: Map<String, Value> = whole
            .pairs()
            .into_iter()
            .filter_map(|(name, value)| {
                Some((name.to_owned(), value.filter(|text| !text.is_empty())?.into()))
            })
            .collect();
        let data = json!({"format": format, "filter": asked});
        let actor = Actor::Reviewer { id: member.id, name: member.name.clone() };
        let event = self.about_project(member.project, EventKind::AuditExported, data, actor, Channel::web());
        let mut conn = self.pool.acquire().await?;
        db::audit::append(&mut conn, &event).await?;
        Ok(read)
    }

    /// What is filtered, for paper: as much as a report holds, and it says so if there is more.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn history_report(&self, member: &Member, filter: &HistoryFilter) -> ServiceResult<ReportView> {
        let whole = HistoryFilter { cursor: None, ..filter.clone() };
        let mut found = Found::default();
        let mut problem = None;
        match of_page(&whole, &Zone::of(member)) {
            Err(wrong) => problem = Some(wrong.to_owned()),
            Ok(mut filter) => {
                for _ in 0..SEARCHES {
                    let room = u32::try_from(REPORT - found.events.len()).unwrap_or_default();
                    let more = self.events(member.project, &filter, room).await?;
                    found.events.extend(more.events);
                    found.next = more.next;
                    filter.before = more.next;
                    if more.next.is_none() || found.events.len() >= REPORT {
                        break;
                    }
                }
            }
        }
        let mut conn = self.pool.acquire().await?;
        let project = db::projects::get(&mut conn, member.project).await?;
        drop(conn);
        let reader = self.reader(member);
        Ok(ReportView {
            by: member.name.clone(),
            at: reader.moment(reader.now),
            project: project.name,
            page: self.history_view(member, found, problem, &BTreeMap::new()).await?,
        })
    }
}

fn written(
    events: Vec<StoredEvent>,
    steps: &BTreeMap<i64, String>,
    reader: &Reader,
) -> Vec<crate::wire::history::HistoryEvent> {
    let with_step = |event: StoredEvent| {
        let step = steps.get(&event.id).cloned();
        crate::wire::history::HistoryEvent { step, ..view::history::event(event, reader) }
    };
    events.into_iter().map(with_step).collect()
}

/// Who can be asked for and is no person.
fn nobody() -> impl Iterator<Item = Choice> {
    [
        (Actor::Clock, "Nobody: the clock"),
        (Actor::Operator, "The operator"),
        (Actor::Anonymous, "Somebody unknown"),
    ]
    .into_iter()
    .map(|(actor, label)| Choice { value: actor.kind().to_owned(), label: label.to_owned() })
}

fn choices() -> Vec<Choice> {
    let groups =
        GROUPS.iter().map(|(value, label, _)| Choice { value: (*value).into(), label: (*label).into() });
    let kinds = EventKind::ALL
        .iter()
        .map(|kind| Choice { value: kind.as_str().into(), label: view::history::label(*kind).into() });
    groups.chain(kinds).collect()
}
