//! What became of messages, for whoever asks, and sending one again.

use sqlx::PgConnection;

use crate::domain::Instant;
use crate::domain::ids::{ActionId, DeliveryId, ProjectId};
use crate::server::db::DbResult;

/// A message that was put back to be sent again.
#[derive(Debug, Clone)]
pub struct ReplayedMessage {
    /// Named to the receiver, as before.
    pub event: DeliveryId,
    /// The host in the target.
    pub host: String,
}

/// Puts the latest message about an action back, due now with all its attempts, if it was delivered or given up.
///
/// # Errors
/// If the database can't be reached.
pub async fn requeue(
    conn: &mut PgConnection,
    project: ProjectId,
    action: ActionId,
    now: Instant,
) -> DbResult<Option<ReplayedMessage>> {
    let row = sqlx::query!(
        "update outbox set state = 'pending', attempt = 0, lost = 0, due_at = $3, done_at = null, leased_until = null
         where outbox_id = (select max(outbox_id) from outbox where action_id = $2 and channel = 'callback')
           and project_id = $1 and state in ('delivered', 'dlq') and target <> ''
         returning event_id, target_host",
        project.uuid(),
        action.uuid(),
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| ReplayedMessage { event: DeliveryId::from_uuid(row.event_id), host: row.target_host }))
}

/// Where callbacks about an action went until the receiver said that it is gone.
///
/// # Errors
/// If the database can't be reached.
pub async fn gone_target(conn: &mut PgConnection, action: ActionId) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "select target from outbox where action_id = $1 and channel = 'callback' and state = 'gone'
         order by outbox_id desc limit 1",
        action.uuid(),
    )
    .fetch_optional(conn)
    .await
}

/// How the latest delivery about an action stands.
#[derive(Debug, Clone)]
pub struct DeliveryState {
    /// `pending`, `retry`, `delivered`, `gone` or `dlq`.
    pub state: String,
    /// Failed attempts.
    pub attempt: i32,
    /// The receiver's last status.
    pub last_status: Option<i32>,
    /// The last failure in words.
    pub last_error: Option<String>,
}

/// The latest delivery about an action.
///
/// # Errors
/// If the database can't be reached.
pub async fn latest(conn: &mut PgConnection, action: ActionId) -> DbResult<Option<DeliveryState>> {
    sqlx::query_as!(
        DeliveryState,
        "select state, attempt, last_status, last_error from outbox
         where action_id = $1 and channel = 'callback' order by outbox_id desc limit 1",
        action.uuid(),
    )
    .fetch_optional(conn)
    .await
}

/// How many messages are open, and since when the first of them has been due.
///
/// # Errors
/// If the database can't be reached.
pub async fn backlog(conn: &mut PgConnection) -> DbResult<(i64, Option<Instant>)> {
    let row = sqlx::query!(
        r#"select count(*) as "count!", min(due_at) as due from outbox where state in ('pending', 'retry')"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.due))
}
