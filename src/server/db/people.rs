//! Reviewers, their memberships, and the link that makes the first one.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{ProjectId, ReviewerId};
use crate::domain::text::Email;

/// A reviewer in the project they work in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Which person.
    pub id: ReviewerId,
    /// Their address.
    pub email: String,
    /// Their name.
    pub name: String,
    /// The project they work in.
    pub project: ProjectId,
    /// That project's name.
    pub project_name: String,
    /// Whether they may change settings.
    pub is_admin: bool,
    /// Since when they can't sign in.
    pub disabled_at: Option<Instant>,
}

struct MemberRow {
    reviewer_id: sqlx::types::Uuid,
    email: String,
    name: String,
    project_id: sqlx::types::Uuid,
    project_name: String,
    role: String,
    disabled_at: Option<Instant>,
}

impl From<MemberRow> for Member {
    fn from(row: MemberRow) -> Self {
        Self {
            id: ReviewerId::from_uuid(row.reviewer_id),
            email: row.email,
            name: row.name,
            project: ProjectId::from_uuid(row.project_id),
            project_name: row.project_name,
            is_admin: row.role == "admin",
            disabled_at: row.disabled_at,
        }
    }
}

/// A reviewer who may act: not disabled, with the project they joined first.
///
/// # Errors
/// If the database can't be reached.
pub async fn active_member(conn: &mut PgConnection, id: ReviewerId) -> DbResult<Option<Member>> {
    let row = sqlx::query_as!(
        MemberRow,
        "select r.reviewer_id, r.email, r.name, p.project_id, p.name as project_name, m.role, r.disabled_at
         from reviewer r join membership m using (reviewer_id) join project p using (project_id)
         where r.reviewer_id = $1 and r.disabled_at is null
         order by m.created_at limit 1",
        id.uuid(),
    );
    Ok(row.fetch_optional(conn).await?.map(Member::from))
}

/// Everybody of a project, in the order of their joining.
///
/// # Errors
/// If the database can't be reached.
pub async fn list(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<Member>> {
    let rows = sqlx::query_as!(
        MemberRow,
        "select r.reviewer_id, r.email, r.name, p.project_id, p.name as project_name, m.role, r.disabled_at
         from membership m join reviewer r using (reviewer_id) join project p using (project_id)
         where m.project_id = $1 order by m.created_at, r.reviewer_id",
        project.uuid(),
    );
    Ok(rows.fetch_all(conn).await?.into_iter().map(Member::from).collect())
}

/// The id and password hash behind an address, disabled accounts left out.
///
/// # Errors
/// If the database can't be reached.
pub async fn password_hash(conn: &mut PgConnection, email: &Email) -> DbResult<Option<(ReviewerId, String)>> {
    let row = sqlx::query!(
        "select reviewer_id, password_hash from reviewer where lower(email) = $1 and disabled_at is null",
        email.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (ReviewerId::from_uuid(row.reviewer_id), row.password_hash)))
}

/// Whether anybody has an account.
///
/// # Errors
/// If the database can't be reached.
pub async fn any(conn: &mut PgConnection) -> DbResult<bool> {
    sqlx::query_scalar!(r#"select exists (select from reviewer) as "any!""#).fetch_one(conn).await
}

/// Stores a new reviewer as a member of a project; `false` if the address is taken.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(
    conn: &mut PgConnection,
    member: &Member,
    password_hash: &str,
    now: Instant,
) -> DbResult<bool> {
    let stored = sqlx::query!(
        "insert into reviewer (reviewer_id, email, name, password_hash, created_at) values ($1, $2, $3, $4, $5)
         on conflict do nothing",
        member.id.uuid(),
        member.email,
        member.name,
        password_hash,
        now,
    )
    .execute(&mut *conn)
    .await?;
    if stored.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!(
        "insert into membership (project_id, reviewer_id, role, created_at) values ($1, $2, $3, $4)",
        member.project.uuid(),
        member.id.uuid(),
        if member.is_admin { "admin" } else { "reviewer" },
        now,
    )
    .execute(conn)
    .await?;
    Ok(true)
}

/// Disables the account behind an address; says whose, or nothing if there is none to disable.
///
/// # Errors
/// If the database can't be reached.
pub async fn disable(
    conn: &mut PgConnection,
    email: &Email,
    now: Instant,
) -> DbResult<Option<(ReviewerId, String)>> {
    let row = sqlx::query!(
        "update reviewer set disabled_at = $2 where lower(email) = $1 and disabled_at is null
         returning reviewer_id, name",
        email.as_str(),
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| (ReviewerId::from_uuid(row.reviewer_id), row.name)))
}

/// Whether a project has an administrator who can sign in, other than the one with this address.
///
/// # Errors
/// If the database can't be reached.
pub async fn another_admin(
    conn: &mut PgConnection,
    project: ProjectId,
    except: Option<&Email>,
) -> DbResult<bool> {
    sqlx::query_scalar!(
        r#"select exists (
             select from membership m join reviewer r using (reviewer_id)
             where m.project_id = $1 and m.role = 'admin' and r.disabled_at is null
               and lower(r.email) is distinct from $2)
           as "any!""#,
        project.uuid(),
        except.map(Email::as_str),
    )
    .fetch_one(conn)
    .await
}

/// Makes concurrent set-ups take turns until the end of the transaction.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock_setup(conn: &mut PgConnection) -> DbResult<()> {
    sqlx::query!("lock table setup_link in exclusive mode").execute(conn).await?;
    Ok(())
}

/// Replaces the set-up link.
///
/// # Errors
/// If the database can't be reached.
pub async fn replace_setup_link(
    conn: &mut PgConnection,
    token_sha256: &[u8; 32],
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "insert into setup_link (token_sha256, created_at) values ($1, $2)
         on conflict (only_one) do update set token_sha256 = excluded.token_sha256, created_at = excluded.created_at",
        token_sha256.as_slice(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the set-up link away if it has this digest; says whether it had.
///
/// # Errors
/// If the database can't be reached.
pub async fn take_setup_link(conn: &mut PgConnection, token_sha256: &[u8; 32]) -> DbResult<bool> {
    let done = sqlx::query!("delete from setup_link where token_sha256 = $1", token_sha256.as_slice());
    Ok(done.execute(conn).await?.rows_affected() == 1)
}
