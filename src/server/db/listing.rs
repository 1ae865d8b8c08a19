//! Lists of actions by keyset: a page costs the same wherever it starts.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::content::PreviewFormat;
use crate::domain::ids::{ActionId, ProjectId};

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
