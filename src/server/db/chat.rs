//! Accounts on chat platforms, the codes that link them, questions asked there, and who holds a connection.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ChannelId, ReviewerId};

/// An account on a chat platform that stands for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatAccount {
    /// Which platform.
    pub platform: String,
    /// What the platform calls it.
    pub user: String,
    /// Its name there when it was linked.
    pub name: String,
    /// When it was linked.
    pub linked_at: Instant,
}

/// For whom an account stands.
///
/// # Errors
/// If the database can't be reached.
pub async fn person_of(conn: &mut PgConnection, platform: &str, user: &str) -> DbResult<Option<ReviewerId>> {
    let id = sqlx::query_scalar!(
        "select reviewer_id from chat_account where platform = $1 and platform_user = $2",
        platform,
        user
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(ReviewerId::from_uuid))
}

/// The accounts that stand for a person.
///
/// # Errors
/// If the database can't be reached.
pub async fn accounts_of(conn: &mut PgConnection, person: ReviewerId) -> DbResult<Vec<ChatAccount>> {
    sqlx::query_as!(
        ChatAccount,
        r#"select platform, platform_user as "user", name, linked_at from chat_account
           where reviewer_id = $1 order by linked_at, platform, platform_user"#,
        person.uuid(),
    )
    .fetch_all(conn)
    .await
}

/// Has an account stand for a person, and for nobody else.
///
/// # Errors
/// If the database can't be reached.
pub async fn link(conn: &mut PgConnection, person: ReviewerId, account: &ChatAccount) -> DbResult<()> {
    sqlx::query!(
        "insert into chat_account (platform, platform_user, reviewer_id, name, linked_at) values ($1, $2, $3, $4, $5)
         on conflict (platform, platform_user) do update set reviewer_id = excluded.reviewer_id, name = excluded.name,
           linked_at = excluded.linked_at",
        account.platform,
        account.user,
        person.uuid(),
        account.name,
        account.linked_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends that an account stands for a person. Says what its name was.
///
/// # Errors
/// If the database can't be reached.
pub async fn unlink(
    conn: &mut PgConnection,
    person: ReviewerId,
    platform: &str,
    user: &str,
) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "delete from chat_account where reviewer_id = $1 and platform = $2 and platform_user = $3 returning name",
        person.uuid(),
        platform,
        user,
    )
    .fetch_optional(conn)
    .await
}

/// Stores a code that links an account to a person; others of theirs for the platform are worth nothing any more.
///
/// # Errors
/// If the database can't be reached.
pub async fn put_code(
    conn: &mut PgConnection,
    person: ReviewerId,
    platform: &str,
    digest: &[u8],
    expires_at: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "delete from chat_code where (reviewer_id = $1 and platform = $2) or expires_at < $3::timestamptz - interval '1 day'",
        person.uuid(),
        platform,
        expires_at,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into chat_code (code_sha256, reviewer_id, platform, expires_at) values ($1, $2, $3, $4)",
        digest,
        person.uuid(),
        platform,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Uses a code, once. Says whose it is.
///
/// # Errors
/// If the database can't be reached.
pub async fn use_code(
    conn: &mut PgConnection,
    platform: &str,
    digest: &[u8],
    now: Instant,
) -> DbResult<Option<ReviewerId>> {
    let id = sqlx::query_scalar!(
        "update chat_code set used_at = $3
         where code_sha256 = $1 and platform = $2 and used_at is null and expires_at > $3 returning reviewer_id",
        digest,
        platform,
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(ReviewerId::from_uuid))
}

/// Stores that somebody was asked for the reason of a rejection.
///
/// # Errors
/// If the database can't be reached.
pub async fn ask(
    conn: &mut PgConnection,
    channel: ChannelId,
    reference: &str,
    action: ActionId,
    user: &str,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "insert into chat_question (channel_id, reference, action_id, platform_user, asked_at)
         values ($1, $2, $3, $4, $5) on conflict do nothing",
        channel.uuid(),
        reference,
        action.uuid(),
        user,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A question that was asked in a channel.
#[derive(Debug, Clone)]
pub struct Question {
    /// About which action.
    pub action: ActionId,
    /// Whom.
    pub user: String,
    /// Whether it was answered.
    pub is_answered: bool,
}

/// The question that a message asked.
///
/// # Errors
/// If the database can't be reached.
pub async fn question(
    conn: &mut PgConnection,
    channel: ChannelId,
    reference: &str,
) -> DbResult<Option<Question>> {
    let row = sqlx::query!(
        "select action_id, platform_user, answered_at from chat_question where channel_id = $1 and reference = $2",
        channel.uuid(),
        reference,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Question {
        action: ActionId::from_uuid(row.action_id),
        user: row.platform_user,
        is_answered: row.answered_at.is_some(),
    }))
}

/// Notes that a question was answered.
///
/// # Errors
/// If the database can't be reached.
pub async fn answered(
    conn: &mut PgConnection,
    channel: ChannelId,
    reference: &str,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "update chat_question set answered_at = $3 where channel_id = $1 and reference = $2",
        channel.uuid(),
        reference,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes or keeps a connection until `until`; says how far its news were read. None if somebody else holds it.
///
/// # Errors
/// If the database can't be reached.
pub async fn hold(
    conn: &mut PgConnection,
    name: &str,
    holder: Uuid,
    now: Instant,
    until: Instant,
) -> DbResult<Option<i64>> {
    sqlx::query_scalar!(
        "insert into connection_lease as l (name, holder, held_until) values ($1, $2, $4)
         on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
         where l.holder = $2 or l.held_until <= $3
         returning cursor",
        name,
        holder,
        now,
        until,
    )
    .fetch_optional(conn)
    .await
}

/// Stores how far the news of a connection were read, and keeps it until `until`. False if somebody else has it.
///
/// # Errors
/// If the database can't be reached.
pub async fn advance(
    conn: &mut PgConnection,
    name: &str,
    holder: Uuid,
    cursor: i64,
    until: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "update connection_lease set cursor = greatest(cursor, $3), held_until = greatest(held_until, $4)
         where name = $1 and holder = $2",
        name,
        holder,
        cursor,
        until,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Lets others have a connection.
///
/// # Errors
/// If the database can't be reached.
pub async fn let_go(conn: &mut PgConnection, name: &str, holder: Uuid, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "update connection_lease set held_until = $3 where name = $1 and holder = $2",
        name,
        holder,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
