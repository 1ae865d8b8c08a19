//! Actions in lists: what is read of many at once, after [`super::finding`] has chosen which.

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

/// With words looked for, the part of the body that a list shows begins so many characters before the first of them.
const LEAD_CHARS: i32 = 60;

/// An action as a list shows it.
#[derive(Debug, Clone)]
pub struct ListedAction {
    /// Which action.
    pub id: ActionId,
    /// Where it is in its life, as the row says it; what is pending and late is expired.
    pub status: Status,
    /// The agent's vocabulary.
    pub kind: String,
    /// The action in one line.
    pub title: String,
    /// Who proposed it.
    pub agent: String,
    /// How to read the body.
    pub format: PreviewFormat,
    /// Some of the body: its beginning, or what stands around a word that was looked for.
    pub body_part: String,
    /// Whether that part begins after the body's beginning.
    pub is_inside: bool,
    /// What the agent said of running it twice.
    pub idempotent: Option<bool>,
    /// Whether something may be edited.
    pub editable: bool,
    /// When it was proposed.
    pub created_at: Instant,
    /// When it stops waiting.
    pub expires_at: Instant,
    /// When it came to its status, unless it is pending.
    pub ended_at: Option<Instant>,
    /// Who decided.
    pub decider: Option<String>,
    /// How many values were edited.
    pub edits: u32,
}

/// These actions in this order, as far as the project has them. `word` is one that was looked for.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn listed(
    conn: &mut PgConnection,
    project: ProjectId,
    ids: &[ActionId],
    word: Option<&str>,
) -> DbResult<Vec<ListedAction>> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let rows = sqlx::query!(
        r#"select a.action_id, a.status, a.kind, a.title, a.proposed_by_name, a.preview_format,
             substr(a.preview_body, part.start, $4) as "body_part!", part.start as "start!", a.idempotent,
             cardinality(a.editable) > 0 as "editable!", a.created_at, a.expires_at, a.ended_at,
             d.decider_name as "decider_name?",
             coalesce(json_array_length(d.edits), 0) as "edits!"
           from action a left join decision d using (action_id)
           cross join lateral (
             select greatest(coalesce(strpos(lower(a.preview_body), lower($3)), 0) - $5, 1) as start) part
           where a.action_id = any($2) and a.project_id = $1
           order by array_position($2, a.action_id)"#,
        project.uuid(),
        &ids,
        word,
        HEAD_CHARS,
        LEAD_CHARS,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ListedAction {
                id: ActionId::from_uuid(row.action_id),
                status: Status::from_text(&row.status).ok_or(corrupt("action.status"))?,
                kind: row.kind,
                title: row.title,
                agent: row.proposed_by_name,
                format: PreviewFormat::from_text(&row.preview_format)
                    .ok_or(corrupt("action.preview_format"))?,
                body_part: row.body_part,
                is_inside: row.start > 1,
                idempotent: row.idempotent,
                editable: row.editable,
                created_at: row.created_at,
                expires_at: row.expires_at,
                ended_at: row.ended_at,
                decider: row.decider_name,
                edits: row.edits.unsigned_abs(),
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
    // In the order of the index, so that it is read as far as it is counted, and never the table.
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
             select from action where project_id = $1 and status = 'pending' and expires_at > $2
             order by expires_at limit $3) waiting"#,
        project.uuid(),
        now,
        cap,
    )
    .fetch_one(conn)
    .await
}

/// How many actions of a project run out between `now` and `until`, counted up to `cap`, and when the next one after
/// `until` does.
///
/// # Errors
/// If the database can't be reached.
pub async fn running_out(
    conn: &mut PgConnection,
    project: ProjectId,
    now: Instant,
    until: Instant,
    cap: i64,
) -> DbResult<(i64, Option<Instant>)> {
    let row = sqlx::query!(
        r#"select (select count(*) from (
               select from action
               where project_id = $1 and status = 'pending' and expires_at > $2 and expires_at <= $3
               order by expires_at limit $4) soon) as "count!",
             (select min(expires_at) from action
              where project_id = $1 and status = 'pending' and expires_at > $3) as next"#,
        project.uuid(),
        now,
        until,
        cap,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.count, row.next))
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

/// The first `limit` kinds of a project's actions, by name. Each costs one look into an index.
///
/// # Errors
/// If the database can't be reached.
pub async fn kinds(conn: &mut PgConnection, project: ProjectId, limit: i64) -> DbResult<Vec<String>> {
    sqlx::query_scalar!(
        r#"with recursive known as (
             (select kind from action where project_id = $1 order by kind limit 1)
             union all
             select (select a.kind from action a where a.project_id = $1 and a.kind > known.kind order by a.kind limit 1)
             from known where known.kind is not null)
           select kind as "kind!" from known where kind is not null limit $2"#,
        project.uuid(),
        limit,
    )
    .fetch_all(conn)
    .await
}

/// The first `limit` agents that proposed something in a project, by name.
///
/// # Errors
/// If the database can't be reached.
pub async fn agents(conn: &mut PgConnection, project: ProjectId, limit: i64) -> DbResult<Vec<String>> {
    sqlx::query_scalar!(
        r#"with recursive known as (
             (select proposed_by_name as name from action where project_id = $1 order by proposed_by_name limit 1)
             union all
             select (select a.proposed_by_name from action a where a.project_id = $1 and a.proposed_by_name > known.name
                     order by a.proposed_by_name limit 1)
             from known where known.name is not null)
           select name as "name!" from known where name is not null limit $2"#,
        project.uuid(),
        limit,
    )
    .fetch_all(conn)
    .await
}
