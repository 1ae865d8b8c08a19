//! An action as the REST API shows it, read leniently: a member that is missing or new never breaks a tool.

use serde::Deserialize;
use serde_json::Value;

/// An action, as far as the tools speak of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) preview: SeenPreview,
    pub(super) payload: Option<Value>,
    pub(super) target_url: Option<String>,
    pub(super) idempotent: Option<bool>,
    pub(super) undo: Option<String>,
    pub(super) approved_sha256: Option<String>,
    pub(super) receipt: Option<String>,
    pub(super) inbox_url: Option<String>,
    pub(super) created_at: Option<i64>,
    pub(super) expires_at: Option<i64>,
    pub(super) valid_until: Option<i64>,
    pub(super) claimed_at: Option<i64>,
    pub(super) duplicate_of: Option<String>,
    pub(super) decision: Option<SeenDecision>,
}

/// What a person reads.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenPreview {
    pub(super) format: String,
    pub(super) body: String,
}

/// A decision.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenDecision {
    pub(super) decided_at: Option<i64>,
    pub(super) decided_by: SeenDecider,
    pub(super) comment: Option<String>,
    pub(super) final_preview: Option<SeenPreview>,
    pub(super) edited: Vec<String>,
    pub(super) diff: Option<String>,
}

/// Who decided.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenDecider {
    pub(super) name: String,
}

/// A page of actions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct SeenPage {
    pub(super) items: Vec<Seen>,
    pub(super) has_more: bool,
}

impl Seen {
    /// Reads an answer's body; `None` if it is no action.
    pub(super) fn read(body: &Value) -> Option<Self> {
        Self::deserialize(body).ok().filter(|seen| !seen.id.is_empty() && !seen.status.is_empty())
    }

    pub(super) fn is_pending(&self) -> bool {
        self.status == "pending"
    }

    /// Whether a person changed the content before approving it.
    pub(super) fn is_edited(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| !decision.edited.is_empty() || decision.diff.is_some())
    }

    /// Whether running it takes the one permission to run it.
    pub(super) fn needs_claim(&self) -> bool {
        self.idempotent == Some(false) || self.valid_until.is_some()
    }

    /// Whether the agent says that its content comes from outside, such as from a mail that it answers.
    pub(super) fn is_untrusted(&self) -> bool {
        self.payload.as_ref().is_some_and(|payload| payload.get("untrusted") == Some(&Value::Bool(true)))
    }

    /// Who decided, for a sentence.
    pub(super) fn decider(&self) -> &str {
        let name = self.decision.as_ref().map_or("", |decision| decision.decided_by.name.as_str());
        if name.is_empty() { "a person" } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_action_with_less_or_more_is_still_one() {
        let seen = Seen::read(&json!({"id": "act_1", "status": "pending", "new": {"a": 1}})).unwrap();
        assert!(seen.is_pending() && !seen.is_edited() && !seen.needs_claim() && !seen.is_untrusted());
        assert!(Seen::read(&json!({"status": "pending"})).is_none());
        assert!(Seen::read(&json!({"error": "Not Found"})).is_none());
        assert!(Seen::read(&Value::Null).is_none());
    }

    #[test]
    fn only_the_word_true_marks_content_as_foreign() {
        let is_untrusted = |payload: Value| {
            Seen::read(&json!({"id": "a", "status": "approved", "payload": payload})).unwrap().is_untrusted()
        };
        assert!(is_untrusted(json!({"untrusted": true})));
        for payload in
            [json!({"untrusted": "true"}), json!({"untrusted": 1}), json!([true]), json!("untrusted")]
        {
            assert!(!is_untrusted(payload.clone()), "{payload}");
        }
    }
}
