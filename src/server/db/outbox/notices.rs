//! Messages to channels among what has to leave. Each says which channel and which action, and no more: what is sent is
//! read when it is sent, so that what comes late is true all the same.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::Lease;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ChannelId, DeliveryId, ProjectId};
use crate::server::db::DbResult;

/// A message to a channel about an action; `body` says in JSON what is special about it.
#[derive(Debug, Clone)]
pub struct Notice<'a> {
    /// Its name among the deliveries.
    pub event: DeliveryId,
    /// Of which project.
    pub project: ProjectId,
    /// To which channel.
    pub channel: ChannelId,
    /// About which action.
    pub action: ActionId,
    /// What is special about it; empty for nothing.
    pub body: &'a str,
}

/// Stores a message to one channel.
///
/// # Errors
/// If the database can't be reached.
pub async fn enqueue_notice(conn: &mut PgConnection, notice: &Notice<'_>, due: Instant) -> DbResult<()> {
    sqlx::query!(
        "insert into outbox (event_id, project_id, action_id, channel, channel_id, target, target_host, body, state,
           created_at, due_at)
         values ($1, $2, $3, 'notice', $4, '', 'channel:' || $4::uuid, $5, 'pending', $6, $6)",
        notice.event.uuid(),
        notice.project.uuid(),
        notice.action.uuid(),
        notice.channel.uuid(),
        notice.body,
        due,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Has every message about these actions made true, in the channels that can change their messages. Says how many.
///
/// # Errors
/// If the database can't be reached.
pub async fn enqueue_updates(conn: &mut PgConnection, actions: &[ActionId], now: Instant) -> DbResult<u64> {
    let actions: Vec<Uuid> = actions.iter().map(|id| id.uuid()).collect();
    let done = sqlx::query!(
        "insert into outbox (event_id, project_id, action_id, channel, channel_id, target, target_host, body, state,
           created_at, due_at)
         select gen_random_uuid(), c.project_id, m.action_id, 'notice', c.channel_id, '', 'channel:' || c.channel_id,
           '', 'pending', $2, $2
         from channel_message m join notification_channel c using (channel_id)
         where m.action_id = any($1) and m.state in ('sending', 'sent', 'listed') and c.deleted_at is null
           and (c.type in ('telegram', 'slack', 'discord')
             -- A mail is answered where the channel wants that.
             or (c.type = 'email' and c.config -> 'outcomes' = 'true'::jsonb))",
        &actions,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Lets others speak to the channels of messages that were taken and will not be sent: a turn ends with the lease of its
/// message.
///
/// # Errors
/// If the database can't be reached.
pub async fn end_turns(conn: &mut PgConnection, leases: &[Lease]) -> DbResult<()> {
    let (ids, until): (Vec<i64>, Vec<Instant>) = leases.iter().map(|lease| (lease.id, lease.until)).unzip();
    sqlx::query!(
        "update notification_channel c set busy_until = null
         from unnest($1::bigint[], $2::timestamptz[]) as lease (id, until) join outbox o on o.outbox_id = lease.id
         where c.channel_id = o.channel_id and c.busy_until = lease.until",
        &ids,
        &until,
    )
    .execute(conn)
    .await?;
    Ok(())
}
