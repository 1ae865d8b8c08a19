//! Failed sign-ins of the last minutes, for all servers together.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;

/// For each subject that failed since `since`: how often, and when first.
///
/// # Errors
/// If the database can't be reached.
pub async fn failures(
    conn: &mut PgConnection,
    subjects: &[String],
    since: Instant,
) -> DbResult<Vec<(String, i64, Instant)>> {
    let rows = sqlx::query!(
        r#"select subject, count(*) as "count!", min(failed_at) as "first!" from sign_in_failure
           where subject = any($1) and failed_at > $2 group by subject"#,
        subjects,
        since,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.subject, row.count, row.first)).collect())
}

/// Notes a failure under each subject and forgets those before `since`.
///
/// # Errors
/// If the database can't be reached.
pub async fn note(
    conn: &mut PgConnection,
    subjects: &[String],
    now: Instant,
    since: Instant,
) -> DbResult<()> {
    sqlx::query!("delete from sign_in_failure where failed_at <= $1", since).execute(&mut *conn).await?;
    sqlx::query!(
        "insert into sign_in_failure (subject, failed_at) select subject, $2 from unnest($1::text[]) subject",
        subjects,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Forgets the failures of a subject after a success.
///
/// # Errors
/// If the database can't be reached.
pub async fn forgive(conn: &mut PgConnection, subject: &str) -> DbResult<()> {
    sqlx::query!("delete from sign_in_failure where subject = $1", subject).execute(conn).await?;
    Ok(())
}

/// Lets one at a time go on with a subject, until the transaction ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn hold(conn: &mut PgConnection, subject: &str) -> DbResult<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended($1, 0))", subject).execute(conn).await?;
    Ok(())
}
