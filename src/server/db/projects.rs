//! Projects and their settings.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::ProjectId;
use crate::domain::policy::DecisionPolicy;

/// A project's settings.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its name in the API.
    pub id: ProjectId,
    /// Its name for people.
    pub name: String,
    /// The key of callback signatures.
    pub webhook_secret: String,
    /// Whether one may decide what one proposed.
    pub allow_self_approval: bool,
    /// When it was made.
    pub created_at: Instant,
}

/// The project that was made first: the one the command line works on.
///
/// # Errors
/// If the database can't be reached.
pub async fn first(conn: &mut PgConnection) -> DbResult<Option<Project>> {
    let row = sqlx::query!(
        "select project_id, name, webhook_secret, allow_self_approval, created_at
         from project order by created_at, project_id limit 1"
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Project {
        id: ProjectId::from_uuid(row.project_id),
        name: row.name,
        webhook_secret: row.webhook_secret,
        allow_self_approval: row.allow_self_approval,
        created_at: row.created_at,
    }))
}

/// Stores a new project.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(conn: &mut PgConnection, project: &Project) -> DbResult<()> {
    sqlx::query!(
        "insert into project (project_id, name, webhook_secret, allow_self_approval, created_at)
         values ($1, $2, $3, $4, $5)",
        project.id.uuid(),
        project.name,
        project.webhook_secret,
        project.allow_self_approval,
        project.created_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Who may decide what in a project.
///
/// # Errors
/// If the database can't be reached or there is no such project.
pub async fn policy(conn: &mut PgConnection, id: ProjectId) -> DbResult<DecisionPolicy> {
    let allow_self_approval =
        sqlx::query_scalar!("select allow_self_approval from project where project_id = $1", id.uuid())
            .fetch_one(conn)
            .await?;
    Ok(DecisionPolicy { allow_self_approval })
}

/// Lets or stops people and keys deciding what they proposed; says whether that changed anything.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_self_approval(conn: &mut PgConnection, id: ProjectId, is_allowed: bool) -> DbResult<bool> {
    let done = sqlx::query!(
        "update project set allow_self_approval = $2 where project_id = $1 and allow_self_approval <> $2",
        id.uuid(),
        is_allowed,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
