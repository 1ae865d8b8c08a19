//! Actions and decisions in the public JSON.

use serde_json::Value;

use crate::domain::Instant;
use crate::domain::action::{Action, ActionState};
use crate::domain::content::{Content, ContentDigest};
use crate::domain::decision::{Decider, Decision};
use crate::domain::editable::Edit;
use crate::domain::text::Comment;
use crate::server::service::Viewed;
use crate::server::text;
use crate::wire::v1;

/// An action as the API answers it at `now`.
pub fn action(viewed: Viewed, public_url: &str, now: Instant) -> v1::Action {
    let Viewed { action, delivery } = viewed;
    let approved = action.approved_content();
    let decided = action.decision();
    let original = decided.filter(|decision| !decision.edits.is_empty()).map(|_| v1::Original {
        title: action.content.title.as_str().to_owned(),
        preview: preview(&action.content),
        payload: action.content.payload.clone(),
    });
    let (claimed_at, result) = match &action.state {
        ActionState::Approved { claim, .. } => (claim.as_ref().map(|claim| claim.at), None),
        ActionState::Reported { claim, result, .. } => (claim.as_ref().map(|claim| claim.at), Some(result)),
        ActionState::Pending
        | ActionState::Rejected { .. }
        | ActionState::Expired
        | ActionState::Cancelled => (None, None),
    };
    let receipt = decided.and_then(receipt);
    let approved_sha256 = decided.and_then(|decision| decision.approved_sha256);
    let valid_until = action.valid_until().map(Instant::unix_timestamp);
    // What time did to it shows at once; the row is moved when the clock gets round to it.
    let is_late = matches!(action.state, ActionState::Pending) && action.expires_at <= now;
    let updated_at = if is_late { action.expires_at } else { action.updated_at };
    v1::Action {
        id: action.id.to_string(),
        action_id: action.id.to_string(),
        status: action.status(now).as_str(),
        kind: approved.kind.as_str().to_owned(),
        title: approved.title.as_str().to_owned(),
        preview: preview(&approved),
        decision: decided.map(|decision| self::decision(&action, decision)),
        payload: approved.payload,
        target_url: approved.target_url,
        callback_url: action.callback_url,
        idempotency_key: action.idempotency_key,
        editable: action.editable.iter().map(ToString::to_string).collect(),
        idempotent: action.idempotent,
        undo: action.undo.map(crate::domain::text::Undo::into_string),
        agent: action.agent,
        content_sha256: action.content_sha256.to_string(),
        approved_sha256: approved_sha256.as_ref().map(ContentDigest::to_string),
        inbox_url: format!("{public_url}/inbox/{}", action.id),
        created_at: action.created_at.unix_timestamp(),
        updated_at: updated_at.unix_timestamp(),
        erased_at: action.erased_at.map(Instant::unix_timestamp),
        expires_at: action.expires_at.unix_timestamp(),
        valid_until,
        color: None,
        original,
        claimed_at: claimed_at.map(Instant::unix_timestamp),
        result_at: result.map(|result| result.at.unix_timestamp()),
        result_detail: result.and_then(|result| result.detail.clone()),
        result_payload: result.and_then(|result| result.payload.clone()),
        webhook_delivery: delivery.map(|delivery| v1::WebhookDelivery {
            status: delivery.state,
            attempt: delivery.attempt,
            last_status_code: delivery.last_status,
            last_error: delivery.last_error,
        }),
        duplicate_of: None,
        receipt,
    }
}

/// The receipt of a decision, if it is not older than receipts.
pub fn receipt(decision: &Decision) -> Option<String> {
    decision.receipt.as_ref().map(|receipt| receipt.as_str().to_owned())
}

/// A decision as the API answers it.
pub fn decision(action: &Action, decision: &Decision) -> v1::Decision {
    let diff: String = decision.edits.iter().map(|edit| diff_of(action, edit)).collect();
    v1::Decision {
        verdict: decision.verdict.as_str(),
        decided_at: decision.decided_at.unix_timestamp(),
        decided_by: decider(&decision.decider),
        channel: decision.channel.as_str().to_owned(),
        comment: decision.comment.as_ref().map(Comment::as_str).map(str::to_owned),
        final_preview: preview(&action.approved_content()),
        edited: decision.edits.iter().map(|edit| edit.path.to_string()).collect(),
        diff: (!diff.is_empty()).then_some(diff),
    }
}

/// Who decided.
pub(super) fn decider(decider: &Decider) -> v1::Decider {
    let kind = match decider {
        Decider::Reviewer { .. } => "reviewer",
        Decider::Key { .. } => "key",
    };
    v1::Decider { kind, id: decider.id_text(), name: decider.name().to_owned() }
}

fn diff_of(action: &Action, edit: &Edit) -> String {
    let before = edit.path.get(&action.content).map(|value| as_text(&value)).unwrap_or_default();
    text::unified_diff(&before, &as_text(&edit.value), &edit.path.to_string())
}

/// A value as a diff shows it: a string as it is, everything else as indented JSON.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // The alternate form is the indented one, and writing JSON to a string can't fail.
        other => format!("{other:#}"),
    }
}

fn preview(content: &Content) -> v1::Preview {
    v1::Preview { format: content.preview.format.as_str(), body: content.preview.body.clone() }
}
