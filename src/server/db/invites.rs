//! Links that make accounts.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::ids::{InviteId, ProjectId, ReviewerId};
use crate::domain::role::Role;

/// A link that nobody has used.
#[derive(Debug, Clone)]
pub struct OpenInvite {
    /// Its name.
    pub id: InviteId,
    /// Which project one joins with it.
    pub project: ProjectId,
    /// That project's name.
    pub project_name: String,
    /// The address that the account gets, if the maker said so.
    pub email: Option<String>,
    /// What one may do then.
    pub role: Role,
    /// Who made it.
    pub made_by: ReviewerId,
    /// Their name.
    pub made_by_name: String,
    /// Until when it works.
    pub expires_at: Instant,
}

struct InviteRow {
    invite_id: sqlx::types::Uuid,
    project_id: sqlx::types::Uuid,
    project_name: String,
    email: Option<String>,
    role: String,
    made_by: sqlx::types::Uuid,
    made_by_name: String,
    expires_at: Instant,
}

impl InviteRow {
    fn into_invite(self) -> DbResult<OpenInvite> {
        Ok(OpenInvite {
            id: InviteId::from_uuid(self.invite_id),
            project: ProjectId::from_uuid(self.project_id),
            project_name: self.project_name,
            email: self.email,
            role: Role::from_text(&self.role).ok_or(corrupt("invite.role"))?,
            made_by: ReviewerId::from_uuid(self.made_by),
            made_by_name: self.made_by_name,
            expires_at: self.expires_at,
        })
    }
}

/// Selects open invites; the argument continues the statement in its `where`.
macro_rules! select_invite {
    ($tail:literal $(, $arg:expr)* $(,)?) => {
        sqlx::query_as!(
            InviteRow,
            "select i.invite_id, i.project_id, p.name as project_name, i.email, i.role, i.made_by,
               r.name as made_by_name, i.expires_at
             from invite i join project p using (project_id) join reviewer r on r.reviewer_id = i.made_by
             where i.used_at is null and i.withdrawn_at is null and " + $tail
            $(, $arg)*
        )
    };
}

/// Stores a new link by the digest of its token.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(
    conn: &mut PgConnection,
    invite: &OpenInvite,
    token_sha256: &[u8; 32],
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "insert into invite (invite_id, project_id, token_sha256, email, role, made_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        invite.id.uuid(),
        invite.project.uuid(),
        token_sha256.as_slice(),
        invite.email,
        invite.role.as_str(),
        invite.made_by.uuid(),
        now,
        invite.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The links of a project that work at `now`, oldest first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn list(conn: &mut PgConnection, project: ProjectId, now: Instant) -> DbResult<Vec<OpenInvite>> {
    let rows = select_invite!(
        "i.project_id = $1 and i.expires_at > $2 order by i.created_at, i.invite_id",
        project.uuid(),
        now,
    );
    rows.fetch_all(conn).await?.into_iter().map(InviteRow::into_invite).collect()
}

/// The link with this digest, if it works at `now`.
///
/// # Errors
/// As [`list`].
pub async fn by_token(
    conn: &mut PgConnection,
    token_sha256: &[u8; 32],
    now: Instant,
) -> DbResult<Option<OpenInvite>> {
    let row = select_invite!("i.token_sha256 = $1 and i.expires_at > $2", token_sha256.as_slice(), now);
    row.fetch_optional(conn).await?.map(InviteRow::into_invite).transpose()
}

/// Uses a link for an account; says whether it could still be used.
///
/// # Errors
/// If the database can't be reached.
pub async fn take(
    conn: &mut PgConnection,
    id: InviteId,
    used_by: ReviewerId,
    now: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "update invite set used_at = $3, used_by = $2
         where invite_id = $1 and used_at is null and withdrawn_at is null and expires_at > $3",
        id.uuid(),
        used_by.uuid(),
        now,
    );
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Withdraws a link; says whether there was one to withdraw.
///
/// # Errors
/// If the database can't be reached.
pub async fn withdraw(
    conn: &mut PgConnection,
    project: ProjectId,
    id: InviteId,
    now: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "update invite set withdrawn_at = $3
         where invite_id = $1 and project_id = $2 and used_at is null and withdrawn_at is null",
        id.uuid(),
        project.uuid(),
        now,
    );
    Ok(done.execute(conn).await?.rows_affected() == 1)
}

/// Withdraws every link that somebody made and nobody has used.
///
/// # Errors
/// If the database can't be reached.
pub async fn withdraw_all_of(conn: &mut PgConnection, made_by: ReviewerId, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "update invite set withdrawn_at = $2 where made_by = $1 and used_at is null and withdrawn_at is null",
        made_by.uuid(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
