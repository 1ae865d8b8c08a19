//! Decisions: inserted once, never changed.

use sqlx::PgConnection;

use super::rows::edits_to_json;
use super::{DbResult, json_text};
use crate::domain::decision::{Decider, Decision};
use crate::domain::ids::ActionId;
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
           comment, edits, proposed_sha256, approved_sha256)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::json, $10, $11)",
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
    )
    .execute(conn)
    .await?;
    Ok(())
}
