//! Projects and their settings.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::ids::ProjectId;
use crate::domain::policy::DecisionPolicy;
use crate::server::kept::StoredSecret;

/// A project's settings; its secret is no part of them.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its name in the API.
    pub id: ProjectId,
    /// Its name for people.
    pub name: String,
    /// Its time zone, by its IANA name.
    pub timezone: String,
    /// Whether one may decide what one proposed.
    pub allow_self_approval: bool,
    /// When it was made.
    pub created_at: Instant,
}

struct ProjectRow {
    project_id: sqlx::types::Uuid,
    name: String,
    timezone: String,
    allow_self_approval: bool,
    created_at: Instant,
}

impl From<ProjectRow> for Project {
    fn from(row: ProjectRow) -> Self {
        Self {
            id: ProjectId::from_uuid(row.project_id),
            name: row.name,
            timezone: row.timezone,
            allow_self_approval: row.allow_self_approval,
            created_at: row.created_at,
        }
    }
}

/// The project that was made first: the one the command line works on.
///
/// # Errors
/// If the database can't be reached.
pub async fn first(conn: &mut PgConnection) -> DbResult<Option<Project>> {
    let row = sqlx::query_as!(
        ProjectRow,
        "select project_id, name, timezone, allow_self_approval, created_at
         from project order by created_at, project_id limit 1"
    );
    Ok(row.fetch_optional(conn).await?.map(Project::from))
}

/// One project.
///
/// # Errors
/// If the database can't be reached or there is no such project.
pub async fn get(conn: &mut PgConnection, id: ProjectId) -> DbResult<Project> {
    let row = sqlx::query_as!(
        ProjectRow,
        "select project_id, name, timezone, allow_self_approval, created_at
         from project where project_id = $1",
        id.uuid(),
    );
    Ok(row.fetch_one(conn).await?.into())
}

/// Makes whatever changes the project itself, or who administers it, take turns until the end of the transaction.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock(conn: &mut PgConnection, id: ProjectId) -> DbResult<()> {
    // Not a full lock: every new row of the project refers to this one.
    sqlx::query!("select from project where project_id = $1 for no key update", id.uuid())
        .execute(conn)
        .await?;
    Ok(())
}

/// Stores a new project, with the sealed key of its callbacks' signatures.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(conn: &mut PgConnection, project: &Project, sealed: &str) -> DbResult<()> {
    sqlx::query!(
        "insert into project (project_id, name, timezone, sealed_webhook_secret, allow_self_approval, created_at)
         values ($1, $2, $3, $4, $5, $6)",
        project.id.uuid(),
        project.name,
        project.timezone,
        sealed,
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

/// Stores a project's settings: everything but its id, its making and its secret.
///
/// # Errors
/// If the database can't be reached.
pub async fn update(conn: &mut PgConnection, project: &Project) -> DbResult<()> {
    sqlx::query!(
        "update project set name = $2, timezone = $3, allow_self_approval = $4 where project_id = $1",
        project.id.uuid(),
        project.name,
        project.timezone,
        project.allow_self_approval,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The key of callback signatures.
///
/// # Errors
/// If the database can't be reached or there is no such project.
pub async fn webhook_secret(conn: &mut PgConnection, id: ProjectId) -> DbResult<StoredSecret> {
    let row = sqlx::query!(
        "select sealed_webhook_secret as sealed, webhook_secret as clear from project where project_id = $1",
        id.uuid(),
    )
    .fetch_one(conn)
    .await?;
    StoredSecret::of(row.sealed, row.clear).ok_or(corrupt("project.sealed_webhook_secret"))
}

/// The keys of callback signatures of all projects, for whoever seals them; nobody changes them until the transaction
/// ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn webhook_secrets(conn: &mut PgConnection) -> DbResult<Vec<(ProjectId, StoredSecret)>> {
    let rows = sqlx::query!(
        "select project_id, sealed_webhook_secret as sealed, webhook_secret as clear from project
         order by project_id for no key update"
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let secret = StoredSecret::of(row.sealed, row.clear);
            let secret = secret.ok_or(corrupt("project.sealed_webhook_secret"))?;
            Ok((ProjectId::from_uuid(row.project_id), secret))
        })
        .collect()
}

/// Replaces the key of callback signatures with a sealed one. It is read when a message is taken to be sent, so what
/// waits is signed with the new one.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_webhook_secret(conn: &mut PgConnection, id: ProjectId, sealed: &str) -> DbResult<()> {
    sqlx::query!(
        "update project set sealed_webhook_secret = $2, webhook_secret = null where project_id = $1",
        id.uuid(),
        sealed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether there is a time zone with exactly this IANA name. It asks the database, which brings the list.
///
/// # Errors
/// If the database can't be reached.
pub async fn is_timezone(conn: &mut PgConnection, name: &str) -> DbResult<bool> {
    // The rest of the list are copies of it and files that name no zone.
    sqlx::query_scalar!(
        r#"select exists (
             select from pg_timezone_names
             where name = $1 and name !~ '^(posix|right)/' and name not in ('localtime', 'posixrules', 'Factory'))
           as "any!""#,
        name,
    )
    .fetch_one(conn)
    .await
}
