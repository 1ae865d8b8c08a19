//! Telling devices: what is due for one, and what came of it.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::Subscription;
use crate::domain::Instant;
use crate::domain::delivery::Outcome;
use crate::domain::ids::{ActionId, ProjectId, PushDeviceId};
use crate::server::db::DbResult;

/// A device that may be told something now.
pub struct ReachableDevice {
    /// In which project.
    pub project: ProjectId,
    /// How.
    pub subscription: Subscription,
    /// Whether it says only that something waits.
    pub hides_content: bool,
    /// Whether its owner may decide in its project now.
    pub may_decide: bool,
}

/// A device with what its owner may do at this moment; none if it is gone.
///
/// # Errors
/// If the database can't be reached.
pub async fn reachable(
    conn: &mut PgConnection,
    id: PushDeviceId,
    now: Instant,
) -> DbResult<Option<ReachableDevice>> {
    let row = sqlx::query!(
        r#"select d.project_id, d.endpoint as "endpoint!", d.p256dh as "p256dh!", d.auth as "auth!", d.hides_content,
             (exists (select from membership m join reviewer r using (reviewer_id)
                      where m.reviewer_id = d.reviewer_id and m.project_id = d.project_id
                        and m.role in ('reviewer', 'admin') and r.disabled_at is null)
              or exists (select from api_key k
                         where k.api_key_id = d.api_key_id and k.revoked_at is null and k.scopes && array['decide', 'admin']
                           and (k.expires_at is null or k.expires_at > $2))) as "may_decide!"
           from push_device d where d.push_device_id = $1 and d.gone_at is null"#,
        id.uuid(),
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| ReachableDevice {
        project: ProjectId::from_uuid(row.project_id),
        subscription: Subscription { endpoint: row.endpoint, p256dh: row.p256dh, auth: row.auth },
        hides_content: row.hides_content,
        may_decide: row.may_decide,
    }))
}

/// How often a device was told something since, and when first.
///
/// # Errors
/// If the database can't be reached.
pub async fn told_since(
    conn: &mut PgConnection,
    id: PushDeviceId,
    since: Instant,
) -> DbResult<(i64, Option<Instant>)> {
    let row = sqlx::query!(
        r#"select count(*) as "count!", min(done_at) as first from outbox
           where push_device_id = $1 and state = 'delivered' and done_at > $2"#,
        id.uuid(),
        since,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.first))
}

/// What else a device is to be told and still waits for a decision, the oldest first: row, action and title.
///
/// # Errors
/// If the database can't be reached.
pub async fn also_waiting(
    conn: &mut PgConnection,
    id: PushDeviceId,
    but: ActionId,
    now: Instant,
) -> DbResult<Vec<(i64, String)>> {
    let rows = sqlx::query!(
        "select o.outbox_id, a.title from outbox o join action a using (action_id)
         where o.push_device_id = $1 and o.done_at is null and o.state in ('pending', 'retry') and o.action_id <> $2
           and (o.leased_until is null or o.leased_until <= $3) and a.status = 'pending' and a.expires_at > $3
         order by o.outbox_id limit 2000",
        id.uuid(),
        but.uuid(),
        now,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.outbox_id, row.title)).collect())
}

/// Closes rows whose content was told with another one; whoever calls this has locked them, in their order.
///
/// # Errors
/// If the database can't be reached.
pub async fn close_told(conn: &mut PgConnection, rows: &[i64], now: Instant) -> DbResult<()> {
    sqlx::query!(
        "update outbox set state = 'gone', last_error = 'it was told with others', done_at = $2, leased_until = null
         where outbox_id = any($1) and state in ('pending', 'retry')",
        rows,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down how telling a device went. A device that its push service does not know any more is forgotten.
///
/// # Errors
/// If the database can't be reached.
pub async fn note(
    conn: &mut PgConnection,
    id: PushDeviceId,
    outcome: &Outcome,
    now: Instant,
) -> DbResult<()> {
    let id: Uuid = id.uuid();
    sqlx::query!(
        "update push_device set
           last_told_at = case when $2 then $5 else last_told_at end,
           fail_count = case when $2 then 0 when $3 then fail_count + 1 else fail_count end,
           last_error = case when $2 then null when $3 then $4 else last_error end
         where push_device_id = $1",
        id,
        matches!(outcome, Outcome::Delivered { .. }),
        outcome.is_failure(),
        outcome.reason(),
        now,
    )
    .execute(&mut *conn)
    .await?;
    if matches!(outcome, Outcome::Gone { .. }) {
        sqlx::query!(
            "update push_device set gone_at = $2, endpoint = null, p256dh = null, auth = null
             where push_device_id = $1 and gone_at is null",
            id,
            now,
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}
