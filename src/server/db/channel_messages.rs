//! What each channel shows about each action, and how its messages stand.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::channel::ChannelKind;
use crate::domain::ids::{ActionId, ChannelId, ProjectId};

/// How the message about one action in one channel stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageState {
    /// Handed over, or about to be; the platform may know it already.
    Sending,
    /// There.
    Sent,
    /// Waits to become part of a list.
    Held {
        /// Until then.
        until: Instant,
    },
    /// Part of a list.
    Listed {
        /// Which.
        list: Uuid,
    },
    /// There was nothing to tell any more.
    Skipped,
}

/// The message about one action in one channel.
#[derive(Debug, Clone)]
pub struct StoredMessage {
    /// How it stands.
    pub state: MessageState,
    /// What the platform calls it.
    pub reference: Option<String>,
    /// The digest of what it shows.
    pub shown: Option<Vec<u8>>,
}

/// The message about an action in a channel, if one was ever meant to be there.
///
/// # Errors
/// If the database can't be reached or the row is corrupt.
pub async fn get(
    conn: &mut PgConnection,
    channel: ChannelId,
    action: ActionId,
) -> DbResult<Option<StoredMessage>> {
    let row = sqlx::query!(
        "select state, reference, list_id, shown, held_until from channel_message
         where channel_id = $1 and action_id = $2",
        channel.uuid(),
        action.uuid(),
    )
    .fetch_optional(conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let state = match (row.state.as_str(), row.held_until, row.list_id) {
        ("sending", ..) => MessageState::Sending,
        ("sent", ..) => MessageState::Sent,
        ("held", Some(until), _) => MessageState::Held { until },
        ("listed", _, Some(list)) => MessageState::Listed { list },
        ("skipped", ..) => MessageState::Skipped,
        _ => return Err(corrupt("channel_message.state")),
    };
    Ok(Some(StoredMessage { state, reference: row.reference, shown: row.shown }))
}

/// Stores how a message stands. What the platform calls it and what it shows stay, if they are not given.
///
/// # Errors
/// If the database can't be reached.
pub async fn put(
    conn: &mut PgConnection,
    channel: ChannelId,
    action: ActionId,
    message: &StoredMessage,
    sent_at: Option<Instant>,
) -> DbResult<()> {
    let (state, held_until, list) = match &message.state {
        MessageState::Sending => ("sending", None, None),
        MessageState::Sent => ("sent", None, None),
        MessageState::Held { until } => ("held", Some(*until), None),
        MessageState::Listed { list } => ("listed", None, Some(*list)),
        MessageState::Skipped => ("skipped", None, None),
    };
    sqlx::query!(
        "insert into channel_message as m (channel_id, action_id, state, reference, list_id, shown, held_until, sent_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (channel_id, action_id) do update set state = excluded.state,
           reference = coalesce(excluded.reference, m.reference), list_id = excluded.list_id,
           shown = coalesce(excluded.shown, m.shown), held_until = excluded.held_until,
           sent_at = coalesce(m.sent_at, excluded.sent_at)",
        channel.uuid(),
        action.uuid(),
        state,
        message.reference,
        list,
        message.shown,
        held_until,
        sent_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Makes one list of actions that were held back.
///
/// # Errors
/// If the database can't be reached.
pub async fn list_held(
    conn: &mut PgConnection,
    channel: ChannelId,
    list: Uuid,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "update channel_message set state = 'listed', list_id = $2, held_until = null, sent_at = $3
         where channel_id = $1 and state = 'held'",
        channel.uuid(),
        list,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An action as a list names it.
#[derive(Debug, Clone)]
pub struct InList {
    /// Which.
    pub id: ActionId,
    /// Its title, as it was proposed.
    pub title: String,
    /// Its stored status; see [`Self::status`].
    status: Status,
    /// From this instant on nobody can decide it.
    pub expires_at: Instant,
}

impl InList {
    /// The status now: whoever waits past their time is expired, whether or not anything has noted it yet.
    pub fn status(&self, now: Instant) -> Status {
        match self.status {
            Status::Pending if self.expires_at <= now => Status::Expired,
            status => status,
        }
    }
}

/// The actions of a list, in the order of their proposals.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn of_list(conn: &mut PgConnection, list: Uuid) -> DbResult<Vec<InList>> {
    let rows = sqlx::query!(
        "select a.action_id, a.title, a.status, a.expires_at from channel_message m join action a using (action_id)
         where m.list_id = $1 order by a.created_at, a.action_id",
        list,
    )
    .fetch_all(conn)
    .await?;
    let actions = rows.into_iter().map(|row| {
        let status = Status::from_text(&row.status).ok_or(corrupt("action.status"))?;
        let id = ActionId::from_uuid(row.action_id);
        Ok(InList { id, title: row.title, status, expires_at: row.expires_at })
    });
    actions.collect()
}

/// Stores what the platform calls a list and what it shows.
///
/// # Errors
/// If the database can't be reached.
pub async fn put_list(
    conn: &mut PgConnection,
    list: Uuid,
    reference: Option<&str>,
    shown: &[u8],
) -> DbResult<()> {
    sqlx::query!(
        "update channel_message set reference = coalesce($2, reference), shown = $3 where list_id = $1",
        list,
        reference,
        shown,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The messages that a channel got since an instant: how many, and when the first of them was sent. A list is one.
///
/// # Errors
/// If the database can't be reached.
pub async fn sent_since(
    conn: &mut PgConnection,
    channel: ChannelId,
    since: Instant,
) -> DbResult<(i64, Option<Instant>)> {
    let row = sqlx::query!(
        r#"select count(distinct coalesce(list_id, action_id)) as "count!", min(sent_at) as first
           from channel_message where channel_id = $1 and sent_at > $2"#,
        channel.uuid(),
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.first))
}

/// Until when a channel holds back what comes, if it does.
///
/// # Errors
/// If the database can't be reached.
pub async fn holds_until(conn: &mut PgConnection, channel: ChannelId) -> DbResult<Option<Instant>> {
    sqlx::query_scalar!(
        "select min(held_until) from channel_message where channel_id = $1 and state = 'held'",
        channel.uuid()
    )
    .fetch_one(conn)
    .await
}

/// The statuses of actions, which stay as they are until the transaction ends.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn hold_statuses(
    conn: &mut PgConnection,
    actions: &[ActionId],
) -> DbResult<Vec<(ActionId, Status)>> {
    let ids: Vec<Uuid> = actions.iter().map(|id| id.uuid()).collect();
    let rows = sqlx::query!(
        "select action_id, status from action where action_id = any($1) order by action_id for share",
        &ids
    )
    .fetch_all(conn)
    .await?;
    let statuses = rows.into_iter().map(|row| {
        let status = Status::from_text(&row.status).ok_or(corrupt("action.status"))?;
        Ok((ActionId::from_uuid(row.action_id), status))
    });
    statuses.collect()
}

/// How a channel stands that an action was told to.
#[derive(Debug, Clone)]
pub struct Told {
    /// The channel's name.
    pub name: String,
    /// Its sort.
    pub kind: ChannelKind,
    /// `pending`, `retry`, `delivered`, `gone` or `dlq`.
    pub state: String,
    /// Failed attempts of the latest message.
    pub attempts: i32,
    /// Why it did not arrive, or did not yet.
    pub reason: Option<String>,
}

/// How the latest message about an action stands in each channel.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn told(conn: &mut PgConnection, action: ActionId) -> DbResult<Vec<Told>> {
    let rows = sqlx::query!(
        "select distinct on (c.created_at, c.channel_id) c.name, c.type, o.state, o.attempt, o.last_error
         from outbox o join notification_channel c on c.channel_id = o.channel_id
         where o.action_id = $1 order by c.created_at, c.channel_id, o.outbox_id desc",
        action.uuid(),
    )
    .fetch_all(conn)
    .await?;
    let told = rows.into_iter().map(|row| {
        let kind = ChannelKind::from_text(&row.r#type).ok_or(corrupt("notification_channel.type"))?;
        let (state, reason) = (row.state, row.last_error);
        Ok(Told { name: row.name, kind, state, attempts: row.attempt, reason })
    });
    told.collect()
}

/// The channels of a project that told nobody what they should have, each with its last failure.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn in_trouble(
    conn: &mut PgConnection,
    project: ProjectId,
) -> DbResult<Vec<(String, ChannelKind, String)>> {
    let rows = sqlx::query!(
        r#"select name, type, last_error as "error!" from notification_channel
           where project_id = $1 and deleted_at is null and enabled and fail_count > 0 and last_error is not null
           order by created_at, channel_id"#,
        project.uuid(),
    )
    .fetch_all(conn)
    .await?;
    let trouble = rows.into_iter().map(|row| {
        let kind = ChannelKind::from_text(&row.r#type).ok_or(corrupt("notification_channel.type"))?;
        Ok((row.name, kind, row.error))
    });
    trouble.collect()
}
