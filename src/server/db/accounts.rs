//! What can change about a person: their role, their account, their name, password and preferences.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ProjectId, ReviewerId};
use crate::domain::preferences::Preferences;
use crate::domain::role::Role;
use crate::domain::text::PersonName;

/// Gives a person another role.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_role(
    conn: &mut PgConnection,
    project: ProjectId,
    id: ReviewerId,
    role: Role,
) -> DbResult<()> {
    sqlx::query!(
        "update membership set role = $3 where project_id = $1 and reviewer_id = $2",
        project.uuid(),
        id.uuid(),
        role.as_str(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Disables an account from `at` on, or lets it be used again.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_disabled(conn: &mut PgConnection, id: ReviewerId, at: Option<Instant>) -> DbResult<()> {
    sqlx::query!("update reviewer set disabled_at = $2 where reviewer_id = $1", id.uuid(), at)
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives a person another name.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_name(conn: &mut PgConnection, id: ReviewerId, name: &PersonName) -> DbResult<()> {
    sqlx::query!("update reviewer set name = $2 where reviewer_id = $1", id.uuid(), name.as_str())
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives a person another password, if theirs is still the one with the hash `before`.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_password(
    conn: &mut PgConnection,
    id: ReviewerId,
    before: &str,
    after: &str,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "update reviewer set password_hash = $3
         where reviewer_id = $1 and password_hash = $2 and disabled_at is null",
        id.uuid(),
        before,
        after,
    );
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Stores how a person wants the pages to be.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_preferences(
    conn: &mut PgConnection,
    id: ReviewerId,
    preferences: &Preferences,
) -> DbResult<()> {
    sqlx::query!(
        "update reviewer set theme = $2, shortcuts = $3, time_zone = $4 where reviewer_id = $1",
        id.uuid(),
        preferences.theme.as_str(),
        preferences.shortcuts,
        preferences.time_zone,
    )
    .execute(conn)
    .await?;
    Ok(())
}
