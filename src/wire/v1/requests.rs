//! What is sent about actions: proposals, decisions, reports.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::exact;
use super::words::{PreviewFormat, ResultStatus, Verdict};

/// `POST /v1/actions`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct CreateAction {
    /// Required; what sort of action, 1–100 characters.
    #[schema(required, value_type = String, min_length = 1, max_length = 100, example = "email.send")]
    pub kind: Option<String>,
    /// Required; one line, 1–500 characters.
    #[schema(required, value_type = String, min_length = 1, max_length = 500, example = "Outreach: Acme")]
    pub title: Option<String>,
    /// Required; what will happen.
    #[schema(required, value_type = CreatePreview)]
    pub preview: Option<CreatePreview>,
    /// Any JSON up to 256 KiB.
    #[serde(deserialize_with = "exact::value")]
    pub payload: Option<Value>,
    /// Where it will happen; http or https.
    #[schema(format = "uri")]
    pub target_url: Option<String>,
    /// Where to send the decision; http or https.
    #[schema(format = "uri")]
    pub callback_url: Option<String>,
    /// Seconds to wait for a decision, 300–2,592,000; 259,200 if absent.
    #[schema(minimum = 300, maximum = 2_592_000)]
    pub expires_in: Option<i64>,
    /// Seconds after approval within which it may be claimed; without end if absent.
    #[schema(minimum = 1, maximum = 2_592_000)]
    pub valid_for: Option<i64>,
    /// The agent's name for this proposal, up to 255 characters: sending it again answers with the first one.
    #[schema(min_length = 1, max_length = 255)]
    pub idempotency_key: Option<String>,
    /// Paths that the decider may edit: `preview.body`, `title`, `payload.…`; at most 50.
    #[schema(max_items = 50, example = json!(["preview.body"]))]
    pub editable: Option<Vec<String>>,
    /// Whether running it twice is the same as running it once.
    pub idempotent: Option<bool>,
    /// How it could be walked back, up to 2,000 characters.
    #[schema(max_length = 2_000)]
    pub undo: Option<String>,
}

/// What will happen, in a proposal.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct CreatePreview {
    /// `markdown`, `plain` (also `text`) or `diff`; plain if absent.
    #[schema(value_type = Option<PreviewFormat>)]
    pub format: Option<String>,
    /// Required; up to 256 KiB, may be empty.
    #[schema(required, value_type = String, example = "Hi Sarah, …")]
    pub body: Option<String>,
}

/// `POST /v1/actions/{id}/decision`. Unknown members are refused here: a misspelt `edited` would approve what the
/// decider meant to change.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Decide {
    /// `approve` or `reject`.
    #[schema(value_type = Option<Verdict>)]
    pub decision: Option<String>,
    /// Another name for `decision`, which some clients send.
    #[schema(value_type = Option<Verdict>)]
    pub verdict: Option<String>,
    /// Path → new value; only paths that the action lists, only values of the same JSON type.
    pub edited: Option<Map<String, Value>>,
    /// Why, up to 2,000 characters.
    #[schema(max_length = 2_000)]
    pub comment: Option<String>,
    /// The digest of the content that was judged; another one than the action's is refused.
    #[schema(pattern = "^[0-9a-fA-F]{64}$")]
    pub content_sha256: Option<String>,
    /// Through which of the caller's doors; `api` if absent.
    #[schema(pattern = "^[A-Za-z0-9_-]{0,64}$")]
    pub channel: Option<String>,
}

/// `POST /v1/actions/bulk-decision`. Unknown members are refused, as in [`Decide`].
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DecideMany {
    /// Required; 1 to 50 actions.
    #[schema(required, value_type = Vec<String>, min_items = 1, max_items = 50)]
    pub ids: Option<Vec<String>>,
    /// `approve` or `reject`, for all of them as they were proposed.
    #[schema(value_type = Option<Verdict>)]
    pub decision: Option<String>,
    /// Another name for `decision`, which some clients send.
    #[schema(value_type = Option<Verdict>)]
    pub verdict: Option<String>,
    /// Why, up to 2,000 characters.
    #[schema(max_length = 2_000)]
    pub comment: Option<String>,
    /// Through which of the caller's doors; `api` if absent.
    #[schema(pattern = "^[A-Za-z0-9_-]{0,64}$")]
    pub channel: Option<String>,
}

/// `POST /v1/actions/{id}/result`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct Report {
    /// `executed` or `execute_failed`.
    #[schema(required, value_type = ResultStatus)]
    pub status: Option<String>,
    /// What happened, in words; up to 4,000 characters.
    #[schema(max_length = 4_000)]
    pub detail: Option<String>,
    /// What happened, as a JSON object up to 16 KiB.
    #[schema(value_type = Option<Object>)]
    #[serde(deserialize_with = "exact::value")]
    pub payload: Option<Value>,
}
