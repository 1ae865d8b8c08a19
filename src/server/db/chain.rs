//! The chain of a project as whoever verifies it reads it: links with the events that they seal, whatever became of
//! either. Nothing here takes what is stored for true.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::DbResult;
use super::seals::FactRow;
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ProjectId};
use crate::domain::seal::StoredFact;

/// One link, and what it seals.
#[derive(Debug, Clone)]
pub struct StoredLink {
    /// Its place.
    pub seq: i64,
    /// The number of its event.
    pub event_id: i64,
    /// The event, if it is there.
    pub fact: Option<StoredFact>,
    /// The digest of the event.
    pub digest: Vec<u8>,
    /// The digest of what can be erased.
    pub erasable: Vec<u8>,
    /// Its salt, until then.
    pub salt: Option<Vec<u8>>,
    /// The hash.
    pub hash: Vec<u8>,
    /// When it was sealed, in the form that is hashed.
    pub sealed_at: String,
    /// When its particulars were erased.
    pub erased_at: Option<Instant>,
}

/// The next links of a chain after a place, up to another.
///
/// # Errors
/// If the database can't be reached.
pub async fn links(
    conn: &mut PgConnection,
    project: ProjectId,
    after: i64,
    last: i64,
    limit: i64,
) -> DbResult<Vec<StoredLink>> {
    let rows = sqlx::query_as!(
        LinkRow,
        r#"select s.seq, s.event_id, s.digest, s.erasable_sha256, s.salt, s.hash, s.erased_at,
             audit_instant(s.sealed_at) as "sealed_at!",
             audit_instant(e.at) as at,
             e.project_id as "project_id?", e.kind as "kind?", e.action_id as "action_id?",
             e.actor_kind as "actor_kind?", e.actor_id as "actor_id?", e.actor_name as "actor_name?",
             e.channel as "channel?", e.data as "data?"
           from audit_seal s left join audit_event e using (event_id)
           where s.project_id = $1 and s.seq > $2 and s.seq <= $3
           order by s.seq limit $4"#,
        project.uuid(),
        after,
        last,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(LinkRow::into_link).collect())
}

struct LinkRow {
    seq: i64,
    event_id: i64,
    digest: Vec<u8>,
    erasable_sha256: Vec<u8>,
    salt: Option<Vec<u8>>,
    hash: Vec<u8>,
    erased_at: Option<Instant>,
    sealed_at: String,
    at: Option<String>,
    project_id: Option<Uuid>,
    kind: Option<String>,
    action_id: Option<Uuid>,
    actor_kind: Option<String>,
    actor_id: Option<Uuid>,
    actor_name: Option<String>,
    channel: Option<String>,
    data: Option<serde_json::Value>,
}

impl LinkRow {
    fn into_link(self) -> StoredLink {
        // An event is there if its project is: no column of it that is read here but the two ids may be null.
        let fact = self.project_id.map(|project| StoredFact {
            id: self.event_id,
            project: ProjectId::from_uuid(project),
            at: self.at.unwrap_or_default(),
            kind: self.kind.unwrap_or_default(),
            action: self.action_id.map(ActionId::from_uuid),
            actor_kind: self.actor_kind.unwrap_or_default(),
            actor_id: self.actor_id,
            actor_name: self.actor_name.unwrap_or_default(),
            channel: self.channel.unwrap_or_default(),
            data: self.data.unwrap_or_default(),
        });
        StoredLink {
            seq: self.seq,
            event_id: self.event_id,
            fact,
            digest: self.digest,
            erasable: self.erasable_sha256,
            salt: self.salt,
            hash: self.hash,
            sealed_at: self.sealed_at,
            erased_at: self.erased_at,
        }
    }
}

/// The record of an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Its place in the chain.
    pub seq: i64,
    /// When it was done.
    pub at: Instant,
    /// The same in the form that is hashed.
    pub at_text: String,
    /// Who did it.
    pub by: String,
}

