//! Reviewers and their memberships, as they are read; [`super::accounts`] changes them.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::audit::Actor;
use crate::domain::ids::{ProjectId, ReviewerId, SessionId};
use crate::domain::preferences::{Preferences, Theme};
use crate::domain::role::Role;
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
    /// That project's time zone.
    pub project_time_zone: String,
    /// What they may do there.
    pub role: Role,
    /// How they want the pages to be.
    pub preferences: Preferences,
    /// When they joined the project.
    pub joined_at: Instant,
    /// When they were last seen, to the minute; in the session that they came with, if they were read by one.
    pub last_seen_at: Option<Instant>,
    /// Since when they can't sign in.
    pub disabled_at: Option<Instant>,
}

impl Member {
    /// The person as the history names them.
    pub fn actor(&self) -> Actor {
        Actor::Reviewer { id: self.id, name: self.name.clone() }
    }
}

struct MemberRow {
    reviewer_id: sqlx::types::Uuid,
    email: String,
    name: String,
    project_id: sqlx::types::Uuid,
    project_name: String,
    project_time_zone: String,
    role: String,
    theme: String,
    shortcuts: bool,
    time_zone: Option<String>,
    joined_at: Instant,
    last_seen_at: Option<Instant>,
    disabled_at: Option<Instant>,
}

impl MemberRow {
    fn into_member(self) -> DbResult<Member> {
        Ok(Member {
            id: ReviewerId::from_uuid(self.reviewer_id),
            email: self.email,
            name: self.name,
            project: ProjectId::from_uuid(self.project_id),
            project_name: self.project_name,
            project_time_zone: self.project_time_zone,
            role: Role::from_text(&self.role).ok_or(corrupt("membership.role"))?,
            preferences: Preferences {
                theme: Theme::from_text(&self.theme).ok_or(corrupt("reviewer.theme"))?,
                shortcuts: self.shortcuts,
                time_zone: self.time_zone,
            },
            joined_at: self.joined_at,
            last_seen_at: self.last_seen_at,
            disabled_at: self.disabled_at,
        })
    }
}

/// Selects members: when they were last seen, and how the statement continues after its `from`.
macro_rules! select_member {
    ($seen:literal, $tail:literal $(, $arg:expr)* $(,)?) => {
        sqlx::query_as!(
            MemberRow,
            "select r.reviewer_id, r.email, r.name, p.project_id, p.name as project_name,
               p.timezone as project_time_zone, m.role, r.theme, r.shortcuts, r.time_zone,
               m.created_at as joined_at, r.disabled_at, " + $seen + " as last_seen_at
             from reviewer r join membership m using (reviewer_id) join project p using (project_id) " + $tail
            $(, $arg)*
        )
    };
}

/// A reviewer who may act: not disabled, with the project they joined first.
///
/// # Errors
/// If the database can't be reached or the row is corrupt.
pub async fn active_member(conn: &mut PgConnection, id: ReviewerId) -> DbResult<Option<Member>> {
    let row = select_member!(
        "r.last_seen_at",
        "where r.reviewer_id = $1 and r.disabled_at is null order by m.created_at limit 1",
        id.uuid(),
    );
    row.fetch_optional(conn).await?.map(MemberRow::into_member).transpose()
}

/// The reviewer who is signed in with a session that lasts at `now`, if they may act.
///
/// # Errors
/// As [`active_member`].
pub async fn by_session(
    conn: &mut PgConnection,
    session: SessionId,
    now: Instant,
) -> DbResult<Option<Member>> {
    let row = select_member!(
        "s.last_seen_at",
        "join reviewer_session s using (reviewer_id)
         where s.reviewer_session_id = $1 and s.expires_at > $2 and r.disabled_at is null
         order by m.created_at limit 1",
        session.uuid(),
        now,
    );
    row.fetch_optional(conn).await?.map(MemberRow::into_member).transpose()
}

