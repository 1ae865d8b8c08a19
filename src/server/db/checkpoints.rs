//! Signed checkpoints of the chains: which are due, and which there are.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, seals};
use crate::domain::Instant;
use crate::domain::ids::ProjectId;
use crate::domain::seal::Sha256Digest;

/// The end of a chain that has to be signed.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// Whose chain.
    pub project: ProjectId,
    /// The place of the last event.
    pub seq: i64,
    /// Its hash.
    pub hash: Sha256Digest,
}

/// The chains that grew since their last checkpoint, if that is from `before` or has none.
///
/// # Errors
/// If the database can't be reached or a hash is corrupt.
pub async fn due(conn: &mut PgConnection, before: Instant) -> DbResult<Vec<Due>> {
    let rows = sqlx::query!(
        r#"select project_id, head.seq, head.hash
           from project
           cross join lateral (
             select seq, hash from audit_seal s where s.project_id = project.project_id order by seq desc limit 1) head
           left join lateral (
             select seq, signed_at from audit_checkpoint c where c.project_id = project.project_id
             order by seq desc limit 1) signed on true
           where signed.seq is null or (head.seq > signed.seq and signed.signed_at <= $1)"#,
        before,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Due {
                project: ProjectId::from_uuid(row.project_id),
                seq: row.seq,
                hash: seals::digest(&row.hash, "audit_seal.hash")?,
            })
        })
        .collect()
}

/// Stores a checkpoint.
///
/// # Errors
/// If the database can't be reached.
pub async fn append(conn: &mut PgConnection, due: &Due, jws: &str, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "insert into audit_checkpoint (project_id, seq, signed_at, jws) values ($1, $2, $3, $4)",
        due.project.uuid(),
        due.seq,
        now,
        jws,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A stored checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// Whose.
    pub project: ProjectId,
    /// The place of the last event that it covers.
    pub seq: i64,
    /// A compact JWS.
    pub jws: String,
}

struct CheckpointRow {
    project_id: Uuid,
    seq: i64,
    jws: String,
}

impl From<CheckpointRow> for StoredCheckpoint {
    fn from(row: CheckpointRow) -> Self {
        Self { project: ProjectId::from_uuid(row.project_id), seq: row.seq, jws: row.jws }
    }
}

/// A project's checkpoints at the places from `first` to `last`.
///
/// # Errors
/// If the database can't be reached.
pub async fn between(
    conn: &mut PgConnection,
    project: ProjectId,
    first: i64,
    last: i64,
) -> DbResult<Vec<StoredCheckpoint>> {
    let rows = sqlx::query_as!(
        CheckpointRow,
        "select project_id, seq, jws from audit_checkpoint where project_id = $1 and seq between $2 and $3 order by seq",
        project.uuid(),
        first,
        last,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The next checkpoints of all projects; `known` says up to which place somebody has them.
///
/// # Errors
/// If the database can't be reached.
pub async fn beyond(
    conn: &mut PgConnection,
    known: &[(ProjectId, i64)],
    limit: i64,
) -> DbResult<Vec<StoredCheckpoint>> {
    let (projects, places): (Vec<_>, Vec<_>) =
        known.iter().map(|(project, seq)| (project.uuid(), *seq)).unzip();
    let rows = sqlx::query_as!(
        CheckpointRow,
        "select c.project_id, c.seq, c.jws from audit_checkpoint c
         left join unnest($1::uuid[], $2::bigint[]) as known (project_id, seq) using (project_id)
         where c.seq > coalesce(known.seq, 0) order by c.project_id, c.seq limit $3",
        &projects,
        &places,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}
