//! Erasing what people and agents wrote. Rows, ids, digests, verdicts and instants stay.
//!
//! History, its seals and decisions are append-only; the triggers that keep them so let a transaction pass that names
//! the project it erases, and only for the changes made here.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ProjectId};

/// Lets this transaction erase a project's content, and makes erasures of one project take turns. Nothing is sealed
/// meanwhile: a fact is sealed as it was or as it is left, and its salt goes with what was taken from it.
///
/// # Errors
/// If the database can't be reached.
pub async fn begin(conn: &mut PgConnection, project: ProjectId) -> DbResult<()> {
    super::seals::lock(conn).await?;
    super::projects::lock(conn, project).await?;
    sqlx::query!(
        r#"select set_config('impri.erasing', $1::uuid::text, true) as "set!""#,
        project.uuid() as _,
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// The next actions of a project that were proposed until `until`, by id, locked until the end of the transaction.
///
/// # Errors
/// If the database can't be reached.
pub async fn next_actions(
    conn: &mut PgConnection,
    project: ProjectId,
    after: ActionId,
    until: Instant,
    limit: i64,
) -> DbResult<Vec<ActionId>> {
    let ids = sqlx::query_scalar!(
        "select action_id from action
         where project_id = $1 and created_at <= $2 and action_id > $3
         order by action_id limit $4",
        project.uuid(),
        until,
        after.uuid(),
        limit,
    )
    .fetch_all(&mut *conn)
    .await?;
    // Whoever sends a message locks its row before its action's.
    sqlx::query!("select from outbox where action_id = any($1) order by outbox_id for no key update", &ids,)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("select from action where action_id = any($1) order by action_id for no key update", &ids)
        .execute(conn)
        .await?;
    Ok(ids.into_iter().map(ActionId::from_uuid).collect())
}

/// Erases what these actions say, and what was said about them when they were decided, run and told; says how many
/// had something to erase.
///
/// # Errors
/// If the database can't be reached.
pub async fn actions(conn: &mut PgConnection, ids: &[ActionId], now: Instant) -> DbResult<u64> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let erased = sqlx::query!(
        "update action set kind = 'erased', title = '(erased)', preview_body = '', payload = null, target_url = null,
           callback_url = null, idempotency_key = null, editable = '{}', undo = null, result_detail = null,
           result_payload = null, erased_at = coalesce(erased_at, $2)
         where action_id = any($1)
           and (erased_at is null or result_detail is not null or result_payload is not null)",
        &ids,
        now,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "update decision set comment = null, edits = '[]', receipt = null
         where action_id = any($1) and (comment is not null or edits::text <> '[]' or receipt is not null)",
        &ids,
    )
    .execute(&mut *conn)
    .await?;
    // What was not sent yet never is: its receiver's address goes too.
    sqlx::query!(
        "update outbox set target = '', target_host = '', body = '', last_error = null, leased_until = null,
           state = case when state in ('pending', 'retry') then 'gone' else state end,
           done_at = coalesce(done_at, $2)
         where action_id = any($1) and (target <> '' or body <> '')",
        &ids,
        now,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "with erased as (
           update audit_event set data = erased_data(data)
           where action_id = any($1) and data::text <> erased_data(data)::text
           returning event_id)
         update audit_seal s set salt = null, erased_at = $2 from erased e
         where s.event_id = e.event_id and s.erased_at is null",
        &ids,
        now,
    )
    .execute(&mut *conn)
    .await?;
    // What facts are found by is no particular of theirs, and no part of what is sealed.
    sqlx::query!(
        "update audit_event set action_kind = 'erased' where action_id = any($1) and action_kind <> 'erased'",
        &ids,
    )
    .execute(conn)
    .await?;
    Ok(erased.rows_affected())
}

/// Erases the particulars of the facts until `until` that are about no action.
///
/// # Errors
/// If the database can't be reached.
pub async fn other_events(
    conn: &mut PgConnection,
    project: ProjectId,
    until: Instant,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "with erased as (
           update audit_event set data = erased_data(data)
           where project_id = $1 and action_id is null and at <= $2 and data::text <> erased_data(data)::text
           returning event_id)
         update audit_seal s set salt = null, erased_at = $3 from erased e
         where s.event_id = e.event_id and s.erased_at is null",
        project.uuid(),
        until,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