/// The records of all erasures in a project, oldest first.
///
/// # Errors
/// If the database can't be reached.
pub async fn erasures(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<ErasureRecord>> {
    sqlx::query_as!(
        ErasureRecord,
        r#"select s.seq, legible_instant(e.at) as "at!", audit_instant(e.at) as "at_text!",
             e.actor_name as by
           from audit_event e join audit_seal s using (event_id)
           where e.project_id = $1 and s.project_id = $1 and e.kind = 'gdpr.erase' order by s.seq"#,
        project.uuid(),
    )
    .fetch_all(conn)
    .await
}

/// The places of the first and the last event of a chain that happened in a span of time, that is, before `until`.
/// Without an event in it there is none.
///
/// # Errors
/// If the database can't be reached.
pub async fn range(
    conn: &mut PgConnection,
    project: ProjectId,
    since: Option<Instant>,
    until: Option<Instant>,
) -> DbResult<Option<(i64, i64)>> {
    let row = sqlx::query!(
        r#"select min(s.seq) as first, max(s.seq) as last
           from audit_seal s left join audit_event e using (event_id)
           where s.project_id = $1
             and ($2::timestamptz is null or e.at >= $2) and ($3::timestamptz is null or e.at < $3)"#,
        project.uuid(),
        since,
        until,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.first.zip(row.last))
}

/// An event that no seal of its project names although the sealer has passed it, which an event that this program
/// writes never is.
///
/// # Errors
/// If the database can't be reached.
pub async fn stray(conn: &mut PgConnection, project: ProjectId) -> DbResult<Option<StoredFact>> {
    let first = sqlx::query_as!(
        FactRow,
        r#"select e.event_id, e.project_id, e.kind, e.action_id, e.actor_kind, e.actor_id, e.actor_name, e.channel,
             e.data, audit_instant(e.at) as "at!"
           from audit_event e
           where e.project_id = $1
             and (e.event_id < 1 or e.event_id <= (select coalesce(max(z.settled_to), 0) from audit_sealer z)
                  or exists (select from audit_seal o where o.event_id = e.event_id and o.project_id <> $1))
             and not exists (select from audit_seal s where s.project_id = $1 and s.event_id = e.event_id)
           order by e.event_id limit 1"#,
        project.uuid(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(first.map(FactRow::into_fact))
}

/// Events that wait for the sealer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub number: i64,
    /// How many of them did not happen a moment before now, and the number of the first of those.
    pub late: Option<(i64, i64)>,
}

/// How many events wait for the sealer; those that happened within `patience` before `now` are not late.
///
/// # Errors
/// If the database can't be reached.
pub async fn waiting(
    conn: &mut PgConnection,
    project: ProjectId,
    now: Instant,
    patience: time::Duration,
) -> DbResult<Waiting> {
    let row = sqlx::query!(
        r#"select count(*) as "number!", count(*) filter (where is_late) as "late!",
             min(event_id) filter (where is_late) as first_late
           from (
             select e.event_id, e.at not between $2 and $3 as is_late
             from audit_event e cross join (select coalesce(max(settled_to), 0) as settled_to from audit_sealer) z
             where e.project_id = $1 and e.event_id > z.settled_to
               and not exists (select from audit_seal s where s.project_id = $1 and s.event_id > z.settled_to
                               and s.event_id = e.event_id)) w"#,
        project.uuid(),
        now - patience,
        now + patience,
    )
    .fetch_one(conn)
    .await?;
    Ok(Waiting { number: row.number, late: row.first_late.map(|first| (row.late, first)) })
}

/// When a place of a chain was sealed; the nearest instant that can be told, if it has none.
///
/// # Errors
/// If the database can't be reached.
pub async fn sealed_at(conn: &mut PgConnection, project: ProjectId, seq: i64) -> DbResult<Option<Instant>> {
    sqlx::query_scalar!(
        r#"select legible_instant(sealed_at) as "at!" from audit_seal where project_id = $1 and seq = $2"#,
        project.uuid(),
        seq,
    )
    .fetch_optional(conn)
    .await
}

/// Every project that has a part of the history, whether there still is such a project or not.
///
/// # Errors
/// If the database can't be reached.
pub async fn projects(conn: &mut PgConnection) -> DbResult<Vec<ProjectId>> {
    let ids = sqlx::query_scalar!(
        r#"with recursive sealed as (
             (select project_id from audit_seal order by project_id limit 1)
             union all
             select (select s.project_id from audit_seal s where s.project_id > sealed.project_id
                     order by s.project_id limit 1)
             from sealed where sealed.project_id is not null),
           happened as (
             (select project_id from audit_event order by project_id limit 1)
             union all
             select (select e.project_id from audit_event e where e.project_id > happened.project_id
                     order by e.project_id limit 1)
             from happened where happened.project_id is not null)
           select id as "id!" from (
             select project_id as id from project union select project_id from sealed
             union select project_id from happened union select project_id from audit_checkpoint) ids
           where id is not null order by id"#
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(ProjectId::from_uuid).collect())
}
