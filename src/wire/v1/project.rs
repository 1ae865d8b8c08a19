//! The project's settings, its export and its erasure.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Action, AuditEvent, Decider, Key, NotificationChannel, Verdict};

/// The project of the key.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Project {
    /// `proj_…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its time zone, by its IANA name.
    pub timezone: String,
    /// Whether a key may decide what it proposed itself.
    pub allow_self_approval: bool,
    /// What callbacks are signed with; left out of the answer to a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<String>,
    /// When it was made.
    pub created_at: i64,
}

/// `PATCH /v1/project`; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct ChangeProject {
    /// One line, 1–200 characters.
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    /// The IANA name of a time zone.
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// Whether a key may decide what it proposed itself; for one-person set-ups.
    pub allow_self_approval: Option<bool>,
}

/// A new secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RotatedSecret {
    /// What callbacks are signed with from now on.
    pub webhook_secret: String,
    /// A word to whoever reads the answer.
    pub note: &'static str,
}

/// What an erasure came to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErasedData {
    /// Always true.
    pub erased: bool,
    /// How many actions had something to erase.
    pub actions: u64,
    /// Always 0: this server has no watchers.
    pub watchers: u64,
}

/// Everything that is stored of a project. It is written as it is read, in this order; a file that does not end with a
/// closing brace is not whole.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProjectExport {
    /// When the export began; what was made later is not in it.
    pub exported_at: i64,
    /// The settings, without the secret.
    pub project: Project,
    /// The keys, without what they are called with.
    pub keys: Vec<Key>,
    /// The people who decide.
    pub people: Vec<Person>,
    /// How people are told, the secret settings masked.
    pub channels: Vec<NotificationChannel>,
    /// Always empty.
    pub watchers: Vec<Value>,
    /// Every action, the oldest first.
    pub actions: Vec<Action>,
    /// Every decision, in the order of the actions.
    pub decisions: Vec<ExportedDecision>,
    /// The history, the newest first.
    pub audit_log: Vec<AuditEvent>,
}

/// A person who decides.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Person {
    /// `rev_…`.
    pub id: String,
    /// Their name.
    pub name: String,
    /// The address that they sign in with.
    pub email: String,
    /// `viewer`, `reviewer` or `admin`.
    pub role: &'static str,
    /// Since when they can't sign in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<i64>,
    /// The accounts on chat platforms that stand for them.
    pub chat_accounts: Vec<ChatAccount>,
}

/// An account on a chat platform that stands for a person.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChatAccount {
    /// Which platform.
    pub platform: String,
    /// What the platform calls it.
    pub user: String,
    /// Its name there when it was linked.
    pub name: String,
    /// When it was linked.
    pub linked_at: i64,
}

/// A decision as it is stored.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportedDecision {
    /// `act_…`.
    pub action_id: String,
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
    /// What was changed before approving.
    pub edits: Vec<ExportedEdit>,
    /// The digest of what was proposed.
    pub proposed_sha256: String,
    /// The digest of what was approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_sha256: Option<String>,
    /// What proves it: a compact JWS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

/// One edited value.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportedEdit {
    /// Which.
    pub path: String,
    /// What it was changed to.
    pub value: Value,
}
