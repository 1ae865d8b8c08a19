//! How an action's row becomes an [`Action`], with the row's oddities refused by name.

use serde_json::{Map, Value};
use sqlx::types::Uuid;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::action::{Action, ActionState, Claim, RunResult, Status};
use crate::domain::content::{Content, ContentDigest, Preview, PreviewFormat};
use crate::domain::decision::{Channel, Decider, Decision, Verdict};
use crate::domain::editable::{Edit, EditablePath};
use crate::domain::ids::{ActionId, KeyId, ProjectId, ReviewerId};
use crate::domain::receipt::Receipt;
use crate::domain::text::{Comment, Kind, Title, Undo};

/// One action with its decision, as the queries of [`super::actions`] select it.
pub(super) struct ActionRow {
    pub action_id: Uuid,
    pub project_id: Uuid,
    pub proposed_by: Uuid,
    pub proposed_by_name: String,
    pub kind: String,
    pub title: String,
    pub preview_format: String,
    pub preview_body: String,
    pub payload: Option<Value>,
    pub target_url: Option<String>,
    pub callback_url: Option<String>,
    pub idempotency_key: Option<String>,
    pub editable: Vec<String>,
    pub idempotent: Option<bool>,
    pub undo: Option<String>,
    pub content_sha256: Vec<u8>,
    pub valid_for_secs: Option<i32>,
    pub created_at: Instant,
    pub expires_at: Instant,
    pub updated_at: Instant,
    pub erased_at: Option<Instant>,
    pub status: String,
    pub claimed_at: Option<Instant>,
    pub claimed_by: Option<Uuid>,
    pub result_at: Option<Instant>,
    pub result_by: Option<Uuid>,
    pub result_detail: Option<String>,
    pub result_payload: Option<Value>,
    pub verdict: Option<String>,
    pub decided_at: Option<Instant>,
    pub decider_kind: Option<String>,
    pub decider_id: Option<Uuid>,
    pub decider_name: Option<String>,
    pub channel: Option<String>,
    pub comment: Option<String>,
    pub edits: Option<Value>,
    pub proposed_sha256: Option<Vec<u8>>,
    pub approved_sha256: Option<Vec<u8>>,
    pub receipt: Option<String>,
}

impl ActionRow {
    /// The action.
    pub(super) fn into_action(mut self) -> DbResult<Action> {
        let state = self.take_state()?;
        let format =
            PreviewFormat::from_text(&self.preview_format).ok_or(corrupt("action.preview_format"))?;
        let editable = self.editable.iter().map(|text| EditablePath::parse(text));
        let valid_for = self.valid_for_secs.map(u32::try_from).transpose();
        Ok(Action {
            id: ActionId::from_uuid(self.action_id),
            project: ProjectId::from_uuid(self.project_id),
            proposed_by: KeyId::from_uuid(self.proposed_by),
            agent: self.proposed_by_name,
            content: Content {
                kind: Kind::stored(self.kind),
                title: Title::stored(self.title),
                preview: Preview { format, body: self.preview_body },
                payload: self.payload,
                target_url: self.target_url,
            },
            content_sha256: digest(&self.content_sha256, "action.content_sha256")?,
            editable: editable.collect::<Result<_, _>>().map_err(|_| corrupt("action.editable"))?,
            idempotent: self.idempotent,
            undo: self.undo.map(Undo::stored),
            callback_url: self.callback_url,
            idempotency_key: self.idempotency_key,
            valid_for_secs: valid_for.map_err(|_| corrupt("action.valid_for_secs"))?,
            created_at: self.created_at,
            expires_at: self.expires_at,
            updated_at: self.updated_at,
            erased_at: self.erased_at,
            state,
        })
    }

