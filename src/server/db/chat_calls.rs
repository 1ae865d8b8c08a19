//! Signed calls of chat platforms that were heard.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;

/// Remembers a call, and forgets those from before `until`. False if it was heard before, by whichever server.
///
/// # Errors
/// If the database can't be reached.
pub async fn remember(
    conn: &mut PgConnection,
    call_sha256: [u8; 32],
    now: Instant,
    until: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "with old as (delete from chat_call where heard_at < $3)
         insert into chat_call (call_sha256, heard_at) values ($1, $2) on conflict (call_sha256) do nothing",
        &call_sha256[..],
        now,
        until,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
