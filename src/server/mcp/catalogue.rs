//! The tools as a host lists them: name, title, description, schemas, and hints on what they do to the world.

use std::sync::LazyLock;

use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;

use super::answers::{InboxStatus, Pushed, Reported, Standing};
use super::arguments::{Await, Nothing, OneAction, Push, Report};
use super::{schema, words};

pub(super) const PUSH: &str = "impri_push_action";
pub(super) const AWAIT: &str = "impri_await_decision";
pub(super) const CLAIM: &str = "impri_claim_action";
pub(super) const REPORT: &str = "impri_report_result";
pub(super) const CANCEL: &str = "impri_cancel_action";
pub(super) const STATUS: &str = "impri_inbox_status";

/// All of them, in the order of use.
pub(super) static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    // Only the inbox is touched, and that a waiting proposal can't be approved any more is the one thing that is lost.
    let adds = || ToolAnnotations::new().read_only(false).destructive(false).open_world(false);
    let reads =
        || ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    vec![
        tool::<Push, Pushed>(PUSH, "Propose an action", words::PUSH, adds().idempotent(false)),
        tool::<Await, Standing>(AWAIT, "Wait for the decision", words::AWAIT, reads()),
        tool::<OneAction, Standing>(CLAIM, "Claim an approval", words::CLAIM, adds().idempotent(false)),
        tool::<Report, Reported>(REPORT, "Report the outcome", words::REPORT, adds().idempotent(true)),
        tool::<OneAction, Standing>(
            CANCEL,
            "Withdraw a proposal",
            words::CANCEL,
            adds().destructive(true).idempotent(true),
        ),
        tool::<Nothing, InboxStatus>(STATUS, "See what waits", words::STATUS, reads()),
    ]
});

/// One of them.
pub(super) fn by_name(name: &str) -> Option<Tool> {
    TOOLS.iter().find(|tool| tool.name == name).cloned()
}

fn tool<A: JsonSchema, B: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, schema::of_arguments::<A>())
        .with_title(title)
        .with_raw_output_schema(schema::of_answer::<B>())
        .with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Every schema of every tool.
    fn schemas() -> impl Iterator<Item = (String, Value)> {
        TOOLS.iter().flat_map(|tool| {
            let output = tool.output_schema.clone().expect("a structured answer");
            [("in", tool.input_schema.clone()), ("out", output)]
                .map(|(way, schema)| (format!("{} {way}", tool.name), Value::Object((*schema).clone())))
        })
    }

    #[test]
    fn no_tool_decides() {
        for tool in TOOLS.iter() {
            let name = tool.name.as_ref();
            assert!(
                !["approve", "reject", "decide", "verdict", "edit"].iter().any(|word| name.contains(word))
            );
        }
        for (name, schema) in schemas().filter(|(name, _)| name.ends_with("in")) {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            for word in ["decision", "verdict", "edited", "approve", "content_sha256"] {
                assert!(!properties.contains_key(word), "{name} takes {word}");
            }
        }
    }

    #[test]
    fn schemas_are_plain_objects_with_words_on_every_field() {
        for (name, schema) in schemas() {
            assert_eq!(schema["type"], "object", "{name}");
            let text = schema.to_string();
            for noise in ["$schema", "$ref", "$defs", "anyOf", "\"null\"", "int64", "\\n"] {
                assert!(!text.contains(noise), "{name} holds {noise}: {text}");
            }
            for (field, of) in schema["properties"].as_object().into_iter().flatten() {
                assert!(of["description"].is_string(), "{name}: {field} says nothing of itself");
                assert!(of["type"].is_string() || of["type"].is_array(), "{name}: {field} has no type: {of}");
            }
        }
    }

    #[test]
    fn what_a_proposal_needs_is_required_and_nothing_else() {
        let push = by_name(PUSH).expect("it is there").input_schema;
        assert_eq!(push["required"], serde_json::json!(["kind", "title", "preview"]));
        assert_eq!(push["additionalProperties"], false);
        assert_eq!(push["properties"]["payload"]["type"], "object");
        let formats = &push["properties"]["preview"]["properties"]["format"]["enum"];
        assert_eq!(*formats, serde_json::json!(["markdown", "plain", "text", "diff"]));
    }
}
