//! The history.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// One fact.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AuditEvent {
    /// Its number; later facts of one server have larger ones.
    pub id: i64,
    /// What happened: `action.approved`, `key.created`, ….
    pub event: &'static str,
    /// `act_…`, if it is about an action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Who: `rev_…` or `key_…`; left out if it was the clock, the operator or nobody that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The actor's name at the time.
    pub actor_name: String,
    /// `reviewer`, `key`, `clock`, `operator` or `anonymous`.
    pub actor_type: &'static str,
    /// Through which door.
    pub channel: String,
    /// The particulars: what changed from what to what, digests, reasons. `{"erased": true}` and digests are left of
    /// what was erased.
    pub data: Value,
    /// When.
    pub created_at: i64,
}

/// How the history is written into a file.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// One JSON object in each line.
    Json,
    /// A table, as RFC 4180 has it.
    Csv,
}

/// One page of facts, the newest first.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AuditList {
    /// The facts.
    pub items: Vec<AuditEvent>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// Send it as `cursor` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
