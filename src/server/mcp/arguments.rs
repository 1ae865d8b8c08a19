//! What each tool takes. The comments on the fields are what a model reads of them.
//!
//! Only types are checked here; limits and rules are the REST API's, which says what is wrong in its own words. A name
//! that no tool knows is refused: a misspelt `idempotent` would otherwise lose its warning without a word.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::ids::ActionId;

/// Arguments of `impri_push_action`, sent to the REST API as they are.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Push {
    /// What sort of action, as a short dotted word that stays the same for the same sort: email.send, code.execute,
    /// payment.create. 1 to 100 characters.
    pub(super) kind: String,
    /// The action in one line, as the person sees it in a list: what, to whom, how much. 1 to 500 characters.
    pub(super) title: String,
    /// What the person reads before deciding.
    pub(super) preview: PushPreview,
    /// The exact arguments you will act with, as an object. An approved payload is what you must use. Set
    /// "untrusted": true in it if the content was written by somebody outside, such as a mail you quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) payload: Option<Value>,
    /// Where it will happen; an http or https address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target_url: Option<String>,
    /// What the person may change before approving: "title", "preview.body" or paths into the payload such as
    /// "payload.subject". Without it they can only approve or reject. Up to 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) editable: Option<Vec<String>>,
    /// false if doing it twice is worse than once (a mail, a payment): the person is warned, and you must claim the
    /// approval with `impri_claim_action` before you act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) idempotent: Option<bool>,
    /// How it could be walked back, for the person to read. Up to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undo: Option<String>,
    /// Seconds the proposal waits for a decision, 300 to 2592000; three days if you don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_in: Option<i64>,
    /// Seconds after its approval within which it may be claimed; without end if you don't say. Use it where an old
    /// approval would be wrong, such as for a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) valid_for: Option<i64>,
    /// Your own name for this proposal, up to 255 characters: pushing again with the same key answers with the first
    /// action instead of asking the person twice. One is made for you if you give none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) idempotency_key: Option<String>,
    /// An http or https address that the decision is also sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) callback_url: Option<String>,
}

/// `preview` of [`Push`].
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct PushPreview {
    /// How the body is shown: markdown, plain (also called text) or diff. plain if you don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["markdown", "plain", "text", "diff"]))]
    pub(super) format: Option<String>,
    /// What will happen, complete: the whole mail, the whole command, the whole change. The person approves what
    /// stands here.
    pub(super) body: String,
}

/// Arguments of `impri_await_decision`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Await {
    /// The `action_id` that `impri_push_action` answered.
    pub(super) action_id: String,
    /// Seconds to wait in this call; one call holds about 50 at most and then says that the action is still pending.
    /// 0 looks and returns at once.
    #[serde(default)]
    pub(super) timeout_s: Option<u64>,
}

/// Arguments of the tools that take an id alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct OneAction {
    /// The `action_id` that `impri_push_action` answered.
    pub(super) action_id: String,
}

/// Arguments of `impri_report_result`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Report {
    /// The `action_id` that `impri_push_action` answered.
    pub(super) action_id: String,
    /// executed if it was done, `execute_failed` if it was tried and failed.
    #[schemars(extend("enum" = ["executed", "execute_failed"]))]
    pub(super) status: String,
    /// What happened, in words, for the person to read. Up to 4,000 characters.
    #[serde(default)]
    pub(super) detail: Option<String>,
    /// What happened, as an object of up to 16 KiB: ids, exit codes, addresses.
    #[serde(default)]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) payload: Option<Value>,
}

/// Arguments of `impri_inbox_status`: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct Nothing {}

/// Reads a tool's arguments.
///
/// # Errors
/// A sentence that says which one is wrong and how.
pub(super) fn read<T: DeserializeOwned>(sent: Map<String, Value>) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(sent)).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        format!("{place}{}. Nothing was done; correct the arguments and call again.", error.into_inner())
    })
}

/// Reads an id, which becomes part of an address.
///
/// # Errors
/// A sentence that says what an id looks like.
pub(super) fn read_id(text: &str) -> Result<ActionId, String> {
    text.trim().parse().map_err(|_| {
        "action_id: must be act_ and 22 characters, as impri_push_action answered it. Nothing was done."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal<T: DeserializeOwned + std::fmt::Debug>(sent: Value) -> String {
        let Value::Object(sent) = sent else { panic!("an object") };
        read::<T>(sent).unwrap_err()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let missing = refusal::<Push>(json!({"title": "t", "preview": {"body": "b"}}));
        assert!(missing.contains("missing field `kind`"), "{missing}");
        let unknown = refusal::<Await>(json!({"action_id": "act_x", "timeout": 5}));
        assert!(unknown.contains("unknown field `timeout`") && unknown.contains("timeout_s"), "{unknown}");
        let typed = refusal::<Push>(json!({"kind": "k", "title": "t", "preview": {"body": 5}}));
        assert!(typed.starts_with("preview.body: ") && typed.contains("expected a string"), "{typed}");
    }

    #[test]
    fn absent_and_null_arguments_are_not_sent_on() {
        let sent =
            json!({"kind": "k", "title": "t", "preview": {"body": "b"}, "payload": null, "undo": null});
        let Value::Object(sent) = sent else { panic!("an object") };
        let push: Push = read(sent).unwrap();
        let sent_on = serde_json::to_value(push).unwrap();
        assert_eq!(sent_on, json!({"kind": "k", "title": "t", "preview": {"body": "b"}}));
    }

    #[test]
    fn an_id_is_never_a_path() {
        let id = "act_BwcHBwcHBwcHBwcHBwcHBw";
        assert_eq!(read_id(&format!(" {id}\n")).unwrap().to_string(), id);
        for text in
            ["", "act_1", "../keys", "act_BwcHBwcHBwcHBwcHBwcHBw/decision", "act_BwcHBwcHBwcHBwcHBwcHBw?x"]
        {
            assert!(read_id(text).unwrap_err().contains("impri_push_action"), "{text}");
        }
    }
}
