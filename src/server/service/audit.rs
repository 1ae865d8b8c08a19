//! The history as a program reads it: pages, and the whole of it batch by batch.

use serde_json::{Map, Value, json};
use time::Duration;

use super::fact_filter::{is_name, read_cursor, with_verdict, write_cursor};
use super::{Caller, Services};
use crate::domain::Instant;
use crate::domain::audit::EventKind;
use crate::domain::decision::{Channel, Verdict};
use crate::domain::ids::ProjectId;
use crate::domain::text::FieldError;
use crate::server::db;
use crate::server::db::audit::StoredEvent;
use crate::server::db::facts::{EventFilter, Found};
use crate::server::error::{ServiceError, ServiceResult};

/// What a caller asks for, as they wrote it.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    /// A kind of event, or the beginning of several with a dot at its end.
    pub kind: Option<String>,
    /// Who: `key_…`, `rev_…`, `clock`, `operator` or `anonymous`.
    pub actor: Option<String>,
    /// About what: `act_…`, `key_…` or `rev_…`.
    pub entity_id: Option<String>,
    /// The first second.
    pub since: Option<Instant>,
    /// The last second, included.
    pub until: Option<Instant>,
    /// The kind of the action.
    pub action_kind: Option<String>,
    /// The name of the key that proposed the action.
    pub agent: Option<String>,
    /// Through which door.
    pub channel: Option<String>,
    /// `approve` or `reject`.
    pub verdict: Option<String>,
    /// Only decisions that changed what was proposed.
    pub is_edited: bool,
}

/// One page of facts, newest first.
#[derive(Debug)]
pub struct AuditPage {
    /// The facts.
    pub events: Vec<StoredEvent>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// The newest facts of a project that pass a filter, up to `limit`, and where to go on.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn events(&self, project: ProjectId, filter: &EventFilter, limit: u32) -> ServiceResult<Found> {
        let mut tx = self.pool.begin().await?;
        let found = db::facts::find(&mut tx, project, filter, i64::from(limit)).await?;
        tx.commit().await?;
        Ok(found)
    }

    /// One page of facts. `cursor` is where the page before ended.
    ///
    /// # Errors
    /// If a part of the query or the cursor can't be read.
    pub async fn audit_page(
        &self,
        project: ProjectId,
        query: &AuditQuery,
        cursor: Option<&str>,
        limit: u32,
    ) -> ServiceResult<AuditPage> {
        let before = cursor.map(read_cursor).transpose();
        let before = before.map_err(|wrong| FieldError::invalid("cursor", wrong))?;
        let filter = EventFilter { before, ..read(query)? };
        let found = self.events(project, &filter, limit).await?;
        Ok(AuditPage { events: found.events, next_cursor: found.next.map(write_cursor) })
    }

    /// Notes that somebody takes the history away, and says which part of it; read it with [`Services::events`], page
    /// by page.
    ///
    /// # Errors
    /// If a part of the query can't be read.
    pub async fn begin_audit_export(
        &self,
        caller: &Caller,
        query: &AuditQuery,
        format: &str,
        channel: Channel,
    ) -> ServiceResult<EventFilter> {
        let filter = read(query)?;
        let second = |at: Option<Instant>| at.map(|at| Value::from(at.unix_timestamp()));
        let text = |text: &Option<String>| text.clone().map(Value::from);
        let asked = [
            ("type", text(&query.kind)),
            ("actor", text(&query.actor)),
            ("entity_id", text(&query.entity_id)),
            ("since", second(query.since)),
            ("until", second(query.until)),
            ("kind", text(&query.action_kind)),
            ("agent", text(&query.agent)),
            ("channel", text(&query.channel)),
            ("verdict", text(&query.verdict)),
            ("edited", query.is_edited.then(|| true.into())),
        ];
        let asked: Map<String, Value> =
            asked.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let data = json!({"format": format, "filter": asked});
        let kind = EventKind::AuditExported;
        let event = self.about_project(caller.project, kind, data, caller.actor(), channel);
        let mut conn = self.pool.acquire().await?;
        db::audit::append(&mut conn, &event).await?;
        Ok(filter)
    }
}

