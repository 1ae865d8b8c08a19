//! Actions: proposed once, read often, moved on by one guarded statement each.

use sqlx::PgConnection;

use super::rows::ActionRow;
use super::{DbResult, json_text};
use crate::domain::Instant;
use crate::domain::action::{Action, Claim, Status};
use crate::domain::audit::AuditEvent;
use crate::domain::ids::{ActionId, ProjectId};
use crate::domain::text::Undo;

/// Selects whole actions; the argument continues the statement after its `from`.
macro_rules! select_action {
    ($tail:literal $(, $arg:expr)* $(,)?) => {
        sqlx::query_as!(
            ActionRow,
            r#"select a.action_id, a.project_id, a.proposed_by, a.proposed_by_name, a.kind, a.title,
                 a.preview_format, a.preview_body, a.payload, a.target_url, a.callback_url, a.idempotency_key,
                 a.editable, a.idempotent, a.undo, a.content_sha256, a.valid_for_secs,
                 a.created_at, a.expires_at, a.updated_at, a.erased_at, a.status, a.claimed_at, a.claimed_by,
                 a.result_at, a.result_by, a.result_detail, a.result_payload,
                 d.verdict as "verdict?", d.decided_at as "decided_at?", d.decider_kind as "decider_kind?",
                 d.decider_id as "decider_id?", d.decider_name as "decider_name?", d.channel as "channel?",
                 d.comment, d.edits as "edits?", d.proposed_sha256 as "proposed_sha256?", d.approved_sha256,
                 d.receipt
               from action a left join decision d using (action_id) "# + $tail
            $(, $arg)*
        )
    };
}
pub(super) use select_action;

/// Stores a proposal, its event and a message to every channel and device that hears about it with one statement, unless the proposal is already there under its idempotency
/// key or, without one, as an identical proposal of the same key that still waits. Says whether it was.
///
/// # Errors
/// If the database can't be reached.
pub async fn propose(
    conn: &mut PgConnection,
    action: &Action,
    event: &AuditEvent,
) -> DbResult<Option<Stored>> {
    let content = &action.content;
    let valid_for = action.valid_for_secs.map(u32::cast_signed);
    let done = sqlx::query!(
        r#"with proposed as (
             insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format,
               preview_body, payload, target_url, callback_url, idempotency_key, editable, idempotent, undo,
               content_sha256, valid_for_secs, created_at, expires_at, status, updated_at)
             select $1, $2, $3, $4, $5, $6, $7, $8, $9::text::json, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
               'pending', $18
             where $12::text is not null or not exists (
               select from action
               where proposed_by = $3 and content_sha256 = $16 and status = 'pending' and expires_at > $18
                 and editable = $13 and callback_url is not distinct from $11 and idempotent is not distinct from $14
                 and undo is not distinct from $15 and valid_for_secs is not distinct from $17)
             on conflict (project_id, idempotency_key) where idempotency_key is not null do nothing
             returning action_id),
           noted as (
             insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data,
               action_kind, agent)
             select $2, $18, $20, action_id, 'key', $3, $4, $21, $22::text::json, $5, $4 from proposed),
           told as (
             insert into outbox (event_id, project_id, action_id, channel, channel_id, target, target_host, body, state,
               created_at, due_at)
             select gen_random_uuid(), $2, action_id, 'notice', c.channel_id, '', 'channel:' || c.channel_id, '',
               'pending', $18, $18
             from proposed, notification_channel c
             where c.project_id = $2 and c.enabled and c.deleted_at is null
               and (c.agents = '{}' or $4 = any(c.agents))
               and (c.kinds = '{}' or exists (
                 select from unnest(c.kinds) as wanted (kind)
                 where case when right(wanted.kind, 1) = '*' then starts_with($5, left(wanted.kind, -1))
                   else $5 = wanted.kind end))
             returning 1),
           pushed as (
             insert into outbox (event_id, project_id, action_id, channel, push_device_id, target, target_host, body, state,
               created_at, due_at)
             select gen_random_uuid(), $2, action_id, 'push', d.push_device_id, '', 'channel:' || d.push_device_id, '', 'pending', $18, $18
             from proposed, push_device d where d.project_id = $2 and d.gone_at is null returning 1)
           select (select count(*) from proposed) as "stored!", (select count(*) from told) + (select count(*) from pushed) as "told!""#,
        action.id.uuid(),
        action.project.uuid(),
        action.proposed_by.uuid(),
        action.agent,
        content.kind.as_str(),
        content.title.as_str(),
        content.preview.format.as_str(),
        content.preview.body,
        content.payload.as_ref().map(json_text),
        content.target_url,
        action.callback_url,
        action.idempotency_key,
        &paths(action),
        action.idempotent,
        action.undo.as_ref().map(Undo::as_str),
        action.content_sha256.as_bytes().as_slice(),
        valid_for,
        action.created_at,
        action.expires_at,
        event.kind.as_str(),
        event.channel.as_str(),
        json_text(&event.data),
    )
    .fetch_one(conn)
    .await?;
    Ok((done.stored == 1).then_some(Stored { is_told: done.told > 0 }))
}

