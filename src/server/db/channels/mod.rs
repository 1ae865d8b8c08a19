//! Channels: their settings, how they do, and which server sends to one at the moment.
//!
//! A deleted channel keeps its row, because messages and the history go on to name it; nothing here but [`any`] finds it.

mod sending;

pub use sending::*;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::channel::{ChannelKind, Filters};
use crate::domain::ids::{ChannelId, ProjectId};

/// A channel as it is stored: what is secret is sealed.
#[derive(Debug, Clone)]
pub struct StoredChannel {
    /// Which.
    pub id: ChannelId,
    /// Of which project.
    pub project: ProjectId,
    /// Its name.
    pub name: String,
    /// Its sort.
    pub kind: ChannelKind,
    /// Whether it is told anything.
    pub enabled: bool,
    /// Within how many seconds a burst becomes one message.
    pub window_secs: i32,
    /// What it hears about.
    pub filters: Filters,
    /// What may be seen of its settings.
    pub config: Map<String, Value>,
    /// The rest, sealed.
    pub sealed: Option<String>,
    /// What hears about its failures.
    pub fallback: Option<ChannelId>,
    /// When it was made.
    pub created_at: Instant,
    /// When its settings last changed.
    pub updated_at: Instant,
    /// When it was deleted.
    pub deleted_at: Option<Instant>,
    /// How it does.
    pub health: Health,
}

/// How a channel does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// When a message last arrived.
    pub delivered_at: Option<Instant>,
    /// When one last failed.
    pub failed_at: Option<Instant>,
    /// Failures since the last success.
    pub failures: i32,
    /// The last failure, until a message arrives.
    pub error: Option<String>,
}

struct ChannelRow {
    channel_id: Uuid,
    project_id: Uuid,
    name: String,
    r#type: String,
    enabled: bool,
    digest_window_secs: i32,
    kinds: Vec<String>,
    agents: Vec<String>,
    config: Value,
    secrets: Option<String>,
    fallback_id: Option<Uuid>,
    created_at: Instant,
    updated_at: Instant,
    deleted_at: Option<Instant>,
    last_fired_at: Option<Instant>,
    last_failed_at: Option<Instant>,
    fail_count: i32,
    last_error: Option<String>,
}

impl ChannelRow {
    fn into_channel(self) -> DbResult<StoredChannel> {
        let Value::Object(config) = self.config else { return Err(corrupt("notification_channel.config")) };
        Ok(StoredChannel {
            id: ChannelId::from_uuid(self.channel_id),
            project: ProjectId::from_uuid(self.project_id),
            name: self.name,
            kind: ChannelKind::from_text(&self.r#type).ok_or(corrupt("notification_channel.type"))?,
            enabled: self.enabled,
            window_secs: self.digest_window_secs,
            filters: Filters { kinds: self.kinds, agents: self.agents },
            config,
            sealed: self.secrets,
            fallback: self.fallback_id.map(ChannelId::from_uuid),
            created_at: self.created_at,
            updated_at: self.updated_at,
            deleted_at: self.deleted_at,
            health: Health {
                delivered_at: self.last_fired_at,
                failed_at: self.last_failed_at,
                failures: self.fail_count,
                error: self.last_error,
            },
        })
    }
}

/// Selects whole channels; the argument continues the statement after its `from`.
macro_rules! select_channel {
    ($tail:literal $(, $arg:expr)* $(,)?) => {
        sqlx::query_as!(
            ChannelRow,
            "select channel_id, project_id, name, type, enabled, digest_window_secs, kinds, agents, config, secrets,
               fallback_id, created_at, updated_at, deleted_at, last_fired_at, last_failed_at, fail_count, last_error
             from notification_channel " + $tail
            $(, $arg)*
        )
    };
}

/// The channels of a project, the oldest first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn list(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<StoredChannel>> {
    let rows = select_channel!(
        "where project_id = $1 and deleted_at is null order by created_at, channel_id",
        project.uuid()
    );
    rows.fetch_all(conn).await?.into_iter().map(ChannelRow::into_channel).collect()
}

