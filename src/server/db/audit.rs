//! The history: appended to, read, never changed. What is found in it is [`super::facts`]'.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt, json_text};
use crate::domain::Instant;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ActionId, ChannelId, KeyId, ProjectId, ReviewerId};

/// Appends a fact.
///
/// # Errors
/// If the database can't be reached.
pub async fn append(conn: &mut PgConnection, event: &AuditEvent) -> DbResult<()> {
    sqlx::query!(
        "insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data,
           action_kind, agent)
         select $1, $2, $3, $4, $5, $6, $7, $8, $9::text::json, a.kind, a.proposed_by_name
         from (select) one left join action a on a.action_id = $4",
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

/// Where a fact stands in the order of time: microseconds since 2000, and its number for those of the same instant.
pub type Place = (i64, i64);

/// A stored fact, with the title of the action that it is about.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    /// Its number; later facts of one server have larger ones.
    pub id: i64,
    /// The fact. Instants that no calendar has stand in it as the nearest one that can be shown.
    pub event: AuditEvent,
    /// The instant as the database has it.
    pub micros: i64,
    /// The action's title.
    pub title: Option<String>,
    /// When the action was proposed and when it stops waiting, for "within 2 h".
    pub window: Option<(Instant, Instant)>,
    /// Its place in the sealed chain.
    pub seal: Option<i64>,
}

impl StoredEvent {
    /// Where it stands.
    pub fn place(&self) -> Place {
        (self.micros, self.id)
    }
}

/// The doors that facts of a project came through, up to `limit`, by name.
///
/// # Errors
/// If the database can't be reached.
pub async fn channels(conn: &mut PgConnection, project: ProjectId, limit: i64) -> DbResult<Vec<String>> {
    sqlx::query_scalar!(
        r#"with recursive known as (
             (select channel from audit_event where project_id = $1 order by channel limit 1)
             union all
             select (select e.channel from audit_event e where e.project_id = $1 and e.channel > known.channel
                     order by e.channel limit 1)
             from known where known.channel is not null)
           select channel as "channel!" from known where channel is not null limit $2"#,
        project.uuid(),
        limit,
    )
    .fetch_all(conn)
    .await
}

/// Everything that happened to an action, oldest first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn timeline(conn: &mut PgConnection, action: ActionId) -> DbResult<Vec<StoredEvent>> {
    let rows = sqlx::query_as!(
        EventRow,
        r#"select e.event_id, e.project_id, legible_instant(e.at) as "at!", audit_place(e.at) as "micros!", e.kind,
             e.action_id, e.actor_kind, e.actor_id, e.actor_name, e.channel, e.data, a.title as "title?",
             a.created_at as "created_at?", a.expires_at as "expires_at?", s.seq as "seal?"
           from audit_event e join action a using (action_id)
             left join audit_seal s on s.event_id = e.event_id and s.project_id = e.project_id
           where e.action_id = $1 order by e.event_id"#,
        action.uuid(),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(EventRow::into_event).collect()
}

pub(super) struct EventRow {
    pub(super) event_id: i64,
    pub(super) project_id: Uuid,
    pub(super) at: Instant,
    pub(super) micros: i64,
    pub(super) kind: String,
    pub(super) action_id: Option<Uuid>,
    pub(super) actor_kind: String,
    pub(super) actor_id: Option<Uuid>,
    pub(super) actor_name: String,
    pub(super) channel: String,
    pub(super) data: serde_json::Value,
    pub(super) title: Option<String>,
    pub(super) created_at: Option<Instant>,
    pub(super) expires_at: Option<Instant>,
    pub(super) seal: Option<i64>,
}

impl EventRow {
    pub(super) fn into_event(self) -> DbResult<StoredEvent> {
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
            micros: self.micros,
            title: self.title,
            window: self.created_at.zip(self.expires_at),
            seal: self.seal,
        })
    }
}

/// Whether an account was refused the same thing about an action since `since`, by the events of the action.
///
/// # Errors
/// If the database can't be reached.
pub async fn was_refused(conn: &mut PgConnection, refused: &Refused<'_>, since: Instant) -> DbResult<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from audit_event where action_id = $1 and kind = 'chat.refused' and at > $2
             and data->>'platform' = $3 and data->>'platform_user' = $4 and data->>'channel_id' = $5
             and data->>'pressed' = $6 and data->>'reason' = $7) as "exists!""#,
        refused.action.uuid(),
        since,
        refused.platform,
        refused.user,
        refused.channel.to_string(),
        refused.pressed,
        refused.reason,
    )
    .fetch_one(conn)
    .await
}

/// What an account on a chat platform was refused.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// About which action.
    pub action: ActionId,
    /// In which channel.
    pub channel: ChannelId,
    /// On which platform.
    pub platform: &'a str,
    /// What the platform calls the account.
    pub user: &'a str,
    /// Which button it pressed.
    pub pressed: &'a str,
    /// Why not.
    pub reason: &'a str,
}
