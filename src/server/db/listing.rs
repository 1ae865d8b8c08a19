//! Lists of actions by keyset: a page costs the same wherever it starts.

use sqlx::PgConnection;

use super::actions::select_action;
use super::rows::ActionRow;
use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::action::{Action, Status};
use crate::domain::content::PreviewFormat;
use crate::domain::ids::{ActionId, KeyId, ProjectId};

/// How much of a preview's body a list needs, in characters: enough for one line after Markdown is stripped.
const HEAD_CHARS: i32 = 400;

/// An action as a list shows it.
#[derive(Debug, Clone)]
pub struct ListedAction {
    /// Which action.
    pub id: ActionId,
    /// The agent's vocabulary.
    pub kind: String,
    /// The action in one line.
    pub title: String,
    /// Who proposed it.
    pub agent: String,
    /// How to read the body.
    pub format: PreviewFormat,
    /// The beginning of the body.
    pub body_head: String,
    /// What the agent said of running it twice.
    pub idempotent: Option<bool>,
    /// Whether something may be edited.
    pub editable: bool,
    /// When it was proposed.
    pub created_at: Instant,
    /// When it stops waiting.
    pub expires_at: Instant,
}

/// The newest actions of a project that wait at `now`, after `before` if that is given.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn pending(
    conn: &mut PgConnection,
    project: ProjectId,
    now: Instant,
    before: Option<(Instant, ActionId)>,
    limit: i64,
) -> DbResult<Vec<ListedAction>> {
    let (before_at, before_id) = before.unzip();
    let rows = sqlx::query!(
        // Inside, the page is chosen; outside, its bodies are unpacked. In one step a plan that sorts would unpack the
        // body of every action that waits.
        r#"select action_id, kind, title, proposed_by_name, preview_format, left(preview_body, $6) as "body_head!",
             idempotent, cardinality(editable) > 0 as "editable!", created_at, expires_at
           from (
             select * from action
             where project_id = $1 and status = 'pending' and expires_at > $2
               and (created_at, action_id) < (coalesce($3, 'infinity'::timestamptz),
                 coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
             order by created_at desc, action_id desc limit $5) page
           order by created_at desc, action_id desc"#,
        project.uuid(),
        now,
        before_at,
        before_id.map(ActionId::uuid),
        limit,
        HEAD_CHARS,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ListedAction {
                id: ActionId::from_uuid(row.action_id),
                kind: row.kind,
                title: row.title,
                agent: row.proposed_by_name,
                format: PreviewFormat::from_text(&row.preview_format)
                    .ok_or(corrupt("action.preview_format"))?,
                body_head: row.body_head,
                idempotent: row.idempotent,
                editable: row.editable,
                created_at: row.created_at,
                expires_at: row.expires_at,
            })
        })
        .collect()
}

/// How many actions of a project wait at `now`, counted up to `cap`.
///
/// # Errors
/// If the database can't be reached.
pub async fn count_pending(
    conn: &mut PgConnection,
    project: ProjectId,
    now: Instant,
    cap: i64,
) -> DbResult<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
             select from action where project_id = $1 and status = 'pending' and expires_at > $2 limit $3) waiting"#,
        project.uuid(),
        now,
        cap,
    )
    .fetch_one(conn)
    .await
}

/// How many actions of each key of a project wait at `now`, counted up to `cap`; keys without any are left out.
///
/// # Errors
/// If the database can't be reached.
pub async fn waiting_by_key(
    conn: &mut PgConnection,
    project: ProjectId,
    now: Instant,
    cap: i64,
) -> DbResult<Vec<(KeyId, i64)>> {
    let rows = sqlx::query!(
        r#"select k.api_key_id, waiting.count as "count!"
           from api_key k cross join lateral (
             select count(*) from (
               select from action
               where proposed_by = k.api_key_id and status = 'pending' and expires_at > $2 limit $3) counted) waiting
           where k.project_id = $1 and waiting.count > 0"#,
        project.uuid(),
        now,
        cap,
    );
    let rows = rows.fetch_all(conn).await?;
    Ok(rows.into_iter().map(|row| (KeyId::from_uuid(row.api_key_id), row.count)).collect())
}

/// Whether a project ever had an action.
///
/// # Errors
/// If the database can't be reached.
pub async fn any(conn: &mut PgConnection, project: ProjectId) -> DbResult<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from action where project_id = $1) as "any!""#,
        project.uuid()
    )
    .fetch_one(conn)
    .await
}

