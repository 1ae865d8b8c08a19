//! API keys: what is sent and what is answered.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// `POST /v1/keys`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct CreateKey {
    /// Required; what the key is for, as the history will name it: one line, 1–100 characters.
    #[schema(required, value_type = String, min_length = 1, max_length = 100, example = "deploy-bot")]
    pub name: Option<String>,
    /// Required; what the key may do. An agent's key has `actions` and not `decide`.
    #[schema(required, value_type = Vec<ScopeName>, min_items = 1)]
    pub scopes: Option<Vec<String>>,
    /// Seconds until the key ends; without end if absent.
    #[schema(minimum = 1)]
    pub expires_in: Option<i64>,
}

/// What a key may do.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeName {
    /// Propose, read, wait, claim, cancel, report.
    Actions,
    /// Read and decide.
    Decide,
    /// Read the history and its exports.
    Audit,
    /// Everything.
    Admin,
    /// Watchers, which this server does not run.
    Watch,
}

/// A key that was just made; the only answer that holds the key itself.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CreatedKey {
    /// `key_…`.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// The key: `im_` and 43 characters. It is not shown again.
    pub key: String,
    /// Its first 16 characters.
    pub prefix: String,
    /// What it may do.
    #[schema(value_type = Vec<ScopeName>)]
    pub scopes: Vec<&'static str>,
    /// `proj_…`.
    pub project_id: String,
    /// When it was made.
    pub created_at: i64,
    /// From this second on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// A word to whoever reads the answer.
    pub note: &'static str,
}

/// A key, without the key.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Key {
    /// `key_…`.
    pub id: String,
    /// `proj_…`.
    pub project_id: String,
    /// Its first 16 characters.
    pub prefix: String,
    /// What it is for.
    pub name: String,
    /// What it may do.
    #[schema(value_type = Vec<ScopeName>)]
    pub scopes: Vec<&'static str>,
    /// When it was made.
    pub created_at: i64,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
    /// From this second on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
}

/// Every key of the project, the oldest first.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct KeyList {
    /// The keys.
    pub items: Vec<Key>,
}

#[cfg(test)]
mod tests {
    use super::ScopeName::{Actions, Admin, Audit, Decide, Watch};
    use crate::domain::scope::Scope;

    #[test]
    fn the_description_has_the_domains_scopes() {
        let words = [Actions, Decide, Audit, Admin, Watch].map(|word| serde_json::json!(word));
        assert_eq!(words, Scope::ALL.map(|scope| serde_json::json!(scope.as_str())));
    }
}
