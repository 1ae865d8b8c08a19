//! The history: appended to, read, never changed.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt, json_text};
use crate::domain::Instant;
use crate::domain::audit::{Actor, AuditEvent, ByActor, EventKind, Subject};
use crate::domain::decision::Channel;
use crate::domain::ids::{ActionId, KeyId, ProjectId, ReviewerId};

/// Appends a fact.
///
/// # Errors
/// If the database can't be reached.
pub async fn append(conn: &mut PgConnection, event: &AuditEvent) -> DbResult<()> {
    sqlx::query!(
        "insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::json)",
        event.project.uuid(),
        event.at,
        event.kind.as_str(),
        event.action.map(ActionId::uuid),
        event.actor.kind(),
        event.actor.uuid(),
        event.actor.name(),
        event.channel.as_str(),
        json_text(&event.data),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A stored fact, with the title of the action that it is about.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    /// Its number; later facts of one server have larger ones.
    pub id: i64,
    /// The fact.
    pub event: AuditEvent,
    /// The action's title.
    pub title: Option<String>,
    /// When the action was proposed and when it stops waiting, for "within 2 h".
    pub window: Option<(Instant, Instant)>,
}

/// Which facts to read.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// About what.
    pub about: Option<Subject>,
    /// By whom.
    pub actor: Option<ByActor>,
    /// Of these kinds; all if absent.
    pub kinds: Option<Vec<EventKind>>,
    /// Not before.
    pub since: Option<Instant>,
    /// Before.
    pub until: Option<Instant>,
    /// Older than this one: the last of the page before.
    pub before: Option<(Instant, i64)>,
}

/// The newest facts of a project that pass the filter. Call it inside a transaction.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn list(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &EventFilter,
    limit: i64,
) -> DbResult<Vec<StoredEvent>> {
    let kinds: Option<Vec<String>> =
        filter.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
    let (action, other) = match filter.about {
        Some(Subject::Action(id)) => (Some(id.uuid()), None),
        Some(Subject::Key(id)) => (None, Some(id.to_string())),
        Some(Subject::Reviewer(id)) => (None, Some(id.to_string())),
        None => (None, None),
    };
    let (reviewer, key, nameless) = match filter.actor {
        Some(ByActor::Reviewer(id)) => (Some(id.uuid()), None, None),
        Some(ByActor::Key(id)) => (None, Some(id.uuid()), None),
        Some(ByActor::Nameless(kind)) => (None, None, Some(kind)),
        None => (None, None, None),
    };
    let (before_at, before_id) = filter.before.unzip();
    // The best plan depends on which filters are set, so it is made for each call.
    sqlx::query!("set local plan_cache_mode = force_custom_plan").execute(&mut *conn).await?;
    let rows = sqlx::query_as!(
        EventRow,
        r#"select e.event_id, e.project_id, e.at, e.kind, e.action_id, e.actor_kind, e.actor_id, e.actor_name,
             e.channel, e.data,
             a.title as "title?", a.created_at as "created_at?", a.expires_at as "expires_at?"
           from audit_event e left join action a using (action_id)
           where e.project_id = $1
             and ($2::uuid is null or e.action_id = $2)
             and ($3::uuid is null or (e.actor_kind = 'reviewer' and e.actor_id = $3))
             and ($4::text[] is null or e.kind = any($4))
             and ($5::timestamptz is null or e.at >= $5)
             and ($6::timestamptz is null or e.at < $6)
             and ($7::timestamptz is null or (e.at, e.event_id) < ($7, $8::bigint))
             and ($10::text is null or (e.action_id is null and event_subject(e.data) = $10))
             and ($11::uuid is null or (e.actor_kind = 'key' and e.actor_id = $11))
             and ($12::text is null or e.actor_kind = $12)
           order by e.at desc, e.event_id desc limit $9"#,
        project.uuid(),
        action,
        reviewer,
        kinds.as_deref(),
        filter.since,
        filter.until,
        before_at,
        before_id,
        limit,
        other,
        key,
        nameless,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

/// Everything that happened to an action, oldest first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn timeline(conn: &mut PgConnection, action: ActionId) -> DbResult<Vec<StoredEvent>> {
    let rows = sqlx::query_as!(
        EventRow,
        r#"select e.event_id, e.project_id, e.at, e.kind, e.action_id, e.actor_kind, e.actor_id, e.actor_name,
             e.channel, e.data, a.title as "title?", a.created_at as "created_at?", a.expires_at as "expires_at?"
           from audit_event e join action a using (action_id)
           where e.action_id = $1 order by e.event_id"#,
        action.uuid(),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

struct EventRow {
    event_id: i64,
    project_id: Uuid,
    at: Instant,
    kind: String,
    action_id: Option<Uuid>,
    actor_kind: String,
    actor_id: Option<Uuid>,
    actor_name: String,
    channel: String,
    data: serde_json::Value,
    title: Option<String>,
    created_at: Option<Instant>,
    expires_at: Option<Instant>,
}

impl EventRow {
    fn into_event(self) -> DbResult<StoredEvent> {
        let name = self.actor_name;
        let actor = match (self.actor_kind.as_str(), self.actor_id) {
            ("reviewer", Some(id)) => Actor::Reviewer { id: ReviewerId::from_uuid(id), name },
            ("key", Some(id)) => Actor::Key { id: KeyId::from_uuid(id), name },
            ("clock", None) => Actor::Clock,
            ("operator", None) => Actor::Operator,
            ("anonymous", None) => Actor::Anonymous,
            _ => return Err(corrupt("audit_event.actor_kind")),
        };
        Ok(StoredEvent {
            id: self.event_id,
            event: AuditEvent {
                project: ProjectId::from_uuid(self.project_id),
                at: self.at,
                kind: EventKind::from_text(&self.kind).ok_or(corrupt("audit_event.kind"))?,
                action: self.action_id.map(ActionId::from_uuid),
                actor,
                channel: Channel::stored(self.channel),
                data: self.data,
            },
            title: self.title,
            window: self.created_at.zip(self.expires_at),
        })
    }
}