/// A proposal that was stored.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    /// Whether a channel or a device is to be told of it.
    pub is_told: bool,
}

/// The editable paths, as text.
fn paths(action: &Action) -> Vec<String> {
    action.editable.iter().map(ToString::to_string).collect()
}

/// One action of a project.
///
/// # Errors
/// If the database can't be reached or the row is corrupt.
pub async fn get(conn: &mut PgConnection, project: ProjectId, id: ActionId) -> DbResult<Option<Action>> {
    let row = select_action!("where a.action_id = $1 and a.project_id = $2", id.uuid(), project.uuid());
    row.fetch_optional(conn).await?.map(ActionRow::into_action).transpose()
}

/// The action that was proposed under this idempotency key.
///
/// # Errors
/// As [`get`].
pub async fn by_idempotency_key(
    conn: &mut PgConnection,
    project: ProjectId,
    key: &str,
) -> DbResult<Option<Action>> {
    let row = select_action!("where a.project_id = $1 and a.idempotency_key = $2", project.uuid(), key);
    row.fetch_optional(conn).await?.map(ActionRow::into_action).transpose()
}

/// What stood in the way of a proposal: the same, by the same key, still waiting when it came.
///
/// # Errors
/// As [`get`].
pub async fn waiting_twin(conn: &mut PgConnection, of: &Action) -> DbResult<Option<Action>> {
    let row = select_action!(
        "where a.proposed_by = $1 and a.content_sha256 = $2 and a.status = 'pending' and a.expires_at > $3
           and a.editable = $4 and a.callback_url is not distinct from $5 and a.idempotent is not distinct from $6
           and a.undo is not distinct from $7 and a.valid_for_secs is not distinct from $8
         order by a.created_at limit 1",
        of.proposed_by.uuid(),
        of.content_sha256.as_bytes().as_slice(),
        of.created_at,
        &paths(of),
        of.callback_url,
        of.idempotent,
        of.undo.as_ref().map(Undo::as_str),
        of.valid_for_secs.map(u32::cast_signed),
    );
    row.fetch_optional(conn).await?.map(ActionRow::into_action).transpose()
}

/// Moves a pending action on, if at `now` it is still pending and in time. Says whether this call was the one.
///
/// # Errors
/// If the database can't be reached.
pub async fn leave_pending(
    conn: &mut PgConnection,
    id: ActionId,
    to: Status,
    now: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "update action set status = $2, updated_at = $3
         where action_id = $1 and status = 'pending' and expires_at > $3",
        id.uuid(),
        to.as_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores that an approved action was claimed. Says whether this call was the one.
///
/// # Errors
/// If the database can't be reached.
pub async fn store_claim(conn: &mut PgConnection, id: ActionId, claim: &Claim) -> DbResult<bool> {
    let done = sqlx::query!(
        "update action set claimed_at = $2, claimed_by = $3, updated_at = $2
         where action_id = $1 and status = 'approved' and claimed_at is null",
        id.uuid(),
        claim.at,
        claim.by.uuid(),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores the result of an approved action. Says whether this call was the first.
///
/// # Errors
/// If the database can't be reached.
pub async fn store_result(conn: &mut PgConnection, action: &Action, now: Instant) -> DbResult<bool> {
    let crate::domain::action::ActionState::Reported { result, .. } = &action.state else { return Ok(false) };
    let done = sqlx::query!(
        "update action set status = $2, updated_at = $3, result_at = $3, result_by = $4, result_detail = $5,
           result_payload = $6::text::json
         where action_id = $1 and status = 'approved'",
        action.id.uuid(),
        action.status(now).as_str(),
        result.at,
        result.by.uuid(),
        result.detail,
        result.payload.as_ref().map(json_text),
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets where callbacks about an action go, because nobody is there any more.
///
/// # Errors
/// If the database can't be reached.
pub async fn drop_callback(conn: &mut PgConnection, id: ActionId, target: &str) -> DbResult<()> {
    sqlx::query!(
        "update action set callback_url = null where action_id = $1 and callback_url = $2",
        id.uuid(),
        target,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Withdraws those of the actions that may still be decided or run: pending and in time, or approved and not claimed.
/// Says which.
///
/// # Errors
/// If the database can't be reached.
pub async fn withdraw(conn: &mut PgConnection, ids: &[ActionId], now: Instant) -> DbResult<Vec<ActionId>> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let withdrawn = sqlx::query_scalar!(
        "update action set status = 'cancelled', updated_at = $2
         where action_id = any($1)
           and ((status = 'pending' and expires_at > $2) or (status = 'approved' and claimed_at is null))
         returning action_id",
        &ids,
        now,
    );
    Ok(withdrawn.fetch_all(conn).await?.into_iter().map(ActionId::from_uuid).collect())
}
