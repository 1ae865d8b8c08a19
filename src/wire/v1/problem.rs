//! What a refusal looks like, for the API's description.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Every refusal. Some have more members: `current_status`, `retry_after`, `invalid_keys`.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Refusal {
    /// The HTTP status in words.
    pub error: String,
    /// What happened and what to do, in a sentence for people.
    pub message: String,
    /// Which fields break which rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// Where the action is now, if that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_status: Option<String>,
    /// Seconds after which it may be tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
}

/// A field that breaks a rule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Issue {
    /// Which rule.
    pub code: String,
    /// The way to the field.
    pub path: Vec<String>,
    /// What is wrong and what to do.
    pub message: String,
    /// The most that is allowed, if it is too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Value>,
    /// What was sent, if it is too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Value>,
}