/// Every channel of a sort in all projects, of those that are told something.
///
/// # Errors
/// As [`list`].
pub async fn enabled_of_kind(conn: &mut PgConnection, kind: ChannelKind) -> DbResult<Vec<StoredChannel>> {
    let rows = select_channel!(
        "where type = $1 and enabled and deleted_at is null order by created_at, channel_id",
        kind.as_str()
    );
    rows.fetch_all(conn).await?.into_iter().map(ChannelRow::into_channel).collect()
}

/// One channel of a project.
///
/// # Errors
/// As [`list`].
pub async fn get(
    conn: &mut PgConnection,
    project: ProjectId,
    id: ChannelId,
) -> DbResult<Option<StoredChannel>> {
    let row = select_channel!(
        "where project_id = $1 and channel_id = $2 and deleted_at is null",
        project.uuid(),
        id.uuid()
    );
    row.fetch_optional(conn).await?.map(ChannelRow::into_channel).transpose()
}

/// The same for whoever changes it: nobody else does until the transaction ends.
///
/// # Errors
/// As [`list`].
pub async fn get_to_change(
    conn: &mut PgConnection,
    project: ProjectId,
    id: ChannelId,
) -> DbResult<Option<StoredChannel>> {
    let row = select_channel!(
        "where project_id = $1 and channel_id = $2 and deleted_at is null for no key update",
        project.uuid(),
        id.uuid()
    );
    row.fetch_optional(conn).await?.map(ChannelRow::into_channel).transpose()
}

/// A channel, deleted or not.
///
/// # Errors
/// As [`list`].
pub async fn any(conn: &mut PgConnection, id: ChannelId) -> DbResult<Option<StoredChannel>> {
    let row = select_channel!("where channel_id = $1", id.uuid());
    row.fetch_optional(conn).await?.map(ChannelRow::into_channel).transpose()
}

/// Stores a new channel.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(conn: &mut PgConnection, channel: &StoredChannel) -> DbResult<()> {
    sqlx::query!(
        "insert into notification_channel (channel_id, project_id, name, type, enabled, digest_window_secs, kinds,
           agents, config, secrets, fallback_id, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)",
        channel.id.uuid(),
        channel.project.uuid(),
        channel.name,
        channel.kind.as_str(),
        channel.enabled,
        channel.window_secs,
        &channel.filters.kinds,
        &channel.filters.agents,
        Value::Object(channel.config.clone()),
        channel.sealed,
        channel.fallback.map(ChannelId::uuid),
        channel.created_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores a channel's settings; with `is_new_start` what is known of its failures is forgotten.
///
/// # Errors
/// If the database can't be reached.
pub async fn update(conn: &mut PgConnection, channel: &StoredChannel, is_new_start: bool) -> DbResult<()> {
    sqlx::query!(
        "update notification_channel set name = $2, enabled = $3, digest_window_secs = $4, kinds = $5, agents = $6,
           config = $7, secrets = $8, fallback_id = $9, updated_at = $10,
           fail_count = case when $11 then 0 else fail_count end,
           last_error = case when $11 then null else last_error end
         where channel_id = $1",
        channel.id.uuid(),
        channel.name,
        channel.enabled,
        channel.window_secs,
        &channel.filters.kinds,
        &channel.filters.agents,
        Value::Object(channel.config.clone()),
        channel.sealed,
        channel.fallback.map(ChannelId::uuid),
        channel.updated_at,
        is_new_start,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes a channel with its secrets; what other channels sent there in its place goes nowhere.
///
/// # Errors
/// If the database can't be reached.
pub async fn delete(conn: &mut PgConnection, id: ChannelId, now: Instant) -> DbResult<()> {
    sqlx::query!("update notification_channel set fallback_id = null where fallback_id = $1", id.uuid())
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "update notification_channel set deleted_at = $2, enabled = false, secrets = null, config = '{}'
         where channel_id = $1",
        id.uuid(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
