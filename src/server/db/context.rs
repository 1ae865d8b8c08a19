//! What was decided before that a decider may want to know: the latest of a kind, and the very same content.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::content::ContentDigest;
use crate::domain::decision::Verdict;
use crate::domain::ids::{ActionId, ProjectId, ReviewerId};

/// Of each status so many of the newest of a kind are looked at.
const RECENT: i64 = 50;
/// Longer texts than this, in bytes of body and payload together, are not compared.
const COMPARED_BYTES: i32 = 8_000;

/// An action that was decided before.
#[derive(Debug, Clone)]
pub struct PastAction {
    /// Which action.
    pub id: ActionId,
    /// Where it is in its life.
    pub status: Status,
    /// The action in one line, as it was proposed.
    pub title: String,
    /// Who proposed it.
    pub agent: String,
    /// The digest of what was proposed.
    pub content_sha256: ContentDigest,
    /// Body and payload as proposed, if they are short enough to be compared.
    pub text: Option<String>,
    /// Yes or no.
    pub verdict: Verdict,
    /// Who decided, if it was a person.
    pub reviewer: Option<ReviewerId>,
    /// The decider's name.
    pub decider: String,
    /// When.
    pub decided_at: Instant,
    /// Why.
    pub comment: Option<String>,
    /// How many values were edited.
    pub edits: u32,
    /// When its result was reported.
    pub result_at: Option<Instant>,
    /// The result in the agent's words.
    pub result_detail: Option<String>,
}

struct PastRow {
    action_id: Uuid,
    status: String,
    title: String,
    proposed_by_name: String,
    content_sha256: Vec<u8>,
    text: Option<String>,
    verdict: String,
    decider_kind: String,
    decider_id: Uuid,
    decider_name: String,
    decided_at: Instant,
    comment: Option<String>,
    edits: i32,
    result_at: Option<Instant>,
    result_detail: Option<String>,
}

impl PastRow {
    fn into_past(self) -> DbResult<PastAction> {
        Ok(PastAction {
            id: ActionId::from_uuid(self.action_id),
            status: Status::from_text(&self.status).ok_or(corrupt("action.status"))?,
            title: self.title,
            agent: self.proposed_by_name,
            content_sha256: ContentDigest::from_slice(&self.content_sha256)
                .ok_or(corrupt("action.content_sha256"))?,
            text: self.text,
            verdict: Verdict::from_text(&self.verdict).ok_or(corrupt("decision.verdict"))?,
            reviewer: (self.decider_kind == "reviewer").then(|| ReviewerId::from_uuid(self.decider_id)),
            decider: self.decider_name,
            decided_at: self.decided_at,
            comment: self.comment,
            edits: self.edits.unsigned_abs(),
            result_at: self.result_at,
            result_detail: self.result_detail,
        })
    }
}

/// Selects past actions; the argument continues the statement after its `from`, `$1` is the most bytes compared.
macro_rules! select_past {
    ($tail:literal $(, $arg:expr)* $(,)?) => {
        sqlx::query_as!(
            PastRow,
            r#"select a.action_id, a.status, a.title, a.proposed_by_name, a.content_sha256,
                 case when octet_length(a.preview_body) + coalesce(octet_length(a.payload::text), 0) <= $1
                   then a.preview_body || coalesce(a.payload::text, '') end as text,
                 d.verdict, d.decider_kind, d.decider_id, d.decider_name, d.decided_at, d.comment,
                 json_array_length(d.edits) as "edits!", a.result_at, left(a.result_detail, 500) as result_detail
               from action a join decision d using (action_id) "# + $tail,
            COMPARED_BYTES
            $(, $arg)*
        )
    };
}

/// The newest decided actions of a kind: up to `alike` of any agent, and up to `own` of this one. Newest decision first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn recent_of_kind(
    conn: &mut PgConnection,
    project: ProjectId,
    kind: &str,
    agent: &str,
    (alike, own): (i64, i64),
) -> DbResult<Vec<PastAction>> {
    let rows = select_past!(
        "join (
           with recent as materialized (
             select newest.action_id, newest.created_at, newest.proposed_by_name
             from unnest(array['approved', 'rejected', 'executed', 'execute_failed']) as decided (status)
             cross join lateral (
               select w.action_id, w.created_at, w.proposed_by_name from action w
               where w.project_id = $2 and w.kind = $3 and w.status = decided.status
               order by w.created_at desc, w.action_id desc limit $5) newest)
           (select action_id from recent order by created_at desc limit $6)
           union
           (select action_id from recent where proposed_by_name = $4 order by created_at desc limit $7)
         ) chosen using (action_id)
         order by d.decided_at desc, a.action_id desc",
        project.uuid(),
        kind,
        agent,
        RECENT,
        alike,
        own,
    );
    rows.fetch_all(conn).await?.into_iter().map(PastRow::into_past).collect()
}

/// For each of these contents the latest decision about it since `since`, if there was one.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn same_content(
    conn: &mut PgConnection,
    project: ProjectId,
    digests: &[ContentDigest],
    since: Instant,
) -> DbResult<Vec<PastAction>> {
    let digests: Vec<Vec<u8>> = digests.iter().map(|digest| digest.as_bytes().to_vec()).collect();
    let rows = select_past!(
        "join (
           select latest.action_id from unnest($2::bytea[]) as wanted (digest)
           cross join lateral (
             select e.action_id from decision e join action b using (action_id)
             where e.proposed_sha256 = wanted.digest and e.decided_at >= $3 and b.project_id = $4
             order by e.decided_at desc limit 1) latest
         ) chosen using (action_id)
         order by d.decided_at desc, a.action_id desc",
        &digests,
        since,
        project.uuid(),
    );
    rows.fetch_all(conn).await?.into_iter().map(PastRow::into_past).collect()
}
