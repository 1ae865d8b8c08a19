//! Decisions: inserted once, never changed.

use sqlx::PgConnection;

use super::rows::{DecisionRow, edits_to_json};
use super::{DbResult, json_text};
use crate::domain::Instant;
use crate::domain::decision::{Decider, Decision};
use crate::domain::ids::{ActionId, ProjectId};
use crate::domain::receipt::Receipt;
use crate::domain::text::Comment;

/// Stores the decision of an action.
///
/// # Errors
/// If the action has one already, or the database can't be reached.
pub async fn insert(conn: &mut PgConnection, action: ActionId, decision: &Decision) -> DbResult<()> {
    let (kind, id) = match &decision.decider {
        Decider::Reviewer { id, .. } => ("reviewer", id.uuid()),
        Decider::Key { id, .. } => ("key", id.uuid()),
    };
    sqlx::query!(
        "insert into decision (action_id, verdict, decided_at, decider_kind, decider_id, decider_name, channel,
           comment, edits, proposed_sha256, approved_sha256, receipt)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::json, $10, $11, $12)",
        action.uuid(),
        decision.verdict.as_str(),
        decision.decided_at,
        kind,
        id,
        decision.decider.name(),
        decision.channel.as_str(),
        decision.comment.as_ref().map(Comment::as_str),
        json_text(&edits_to_json(&decision.edits)),
        decision.proposed_sha256.as_bytes().as_slice(),
        decision.approved_sha256.as_ref().map(|digest| digest.as_bytes().as_slice()),
        decision.receipt.as_ref().map(Receipt::as_str),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The next decisions of a project that were made until `until`, by the action's id.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn page(
    conn: &mut PgConnection,
    project: ProjectId,
    after: ActionId,
    until: Instant,
    limit: i64,
) -> DbResult<Vec<(ActionId, Decision)>> {
    let rows = sqlx::query!(
        r#"select d.action_id, d.verdict, d.decided_at, d.decider_kind, d.decider_id, d.decider_name, d.channel,
             d.comment, d.edits as "edits: serde_json::Value", d.proposed_sha256, d.approved_sha256,
             d.receipt
           from decision d join action a using (action_id)
           where a.project_id = $1 and d.action_id > $2 and d.decided_at <= $3 order by d.action_id limit $4"#,
        project.uuid(),
        after.uuid(),
        until,
        limit,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let decision = DecisionRow {
                verdict: row.verdict,
                decided_at: row.decided_at,
                decider_kind: row.decider_kind,
                decider_id: row.decider_id,
                decider_name: row.decider_name,
                channel: row.channel,
                comment: row.comment,
                edits: row.edits,
                proposed_sha256: row.proposed_sha256,
                approved_sha256: row.approved_sha256,
                receipt: row.receipt,
            };
            Ok((ActionId::from_uuid(row.action_id), decision.into_decision()?))
        })
        .collect()
}
