//! What has to leave the house: rows written with their cause and taken by workers that hold a lease.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, DeliveryId, ProjectId};

/// A message to be sent.
#[derive(Debug, Clone)]
pub struct OutboxMessage {
    /// Named to the receiver.
    pub event: DeliveryId,
    /// Of which project.
    pub project: ProjectId,
    /// About which action.
    pub action: ActionId,
    /// Where to.
    pub target: String,
    /// What.
    pub body: String,
}

/// Stores a callback to be sent at once.
///
/// # Errors
/// If the database can't be reached.
pub async fn enqueue_callback(
    conn: &mut PgConnection,
    message: &OutboxMessage,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "insert into outbox (event_id, project_id, action_id, channel, target, body, state, created_at, due_at)
         values ($1, $2, $3, 'callback', $4, $5, 'pending', $6, $6)",
        message.event.uuid(),
        message.project.uuid(),
        message.action.uuid(),
        message.target,
        message.body,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
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
         where action_id = $1 order by outbox_id desc limit 1",
        action.uuid(),
    )
    .fetch_optional(conn)
    .await
}
