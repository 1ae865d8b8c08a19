//! The newest action: whether what was connected has arrived.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, KeyId, ProjectId};

/// An action that arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// Which.
    pub id: ActionId,
    /// Its title.
    pub title: String,
    /// The name of the key that proposed it.
    pub agent: String,
    /// When.
    pub at: Instant,
}

struct ArrivedRow {
    action_id: sqlx::types::Uuid,
    title: String,
    proposed_by_name: String,
    created_at: Instant,
}

impl From<ArrivedRow> for Arrived {
    fn from(row: ArrivedRow) -> Self {
        Self {
            id: ActionId::from_uuid(row.action_id),
            title: row.title,
            agent: row.proposed_by_name,
            at: row.created_at,
        }
    }
}

/// The newest action of a project. One look into the index for each status, however many actions there are.
///
/// # Errors
/// If the database can't be reached.
pub async fn newest(
    conn: &mut PgConnection,
    project: ProjectId,
    statuses: &[String],
) -> DbResult<Option<Arrived>> {
    let row = sqlx::query_as!(
        ArrivedRow,
        r#"select one.action_id as "action_id!", one.title as "title!", one.proposed_by_name as "proposed_by_name!",
             one.created_at as "created_at!"
           from unnest($2::text[]) stands cross join lateral (
             select action_id, title, proposed_by_name, created_at from action
             where project_id = $1 and status = stands
             order by created_at desc, action_id desc limit 1) one
           order by one.created_at desc limit 1"#,
        project.uuid(),
        statuses,
    );
    Ok(row.fetch_optional(conn).await?.map(Arrived::from))
}

/// The newest action that was proposed with a key of this name and id.
///
/// # Errors
/// If the database can't be reached.
pub async fn newest_of_key(
    conn: &mut PgConnection,
    project: ProjectId,
    key: KeyId,
    name: &str,
    statuses: &[String],
) -> DbResult<Option<Arrived>> {
    let row = sqlx::query_as!(
        ArrivedRow,
        r#"select one.action_id as "action_id!", one.title as "title!", one.proposed_by_name as "proposed_by_name!",
             one.created_at as "created_at!"
           from unnest($4::text[]) stands cross join lateral (
             select action_id, title, proposed_by_name, created_at from action
             where project_id = $1 and proposed_by_name = $3 and status = stands and proposed_by = $2
             order by created_at desc, action_id desc limit 1) one
           order by one.created_at desc limit 1"#,
        project.uuid(),
        key.uuid(),
        name,
        statuses,
    );
    Ok(row.fetch_optional(conn).await?.map(Arrived::from))
}