    fn take_state(&mut self) -> DbResult<ActionState> {
        let status = Status::from_text(&self.status).ok_or(corrupt("action.status"))?;
        let claim =
            self.claimed_at.zip(self.claimed_by).map(|(at, by)| Claim { at, by: KeyId::from_uuid(by) });
        Ok(match status {
            Status::Pending => ActionState::Pending,
            Status::Expired => ActionState::Expired,
            Status::Cancelled => ActionState::Cancelled,
            Status::Approved => ActionState::Approved { decision: self.take_decision()?, claim },
            Status::Rejected => ActionState::Rejected { decision: self.take_decision()? },
            Status::Executed | Status::ExecuteFailed => ActionState::Reported {
                decision: self.take_decision()?,
                claim,
                result: RunResult {
                    succeeded: status == Status::Executed,
                    at: self.result_at.ok_or(corrupt("action.result_at"))?,
                    by: KeyId::from_uuid(self.result_by.ok_or(corrupt("action.result_by"))?),
                    detail: self.result_detail.take(),
                    payload: self.result_payload.take(),
                },
            },
        })
    }

    fn take_decision(&mut self) -> DbResult<Decision> {
        let missing = || corrupt("decision");
        DecisionRow {
            verdict: self.verdict.take().ok_or_else(missing)?,
            decided_at: self.decided_at.ok_or_else(missing)?,
            decider_kind: self.decider_kind.take().ok_or_else(missing)?,
            decider_id: self.decider_id.ok_or_else(missing)?,
            decider_name: self.decider_name.take().ok_or_else(missing)?,
            channel: self.channel.take().ok_or_else(missing)?,
            comment: self.comment.take(),
            edits: self.edits.take().ok_or_else(missing)?,
            proposed_sha256: self.proposed_sha256.take().ok_or_else(missing)?,
            approved_sha256: self.approved_sha256.take(),
            receipt: self.receipt.take(),
        }
        .into_decision()
    }
}

/// A decision's row, without the action's id.
pub(super) struct DecisionRow {
    pub verdict: String,
    pub decided_at: Instant,
    pub decider_kind: String,
    pub decider_id: Uuid,
    pub decider_name: String,
    pub channel: String,
    pub comment: Option<String>,
    pub edits: Value,
    pub proposed_sha256: Vec<u8>,
    pub approved_sha256: Option<Vec<u8>>,
    pub receipt: Option<String>,
}

impl DecisionRow {
    /// The decision.
    pub(super) fn into_decision(self) -> DbResult<Decision> {
        let (id, name) = (self.decider_id, self.decider_name);
        let decider = match self.decider_kind.as_str() {
            "reviewer" => Decider::Reviewer { id: ReviewerId::from_uuid(id), name },
            "key" => Decider::Key { id: KeyId::from_uuid(id), name },
            _ => return Err(corrupt("decision.decider_kind")),
        };
        let approved = self.approved_sha256.map(|bytes| digest(&bytes, "decision.approved_sha256"));
        Ok(Decision {
            verdict: Verdict::from_text(&self.verdict).ok_or(corrupt("decision.verdict"))?,
            decided_at: self.decided_at,
            decider,
            channel: Channel::stored(self.channel),
            comment: self.comment.map(Comment::stored),
            edits: edits_from_json(self.edits)?,
            proposed_sha256: digest(&self.proposed_sha256, "decision.proposed_sha256")?,
            approved_sha256: approved.transpose()?,
            receipt: self.receipt.map(Receipt::stored),
        })
    }
}

fn digest(bytes: &[u8], column: &'static str) -> DbResult<ContentDigest> {
    ContentDigest::from_slice(bytes).ok_or(corrupt(column))
}

/// The stored form of edits: `[{"path": …, "value": …}]`.
pub(super) fn edits_to_json(edits: &[Edit]) -> Value {
    edits.iter().map(|edit| serde_json::json!({"path": edit.path.to_string(), "value": edit.value})).collect()
}

fn edits_from_json(value: Value) -> DbResult<Vec<Edit>> {
    let wrong = || corrupt("decision.edits");
    let Value::Array(items) = value else { return Err(wrong()) };
    items
        .into_iter()
        .map(|item| {
            let Value::Object(mut members) = item else { return Err(wrong()) };
            let path =
                text(&members, "path").and_then(|path| EditablePath::parse(path).ok()).ok_or_else(wrong)?;
            Ok(Edit { path, value: members.remove("value").ok_or_else(wrong)? })
        })
        .collect()
}

fn text<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    members.get(key).and_then(Value::as_str)
}
