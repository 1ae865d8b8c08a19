//! The one-time link that makes the first account.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;

/// Makes concurrent set-ups take turns until the end of the transaction.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock(conn: &mut PgConnection) -> DbResult<()> {
    sqlx::query!("lock table setup_link in exclusive mode").execute(conn).await?;
    Ok(())
}

/// Replaces the set-up link.
///
/// # Errors
/// If the database can't be reached.
pub async fn replace_link(conn: &mut PgConnection, token_sha256: &[u8; 32], now: Instant) -> DbResult<()> {
    sqlx::query!(
        "insert into setup_link (token_sha256, created_at) values ($1, $2)
         on conflict (only_one) do update set token_sha256 = excluded.token_sha256, created_at = excluded.created_at",
        token_sha256.as_slice(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the set-up link has this digest.
///
/// # Errors
/// If the database can't be reached.
pub async fn is_link(conn: &mut PgConnection, token_sha256: &[u8; 32]) -> DbResult<bool> {
    let sql = sqlx::query_scalar!(
        r#"select exists (select from setup_link where token_sha256 = $1) as "exists!""#,
        token_sha256.as_slice()
    );
    sql.fetch_one(conn).await
}

/// Takes the set-up link away if it has this digest; says whether it had.
///
/// # Errors
/// If the database can't be reached.
pub async fn take_link(conn: &mut PgConnection, token_sha256: &[u8; 32]) -> DbResult<bool> {
    let done = sqlx::query!("delete from setup_link where token_sha256 = $1", token_sha256.as_slice());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}