/// The filter; every part that can't be read is named.
fn read(query: &AuditQuery) -> ServiceResult<EventFilter> {
    fn take<T>(
        errors: &mut Vec<FieldError>,
        field: &str,
        rule: &str,
        text: Option<&String>,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text?;
        let value = parse(text);
        if value.is_none() {
            errors.push(FieldError::invalid(field, format!("must be {rule}; {text:?} was sent.")));
        }
        value
    }
    let mut errors = Vec::new();
    let rule = "an event such as action.approved, or the beginning of several such as action.";
    let kinds = take(&mut errors, "type", rule, query.kind.as_ref(), kinds);
    let rule = "a key's id (key_…), a person's (rev_…), or clock, operator or anonymous";
    let actor = take(&mut errors, "actor", rule, query.actor.as_ref(), |text| text.parse().ok());
    let rule = "the id of an action (act_…), a key (key_…) or a person (rev_…)";
    let about = take(&mut errors, "entity_id", rule, query.entity_id.as_ref(), |text| text.parse().ok());
    let rule = "approve or reject";
    let verdict = take(&mut errors, "verdict", rule, query.verdict.as_ref(), Verdict::from_text);
    let rule = "up to 100 characters";
    let mut named = |field: &str, text: Option<&String>| {
        take(&mut errors, field, rule, text, |text| is_name(text).then(|| text.to_owned()))
    };
    let action_kind = named("kind", query.action_kind.as_ref());
    let agent = named("agent", query.agent.as_ref());
    let channel = named("channel", query.channel.as_ref());
    // The last second is meant to be included.
    let until = query.until.map(|until| until.checked_add(Duration::SECOND).unwrap_or(until));
    match errors.is_empty() {
        true => Ok(EventFilter {
            about,
            actor,
            kinds: with_verdict(kinds, verdict),
            agent,
            action_kind,
            channel,
            is_edited: query.is_edited,
            since: query.since,
            until,
            before: None,
        }),
        false => Err(ServiceError::Invalid(errors)),
    }
}

/// The kinds that a text names. Events that this server does not know, as other servers of the contract have them, are
/// no error: there are none.
fn kinds(text: &str) -> Option<Vec<EventKind>> {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let (noun, verb) = text.split_once('.')?;
    let kinds = EventKind::ALL.iter().copied();
    match verb {
        "" => is_word(noun).then(|| kinds.filter(|kind| kind.as_str().starts_with(text)).collect()),
        verb => {
            (is_word(noun) && is_word(verb)).then(|| kinds.filter(|kind| kind.as_str() == text).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::audit::ByActor;
    use time::macros::datetime;

    #[test]
    fn a_type_is_one_event_or_all_that_begin_so() {
        assert_eq!(kinds("action.approved"), Some(vec![EventKind::ActionApproved]));
        assert_eq!(kinds("key."), Some(vec![EventKind::KeyCreated, EventKind::KeyRevoked]));
        assert_eq!(kinds("watcher.hit"), Some(Vec::new()), "another server's event");
        for text in ["weather", "action.*", ".", "Action.", "action.approved.", "' or 1=1"] {
            assert_eq!(kinds(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_second_is_included() {
        let second = datetime!(2026-11-29 12:00 UTC);
        let query = AuditQuery {
            actor: Some("clock".into()),
            since: Some(second),
            until: Some(second),
            ..AuditQuery::default()
        };
        let filter = read(&query).unwrap();
        assert_eq!(filter.until.unwrap() - filter.since.unwrap(), Duration::SECOND);
        assert_eq!(filter.actor, Some(ByActor::Nameless("clock")));
    }

    #[test]
    fn every_part_that_cannot_be_read_is_named() {
        let query = AuditQuery {
            kind: Some("weather".into()),
            actor: Some("Ada".into()),
            entity_id: Some("act_1".into()),
            ..AuditQuery::default()
        };
        let Err(ServiceError::Invalid(errors)) = read(&query) else { panic!("it is refused") };
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["type", "actor", "entity_id"]);
    }
}
