//! What is answered about actions.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::words::{PreviewFormat, Status, Verdict};

/// What a person reads, in answers.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Preview {
    /// `markdown`, `plain` or `diff`.
    #[schema(value_type = PreviewFormat)]
    pub format: &'static str,
    /// The text.
    pub body: String,
}

/// An action. After an approval with edits `title`, `preview` and `payload` are the approved version, and `original`
/// holds what was proposed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Action {
    /// `act_…`.
    pub id: String,
    /// The same id, under the name that other clients read.
    pub action_id: String,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `executed` or `execute_failed`; treat every other
    /// text as not approved.
    #[schema(value_type = Status)]
    pub status: &'static str,
    /// What sort of action.
    pub kind: String,
    /// The action in one line.
    pub title: String,
    /// What will happen.
    pub preview: Preview,
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Where it will happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_url: Option<String>,
    /// Where the decision is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// The agent's name for the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Paths that the decider may edit.
    pub editable: Vec<String>,
    /// Whether running it twice is the same as running it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// How it could be walked back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The name of the key that proposed it.
    pub agent: String,
    /// SHA-256 over the RFC 8785 form of the proposed `{kind, title, preview, payload, target_url}`.
    pub content_sha256: String,
    /// The same over the approved version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_sha256: Option<String>,
    /// The action's page in the inbox.
    pub inbox_url: String,
    /// When it was proposed.
    pub created_at: i64,
    /// When its state last changed.
    pub updated_at: i64,
    /// When its content was erased; a placeholder stands for it since, and the digests are those of what it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<i64>,
    /// From this second on nobody can decide it.
    pub expires_at: i64,
    /// From this second on an approved action can't be claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<i64>,
    /// Always null; other servers colour some actions.
    pub color: Option<String>,
    /// What was proposed, where the approved version differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// Who decided and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// What proves the decision: a compact JWS, to be verified with `/.well-known/jwks.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// When an executor took the permission to run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<i64>,
    /// When the result was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_at: Option<i64>,
    /// The result in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_detail: Option<String>,
    /// The result as data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_payload: Option<Value>,
    /// The latest delivery to `callback_url`; only on single actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_delivery: Option<WebhookDelivery>,
    /// The action that an identical proposal was answered with: this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
}

/// What was proposed, where the approved version differs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Original {
    /// The proposed title.
    pub title: String,
    /// The proposed preview.
    pub preview: Preview,
    /// The proposed payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// A decision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Decision {
    /// `approve` or `reject`.
    #[schema(value_type = Verdict)]
    pub verdict: &'static str,
    /// When.
    pub decided_at: i64,
    /// Who.
    pub decided_by: Decider,
    /// Through which door.
    pub channel: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The preview as it was decided.
    pub final_preview: Preview,
    /// Which paths were edited; left out if none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
    /// A unified diff of what was edited; left out if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Who decided.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Decider {
    /// `reviewer` or `key`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `rev_…` or `key_…`.
    pub id: String,
    /// Their name.
    pub name: String,
}

/// How far a decision's delivery to `callback_url` has come.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WebhookDelivery {
    /// `pending`, `retry`, `delivered`, `gone` or `dlq`.
    pub status: String,
    /// Failed attempts so far.
    pub attempt: i32,
    /// The receiver's last HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_status_code: Option<i32>,
    /// The last failure in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// The answer to a decision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Decided {
    /// `act_…`.
    pub id: String,
    /// The same.
    pub action_id: String,
    /// `approved` or `rejected`.
    #[schema(value_type = Status)]
    pub status: &'static str,
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
    /// What proves it: a compact JWS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

/// The answer to a report.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Reported {
    /// `act_…`.
    pub id: String,
    /// The same.
    pub action_id: String,
    /// `executed` or `execute_failed`.
    #[schema(value_type = Status)]
    pub status: &'static str,
    /// When it was reported.
    pub updated_at: i64,
}

/// The answer to a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActionPage {
    /// The newest first; without `webhook_delivery`.
    pub items: Vec<Action>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// Where they begin: send it as `cursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The answer to a decision about many.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DecidedMany {
    /// What came of each, in the order sent; an id that was sent twice counts once.
    pub results: Vec<DecidedOne>,
    /// How many were decided now.
    pub succeeded: usize,
    /// How many were not.
    pub failed: usize,
}

/// What came of one of many.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DecidedOne {
    /// As it was sent.
    pub id: String,
    /// Whether it was decided now.
    pub ok: bool,
    /// `approved` or `rejected`, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Status>)]
    pub status: Option<&'static str>,
    /// Why not: `not_found`, `already_decided`, `self_approval` or `internal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where the action is, if it is past deciding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Status>)]
    pub current_status: Option<&'static str>,
}

/// One of the server-sent events about an action.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActionEvent {
    /// Always `action`.
    pub event: &'static str,
    /// The [`Action`] as JSON.
    pub data: String,
}
