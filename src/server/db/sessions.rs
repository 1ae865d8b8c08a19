//! Where people are signed in.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ReviewerId, SessionId};

/// A place where a person is signed in.
#[derive(Debug, Clone)]
pub struct StoredSession {
    /// Its name.
    pub id: SessionId,
    /// Who is signed in.
    pub reviewer: ReviewerId,
    /// The browser, in words.
    pub device: String,
    /// The network address that signed in.
    pub address: String,
    /// Since when.
    pub created_at: Instant,
    /// When it was last used, to the minute.
    pub last_seen_at: Instant,
    /// Until when at most.
    pub expires_at: Instant,
}

/// Stores a new session.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(conn: &mut PgConnection, session: &StoredSession) -> DbResult<()> {
    sqlx::query!(
        "with seen as (update reviewer set last_seen_at = $6 where reviewer_id = $2)
         insert into reviewer_session
           (reviewer_session_id, reviewer_id, device, address, created_at, last_seen_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)",
        session.id.uuid(),
        session.reviewer.uuid(),
        session.device,
        session.address,
        session.created_at,
        session.last_seen_at,
        session.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The sessions of a person that last at `now`, the last used first.
///
/// # Errors
/// If the database can't be reached.
pub async fn list(
    conn: &mut PgConnection,
    reviewer: ReviewerId,
    now: Instant,
) -> DbResult<Vec<StoredSession>> {
    let rows = sqlx::query!(
        "select reviewer_session_id, device, address, created_at, last_seen_at, expires_at from reviewer_session
         where reviewer_id = $1 and expires_at > $2 order by last_seen_at desc, reviewer_session_id desc",
        reviewer.uuid(),
        now,
    );
    let read = rows.fetch_all(conn).await?.into_iter().map(|row| StoredSession {
        id: SessionId::from_uuid(row.reviewer_session_id),
        reviewer,
        device: row.device,
        address: row.address,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        expires_at: row.expires_at,
    });
    Ok(read.collect())
}

/// Notes that a session was used, if the last note is older than a minute.
///
/// # Errors
/// If the database can't be reached.
pub async fn note_seen(conn: &mut PgConnection, id: SessionId, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "with seen as (
           update reviewer_session set last_seen_at = $2
           where reviewer_session_id = $1 and last_seen_at < $2::timestamptz - interval '60 seconds'
           returning reviewer_id)
         update reviewer r set last_seen_at = $2 from seen where r.reviewer_id = seen.reviewer_id",
        id.uuid(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends one session of a person; says whether there was one.
///
/// # Errors
/// If the database can't be reached.
pub async fn end(conn: &mut PgConnection, reviewer: ReviewerId, id: SessionId) -> DbResult<bool> {
    let done = sqlx::query!(
        "delete from reviewer_session where reviewer_session_id = $1 and reviewer_id = $2",
        id.uuid(),
        reviewer.uuid(),
    );
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Ends every session of a person but one; says how many there were.
///
/// # Errors
/// If the database can't be reached.
pub async fn end_all(conn: &mut PgConnection, reviewer: ReviewerId, but: Option<SessionId>) -> DbResult<u64> {
    let done = sqlx::query!(
        "delete from reviewer_session where reviewer_id = $1 and reviewer_session_id is distinct from $2",
        reviewer.uuid(),
        but.map(SessionId::uuid),
    );
    Ok(done.execute(conn).await?.rows_affected())
}

/// Forgets the sessions that are over.
///
/// # Errors
/// If the database can't be reached.
pub async fn forget_ended(conn: &mut PgConnection, now: Instant) -> DbResult<()> {
    sqlx::query!("delete from reviewer_session where expires_at <= $1", now).execute(conn).await?;
    Ok(())
}
