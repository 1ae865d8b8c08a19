//! Actions: proposals, decisions, reports, and what is answered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `POST /v1/actions`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CreateAction {
    /// Required; what sort of action, 1–100 characters.
    pub kind: Option<String>,
    /// Required; one line, 1–500 characters.
    pub title: Option<String>,
    /// Required; what will happen.
    pub preview: Option<CreatePreview>,
    /// Any JSON up to 256 KiB.
    pub payload: Option<Value>,
    /// Where it will happen; http or https.
    pub target_url: Option<String>,
    /// Where to send the decision; http or https.
    pub callback_url: Option<String>,
    /// Seconds to wait for a decision, 300–2,592,000; 259,200 if absent.
    pub expires_in: Option<i64>,
    /// Seconds after approval within which it may be claimed; without end if absent.
    pub valid_for: Option<i64>,
    /// The agent's name for this proposal, up to 255 characters: sending it again answers with the first one.
    pub idempotency_key: Option<String>,
    /// Paths that the decider may edit: `preview.body`, `title`, `payload.…`; at most 50.
    pub editable: Option<Vec<String>>,
    /// Whether running it twice is the same as running it once.
    pub idempotent: Option<bool>,
    /// How it could be walked back, up to 2,000 characters.
    pub undo: Option<String>,
}

/// What will happen, in a proposal.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CreatePreview {
    /// `markdown`, `plain` (also `text`) or `diff`; plain if absent.
    pub format: Option<String>,
    /// Required; up to 256 KiB, may be empty.
    pub body: Option<String>,
}

/// `POST /v1/actions/{id}/decision`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Decide {
    /// `approve` or `reject`.
    pub decision: Option<String>,
    /// Another name for `decision`, which some clients send.
    pub verdict: Option<String>,
    /// Path → new value; only paths that the action lists, only values of the same JSON type.
    pub edited: Option<Map<String, Value>>,
    /// Why, up to 2,000 characters.
    pub comment: Option<String>,
    /// The digest of the content that was judged; another one than the action's is refused.
    pub content_sha256: Option<String>,
    /// Through which of the caller's doors; `api` if absent.
    pub channel: Option<String>,
}

/// `POST /v1/actions/{id}/result`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Report {
    /// `executed` or `execute_failed`.
    pub status: Option<String>,
    /// What happened, in words; up to 4,000 characters.
    pub detail: Option<String>,
    /// What happened, as a JSON object up to 16 KiB.
    pub payload: Option<Value>,
}

/// What a person reads, in answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// `markdown`, `plain` or `diff`.
    pub format: &'static str,
    /// The text.
    pub body: String,
}

/// An action. After an approval with edits `title`, `preview` and `payload` are the approved version, and `original`
/// holds what was proposed.
#[derive(Debug, Clone, Serialize)]
pub struct Action {
    /// `act_…`.
    pub id: String,
    /// The same id, under the name that other clients read.
    pub action_id: String,
    /// `pending`, `approved`, `rejected`, `expired`, `cancelled`, `executed` or `execute_failed`; treat every other
    /// text as not approved.
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
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
pub struct Decision {
    /// `approve` or `reject`.
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
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
pub struct Decided {
    /// `act_…`.
    pub id: String,
    /// The same.
    pub action_id: String,
    /// `approved` or `rejected`.
    pub status: &'static str,
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
}

/// The answer to a report.
#[derive(Debug, Clone, Serialize)]
pub struct Reported {
    /// `act_…`.
    pub id: String,
    /// The same.
    pub action_id: String,
    /// `executed` or `execute_failed`.
    pub status: &'static str,
    /// When it was reported.
    pub updated_at: i64,
}
