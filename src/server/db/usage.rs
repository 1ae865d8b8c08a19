//! How much a project did: counts over indexes, no rows.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::ids::ProjectId;

/// How many of the actions that a project proposed since `since` have which status.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn actions_since(
    conn: &mut PgConnection,
    project: ProjectId,
    since: Instant,
) -> DbResult<Vec<(Status, i64)>> {
    let rows = sqlx::query!(
        r#"select s.status as "status!", n.count as "count!"
           from unnest($3::text[]) as s (status)
           cross join lateral (
             select count(*) from action a
             where a.project_id = $1 and a.status = s.status and a.created_at >= $2) n"#,
        project.uuid(),
        since,
        &Status::ALL.map(|status| status.as_str().to_owned()),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| Ok((Status::from_text(&row.status).ok_or(corrupt("action.status"))?, row.count)))
        .collect()
}

/// What a project's outbox holds that did not arrive.
#[derive(Debug, Clone, Copy, Default)]
pub struct Undelivered {
    /// Not tried yet.
    pub pending: i64,
    /// Failed and to be tried again.
    pub in_retry: i64,
    /// Given up.
    pub dead: i64,
}

/// What a project's outbox holds that did not arrive.
///
/// # Errors
/// If the database can't be reached.
pub async fn undelivered(conn: &mut PgConnection, project: ProjectId) -> DbResult<Undelivered> {
    // Two partial indexes hold just these rows.
    sqlx::query_as!(
        Undelivered,
        r#"select count(*) filter (where state = 'pending') as "pending!",
             count(*) filter (where state = 'retry') as "in_retry!",
             (select count(*) from outbox where project_id = $1 and channel = 'callback' and state = 'dlq') as "dead!"
           from outbox where project_id = $1 and channel = 'callback' and state in ('pending', 'retry')"#,
        project.uuid(),
    )
    .fetch_one(conn)
    .await
}
