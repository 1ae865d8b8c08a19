//! What changes about a channel besides its settings: whose turn it is to speak, how it does and whether it is heard, and
//! the key of its secrets.

use sqlx::PgConnection;

use crate::domain::Instant;
use crate::domain::channel::UNHEARD;
use crate::domain::delivery::Outcome;
use crate::domain::ids::{ChannelId, ProjectId};
use crate::server::db::DbResult;

/// Everything that is sealed, for whoever seals it anew; nobody changes it until the transaction ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn sealed(conn: &mut PgConnection) -> DbResult<Vec<(ChannelId, String)>> {
    let rows = sqlx::query!(
        r#"select channel_id, secrets as "secrets!" from notification_channel where secrets is not null
           order by channel_id for no key update"#
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (ChannelId::from_uuid(row.channel_id), row.secrets)).collect())
}

/// Stores what was sealed anew.
///
/// # Errors
/// If the database can't be reached.
pub async fn reseal(conn: &mut PgConnection, id: ChannelId, sealed: &str) -> DbResult<()> {
    sqlx::query!("update notification_channel set secrets = $2 where channel_id = $1", id.uuid(), sealed)
        .execute(conn)
        .await?;
    Ok(())
}

/// Takes the right to send to a channel until `until`. False if another server sends, or there is no such channel.
///
/// # Errors
/// If the database can't be reached.
pub async fn occupy(conn: &mut PgConnection, id: ChannelId, now: Instant, until: Instant) -> DbResult<bool> {
    let done = sqlx::query!(
        "update notification_channel set busy_until = $3
         where channel_id = $1 and (busy_until is null or busy_until <= $2)",
        id.uuid(),
        now,
        until,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes down how an attempt went, and lets others send; `until` says whose turn it was. That something arrived says
/// nothing of whether people are heard.
///
/// # Errors
/// If the database can't be reached.
pub async fn note(
    conn: &mut PgConnection,
    id: ChannelId,
    until: Option<Instant>,
    outcome: &Outcome,
    now: Instant,
) -> DbResult<()> {
    let arrived = matches!(outcome, Outcome::Delivered { .. } | Outcome::Gone { .. });
    sqlx::query!(
        "update notification_channel set
           busy_until = case when busy_until = $2 then null else busy_until end,
           last_fired_at = case when $3 then $6 else last_fired_at end,
           last_failed_at = case when $4 then $6 else last_failed_at end,
           fail_count = case when $3 then case when starts_with(last_error, $7) then fail_count else 0 end
             when $4 then fail_count + 1 else fail_count end,
           last_error = case when $3 then case when starts_with(last_error, $7) then last_error end
             when $4 then $5 else last_error end
         where channel_id = $1",
        id.uuid(),
        until,
        arrived,
        outcome.is_failure(),
        outcome.reason(),
        now,
        UNHEARD,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down that nothing is heard from a channel, or without a reason that it is heard again. What could not be sent is
/// written over by neither: whoever asks for this may have looked at the channel some time ago.
///
/// # Errors
/// If the database can't be reached.
pub async fn note_hearing(
    conn: &mut PgConnection,
    id: ChannelId,
    trouble: Option<&str>,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "update notification_channel set
           last_failed_at = case when $2::text is null then last_failed_at else $3 end,
           fail_count = case when $2::text is null then 0 else fail_count + 1 end,
           last_error = $2
         where channel_id = $1 and deleted_at is null and last_error is distinct from $2
           and (last_error is null or starts_with(last_error, $4))",
        id.uuid(),
        trouble,
        now,
        UNHEARD,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How many messages wait for each channel of a project.
///
/// # Errors
/// If the database can't be reached.
pub async fn queues(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<(ChannelId, i64)>> {
    let rows = sqlx::query!(
        r#"select o.channel_id as "channel_id!", count(*) as "count!" from outbox o
           where o.channel_id in (select channel_id from notification_channel where project_id = $1)
             and o.state in ('pending', 'retry')
           group by 1"#,
        project.uuid(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (ChannelId::from_uuid(row.channel_id), row.count)).collect())
}
