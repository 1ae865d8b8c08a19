//! The end of what nobody decided in time, written down. That it is over is known without this.

use sqlx::PgConnection;

use super::{DbResult, audit};
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ProjectId};

/// An action that just ran out of time.
pub struct ExpiredAction {
    /// In which project.
    pub project: ProjectId,
    /// Which action.
    pub id: ActionId,
    /// When its time was over.
    pub expired_at: Instant,
    /// Where its end is sent.
    pub callback_url: Option<String>,
}

/// Expires up to `limit` actions whose time is over, skipping those that another server is expiring.
///
/// # Errors
/// If the database can't be reached.
pub async fn expire_due(conn: &mut PgConnection, now: Instant, limit: i64) -> DbResult<Vec<ExpiredAction>> {
    let rows = sqlx::query!(
        "with due as (
           select late.action_id from project p cross join lateral (
             select a.action_id from action a
             where a.project_id = p.project_id and a.status = 'pending' and a.expires_at <= $1
             order by a.expires_at limit $2 for update skip locked) late
           limit $2)
         update action a set status = 'expired', updated_at = a.expires_at
         where a.action_id = any(array(select action_id from due))
         returning a.project_id, a.action_id, a.expires_at, a.callback_url",
        now,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| ExpiredAction {
            project: ProjectId::from_uuid(row.project_id),
            id: ActionId::from_uuid(row.action_id),
            expired_at: row.expires_at,
            callback_url: row.callback_url,
        })
        .collect())
}

/// When the next pending action runs out of time.
///
/// # Errors
/// If the database can't be reached.
pub async fn next_expiry(conn: &mut PgConnection) -> DbResult<Option<Instant>> {
    sqlx::query_scalar!(
        "select min(next.at) from project p cross join lateral (
           select min(a.expires_at) as at from action a
           where a.project_id = p.project_id and a.status = 'pending') next"
    )
    .fetch_one(conn)
    .await
}

/// Stores events of [`expire_due`].
///
/// # Errors
/// If the database can't be reached.
pub async fn note_expired(conn: &mut PgConnection, expired: &[ExpiredAction]) -> DbResult<()> {
    for action in expired {
        let event =
            crate::domain::action::transition::expired_event(action.project, action.id, action.expired_at);
        audit::append(conn, &event).await?;
    }
    Ok(())
}