/// Which actions to find.
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// In one of these; in any if empty.
    pub statuses: Vec<Status>,
    /// Of exactly this kind.
    pub kind: Option<String>,
    /// Proposed then or later.
    pub since: Option<Instant>,
    /// Proposed then or earlier.
    pub until: Option<Instant>,
    /// A query of `to_tsquery` over the proposed title and body.
    pub words: Option<String>,
    /// Older than this one: the last of the page before.
    pub before: Option<(Instant, ActionId)>,
}

/// The newest actions of a project that pass the filter. Call it inside a transaction.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn find(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &ActionFilter,
    now: Instant,
    limit: i64,
) -> DbResult<Vec<Action>> {
    let (statuses, late) = stored(&filter.statuses);
    let (before_at, before_id) = filter.before.unzip();
    // The best plan depends on which filters are set and how common the words are, so it is made for each call.
    sqlx::query!("set local plan_cache_mode = force_custom_plan").execute(&mut *conn).await?;
    // Status by status, because the index gives the newest of one status; then the newest of those.
    let rows = select_action!(
        "join (
           select found.action_id from unnest($2::text[], $3::bool[]) as wanted (status, late)
           cross join lateral (
             select w.action_id, w.created_at from action w
             where w.project_id = $1 and w.status = wanted.status
               and (wanted.status <> 'pending' or (w.expires_at <= $4) = wanted.late)
               and ($5::text is null or w.kind = $5)
               and w.created_at >= coalesce($6, '-infinity'::timestamptz)
               and w.created_at <= coalesce($7, 'infinity'::timestamptz)
               and ($8::text is null
                    or to_tsvector('simple', w.title || ' ' || w.preview_body) @@ to_tsquery('simple', $8))
               and (w.created_at, w.action_id) < (coalesce($9, 'infinity'::timestamptz),
                 coalesce($10, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
             order by w.created_at desc, w.action_id desc limit $11) found
           order by found.created_at desc, found.action_id desc limit $11) page using (action_id)
         order by a.created_at desc, a.action_id desc",
        project.uuid(),
        &statuses,
        &late,
        now,
        filter.kind,
        filter.since,
        filter.until,
        filter.words,
        before_at,
        before_id.map(ActionId::uuid),
        limit,
    );
    rows.fetch_all(conn).await?.into_iter().map(ActionRow::into_action).collect()
}

/// The statuses as rows have them: what is late is expired, although its row says pending until the clock comes by.
fn stored(wanted: &[Status]) -> (Vec<String>, Vec<bool>) {
    let wanted = if wanted.is_empty() { &Status::ALL[..] } else { wanted };
    let rows = wanted.iter().flat_map(|status| {
        let late = (*status == Status::Expired).then_some((Status::Pending, true));
        std::iter::once((*status, false)).chain(late)
    });
    rows.map(|(status, late)| (status.as_str().to_owned(), late)).unzip()
}

/// These actions, as far as the project has them, the newest first.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn by_ids(conn: &mut PgConnection, project: ProjectId, ids: &[ActionId]) -> DbResult<Vec<Action>> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let rows = select_action!(
        "where a.action_id = any($2) and a.project_id = $1 order by a.created_at desc, a.action_id desc",
        project.uuid(),
        &ids,
    );
    rows.fetch_all(conn).await?.into_iter().map(ActionRow::into_action).collect()
}

/// How many actions of all projects wait at `now`, and when the oldest of them was proposed.
///
/// # Errors
/// If the database can't be reached.
pub async fn waiting_in_all(conn: &mut PgConnection, now: Instant) -> DbResult<(i64, Option<Instant>)> {
    let row = sqlx::query!(
        r#"select (select count(*) from action where status = 'pending' and expires_at > $1) as "count!",
             (select min(oldest.created_at) from project p cross join lateral (
                select created_at from action a
                where a.project_id = p.project_id and a.status = 'pending' and a.expires_at > $1
                order by a.created_at, a.action_id limit 1) oldest) as oldest"#,
        now
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.oldest))
}

/// The next actions of a project that were proposed until `until`, by id.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn by_id_after(
    conn: &mut PgConnection,
    project: ProjectId,
    after: ActionId,
    until: Instant,
    limit: i64,
) -> DbResult<Vec<Action>> {
    let rows = select_action!(
        "where a.project_id = $1 and a.action_id > $2 and a.created_at <= $3 order by a.action_id limit $4",
        project.uuid(),
        after.uuid(),
        until,
        limit,
    );
    rows.fetch_all(conn).await?.into_iter().map(ActionRow::into_action).collect()
}
