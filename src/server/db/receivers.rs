//! Receivers of checkpoints: who sends to them, and how far they are.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::DbResult;
use super::checkpoints::StoredCheckpoint;
use crate::domain::Instant;
use crate::domain::ids::ProjectId;

/// A receiver, as one server holds it.
#[derive(Debug, Clone)]
pub struct Holding {
    /// SHA-256 of its address.
    pub address: [u8; 32],
    /// Its host.
    pub host: String,
    /// Which server.
    pub holder: Uuid,
}

/// Takes the lease of a receiver, or makes it longer; no if another server holds it.
///
/// # Errors
/// If the database can't be reached.
pub async fn take(conn: &mut PgConnection, held: &Holding, now: Instant, until: Instant) -> DbResult<bool> {
    let taken = sqlx::query!(
        "insert into checkpoint_receiver as r (address_sha256, host, leased_by, leased_until) values ($1, $2, $3, $5)
         on conflict (address_sha256) do update set leased_by = $3, leased_until = $5
         where r.leased_by is null or r.leased_by = $3 or r.leased_until <= $4",
        held.address.as_slice(),
        held.host,
        held.holder,
        now,
        until,
    );
    Ok(taken.execute(conn).await?.rows_affected() == 1)
}

/// Lets another server take it.
///
/// # Errors
/// If the database can't be reached.
pub async fn release(conn: &mut PgConnection, held: &Holding) -> DbResult<()> {
    sqlx::query!(
        "update checkpoint_receiver set leased_by = null where address_sha256 = $1 and leased_by = $2",
        held.address.as_slice(),
        held.holder,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Up to which event of which project a receiver has checkpoints.
///
/// # Errors
/// If the database can't be reached.
pub async fn known(conn: &mut PgConnection, held: &Holding) -> DbResult<Vec<(ProjectId, i64)>> {
    let rows = sqlx::query!(
        "select project_id, seq from checkpoint_received where address_sha256 = $1",
        held.address.as_slice(),
    );
    let rows = rows.fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (ProjectId::from_uuid(row.project_id), row.seq)).collect())
}

/// Notes that it took a checkpoint.
///
/// # Errors
/// If the database can't be reached.
pub async fn took(
    conn: &mut PgConnection,
    held: &Holding,
    checkpoint: &StoredCheckpoint,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "with noted as (
           update checkpoint_receiver set delivered_at = $4, failing_since = null, last_error = null
           where address_sha256 = $1)
         insert into checkpoint_received as r (address_sha256, project_id, seq) values ($1, $2, $3)
         on conflict (address_sha256, project_id) do update set seq = greatest(r.seq, excluded.seq)",
        held.address.as_slice(),
        checkpoint.project.uuid(),
        checkpoint.seq,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that it did not.
///
/// # Errors
/// If the database can't be reached.
pub async fn failed(conn: &mut PgConnection, held: &Holding, reason: &str, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "update checkpoint_receiver set failing_since = coalesce(failing_since, $3), last_error = left($2, 400)
         where address_sha256 = $1",
        held.address.as_slice(),
        reason,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How a receiver does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverState {
    /// Its host.
    pub host: String,
    /// When it took a checkpoint last.
    pub delivered_at: Option<Instant>,
    /// Since when it takes none.
    pub failing_since: Option<Instant>,
    /// And why.
    pub last_error: Option<String>,
}

/// The receivers that a server sent to after an instant.
///
/// # Errors
/// If the database can't be reached.
pub async fn states(conn: &mut PgConnection, after: Instant) -> DbResult<Vec<ReceiverState>> {
    sqlx::query_as!(
        ReceiverState,
        "select host, delivered_at, failing_since, last_error from checkpoint_receiver
         where leased_until > $1 order by host, address_sha256",
        after,
    )
    .fetch_all(conn)
    .await
}