/// Everybody of a project, in the order of their joining.
///
/// # Errors
/// As [`active_member`].
pub async fn list(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<Member>> {
    let rows = select_member!(
        "r.last_seen_at",
        "where m.project_id = $1 order by m.created_at, r.reviewer_id",
        project.uuid()
    );
    rows.fetch_all(conn).await?.into_iter().map(MemberRow::into_member).collect()
}

/// One person of a project, disabled ones included.
///
/// # Errors
/// As [`active_member`].
pub async fn get(conn: &mut PgConnection, project: ProjectId, id: ReviewerId) -> DbResult<Option<Member>> {
    let row = select_member!(
        "r.last_seen_at",
        "where m.project_id = $1 and r.reviewer_id = $2",
        project.uuid(),
        id.uuid()
    );
    row.fetch_optional(conn).await?.map(MemberRow::into_member).transpose()
}

/// The person of a project behind an address, disabled ones included.
///
/// # Errors
/// As [`active_member`].
pub async fn by_email(
    conn: &mut PgConnection,
    project: ProjectId,
    email: &Email,
) -> DbResult<Option<Member>> {
    let row = select_member!(
        "r.last_seen_at",
        "where m.project_id = $1 and lower(r.email) = $2",
        project.uuid(),
        email.as_str()
    );
    row.fetch_optional(conn).await?.map(MemberRow::into_member).transpose()
}

/// What somebody may do in a project; nothing if they are disabled or not of it.
///
/// # Errors
/// As [`active_member`].
pub async fn role(conn: &mut PgConnection, project: ProjectId, id: ReviewerId) -> DbResult<Option<Role>> {
    let text = sqlx::query_scalar!(
        "select m.role from membership m join reviewer r using (reviewer_id)
         where m.project_id = $1 and r.reviewer_id = $2 and r.disabled_at is null",
        project.uuid(),
        id.uuid(),
    );
    let text = text.fetch_optional(conn).await?;
    text.map(|text| Role::from_text(&text).ok_or(corrupt("membership.role"))).transpose()
}

/// The same, for as long as the transaction lasts: who takes the role away or disables them meanwhile waits for its end.
///
/// # Errors
/// As [`active_member`].
pub async fn hold_role(
    conn: &mut PgConnection,
    project: ProjectId,
    id: ReviewerId,
) -> DbResult<Option<Role>> {
    let text = sqlx::query_scalar!(
        "select m.role from membership m join reviewer r using (reviewer_id)
         where m.project_id = $1 and r.reviewer_id = $2 and r.disabled_at is null for share",
        project.uuid(),
        id.uuid(),
    );
    let text = text.fetch_optional(conn).await?;
    text.map(|text| Role::from_text(&text).ok_or(corrupt("membership.role"))).transpose()
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

/// The same, held until the end of the transaction: nobody gives the account another password or disables it meanwhile.
///
/// # Errors
/// If the database can't be reached.
pub async fn hold_password_hash(conn: &mut PgConnection, id: ReviewerId) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "select password_hash from reviewer where reviewer_id = $1 and disabled_at is null for no key update",
        id.uuid(),
    )
    .fetch_optional(conn)
    .await
}

/// The password hash of an account that may act.
///
/// # Errors
/// If the database can't be reached.
pub async fn password_hash_of(conn: &mut PgConnection, id: ReviewerId) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "select password_hash from reviewer where reviewer_id = $1 and disabled_at is null",
        id.uuid(),
    )
    .fetch_optional(conn)
    .await
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
        member.role.as_str(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(true)
}

/// Whether a project has an administrator who can sign in, other than `except`.
///
/// # Errors
/// If the database can't be reached.
pub async fn another_admin(
    conn: &mut PgConnection,
    project: ProjectId,
    except: Option<ReviewerId>,
) -> DbResult<bool> {
    sqlx::query_scalar!(
        r#"select exists (
             select from membership m join reviewer r using (reviewer_id)
             where m.project_id = $1 and m.role = 'admin' and r.disabled_at is null
               and r.reviewer_id is distinct from $2)
           as "any!""#,
        project.uuid(),
        except.map(ReviewerId::uuid),
    )
    .fetch_one(conn)
    .await
}
