//! An action as a person decides it and as it stands afterwards.

use serde_json::Value;

use super::{Reader, between, content, counted, history};
use crate::domain::action::{Action, ActionState, Status};
use crate::domain::content::Content;
use crate::domain::decision::{Channel, Decision};
use crate::domain::editable::{Edit, EditablePath};
use crate::domain::text::{Comment, Undo};
use crate::server::db::audit::StoredEvent;
use crate::server::db::outbox::DeliveryState;
use crate::server::text;
use crate::wire::card::{Card, ChangeView, DecisionView, DeliveryView, EditField, FieldInput, ResultView};
use crate::wire::context::CardContext;
use crate::wire::history::HistoryEvent;
use crate::wire::safe_html::SafeHtml;

/// An action with its timeline and what was decided before, as its page shows it to a reader who may or may not decide
/// it.
pub fn card(
    action: &Action,
    delivery: Option<DeliveryState>,
    timeline: Vec<StoredEvent>,
    context: CardContext,
    may_decide: bool,
    reader: &Reader,
) -> Card {
    let shown = action.approved_content();
    // After an approval with edits that is the approved version.
    let digest =
        action.decision().and_then(|decision| decision.approved_sha256).unwrap_or(action.content_sha256);
    let (version, rendered) = content::content(&shown, digest);
    let status = action.status(reader.now);
    let (claimed, result) = match &action.state {
        ActionState::Approved { claim, .. } => (claim.as_ref(), None),
        ActionState::Reported { claim, result, .. } => (claim.as_ref(), Some(result)),
        ActionState::Pending
        | ActionState::Rejected { .. }
        | ActionState::Expired
        | ActionState::Cancelled => (None, None),
    };
    let mut steps = history::steps(&timeline);
    let timeline = timeline.into_iter().map(|event| {
        let step = steps.remove(&event.id);
        HistoryEvent { step, ..history::event(event, reader) }
    });
    Card {
        id: action.id.to_string(),
        status: status.as_str().to_owned(),
        kind: text::reveal_text(shown.kind.as_str()),
        title: text::reveal_text(shown.title.as_str()),
        title_html: text::inline(shown.title.as_str()),
        agent: text::reveal_text(&action.agent),
        created: reader.moment(action.created_at),
        expires: reader.moment(action.expires_at),
        target: shown.target_url.as_deref().map(content::target),
        not_idempotent: action.asks_again(),
        undo: action.undo.as_ref().map(Undo::as_str).map(text::inline),
        warnings: content::warnings(action, &shown, Some(&rendered)),
        content: version,
        may_decide,
        fields: if status == Status::Pending && may_decide { fields(action) } else { Vec::new() },
        decision: action.decision().map(|decision| decision_view(action, decision, reader)),
        claimed: claimed.map(|claim| reader.moment(claim.at)),
        result: result.map(|result| ResultView {
            succeeded: result.succeeded,
            at: reader.moment(result.at),
            detail: result.detail.as_deref().map(text::plain),
            payload: result.payload.as_ref().map(text::json_tree_html),
        }),
        // An erased address gets nothing more, and nobody can say any more where it was.
        delivery: delivery
            .filter(|_| action.erased_at.is_none())
            .map(|delivery| delivery_view(delivery, may_decide)),
        not_told: Vec::new(),
        context,
        timeline: timeline.collect(),
        window: between(action.expires_at - action.created_at),
        erased: action.erased_at.is_some(),
    }
}

fn delivery_view(delivery: DeliveryState, may_decide: bool) -> DeliveryView {
    let why = delivery.last_error.as_deref().map(|why| format!(": {}", text::reveal_text(why)));
    let why = why.unwrap_or_default();
    let sentence = match delivery.state.as_str() {
        "delivered" => "The agent's address took the decision.".to_owned(),
        "gone" => "The agent's address is gone (410), so nothing more is sent there.".to_owned(),
        "dlq" => {
            format!("The decision did not reach the agent's address; no more tries{why}.")
        }
        "retry" => {
            let failed = counted(usize::try_from(delivery.attempt).unwrap_or_default(), "failed attempt");
            format!(
                "The decision has not reached the agent's address, {failed} so far{why}. It is tried again."
            )
        }
        _ => "The decision is on its way to the agent's address.".to_owned(),
    };
    let can_repeat = may_decide && matches!(delivery.state.as_str(), "delivered" | "dlq");
    DeliveryView { state: delivery.state, sentence, can_repeat }
}

fn fields(action: &Action) -> Vec<EditField> {
    let listed = action.editable.iter().zip(0_u32..);
    listed
        .filter_map(|(path, index)| {
            let value = path.get(&action.content)?;
            let input = input_for(path, &value);
            let text = match (&value, input) {
                (Value::String(text), _) => text.clone(),
                (other, FieldInput::Json) => format!("{other:#}"),
                (other, _) => other.to_string(),
            };
            Some(EditField { index, path: path.to_string(), input, value: text })
        })
        .collect()
}

/// The control for a value: the same type goes back that came out.
fn input_for(path: &EditablePath, value: &Value) -> FieldInput {
    match value {
        Value::String(_) if *path == EditablePath::Body => FieldInput::Text,
        Value::String(_) if *path == EditablePath::Title => FieldInput::Line,
        // A line control would drop line breaks.
        Value::String(text) if text.chars().count() > 80 || text.contains(['\n', '\r']) => FieldInput::Text,
        Value::String(_) => FieldInput::Line,
        Value::Number(_) => FieldInput::Number,
        Value::Bool(_) => FieldInput::Boolean,
        Value::Null | Value::Array(_) | Value::Object(_) => FieldInput::Json,
    }
}

fn decision_view(action: &Action, decision: &Decision, reader: &Reader) -> DecisionView {
    DecisionView {
        verdict: decision.verdict.as_str().to_owned(),
        by: text::reveal_text(decision.decider.name()),
        through: through(&decision.channel),
        at: reader.moment(decision.decided_at),
        comment: decision.comment.as_ref().map(Comment::as_str).map(comment),
        changes: changes(&action.content, &decision.edits),
        approved_digest: decision.approved_sha256.map(|digest| digest.to_string()),
        receipt: super::api::receipt(decision),
    }
}

/// A reason, in its author's words.
pub(super) fn comment(words: &str) -> SafeHtml {
    text::inline(words)
}

/// What was edited, before and after.
pub(super) fn changes(content: &Content, edits: &[Edit]) -> Vec<ChangeView> {
    let view = |edit: &Edit| {
        let before = edit.path.get(content).unwrap_or(Value::Null);
        change(&edit.path.to_string(), &before, &edit.value)
    };
    edits.iter().map(view).collect()
}

/// One edited value, before and after.
pub(super) fn change(path: &str, before: &Value, after: &Value) -> ChangeView {
    let (mut before, mut after) = (super::api::as_text(before), super::api::as_text(after));
    // That neither text ends with a line feed is no change, and would be noted twice.
    if !before.ends_with('\n') && !after.ends_with('\n') {
        before.push('\n');
        after.push('\n');
    }
    let diff = text::changes_html(&before, &after);
    ChangeView { path: text::reveal_text(path), diff }
}

/// A channel in words.
pub fn through(channel: &Channel) -> String {
    match channel.as_str() {
        "web" => "Web",
        "api" => "API",
        "cli" => "Command line",
        "mcp" => "MCP",
        "clock" => "Clock",
        "slack" => "Slack",
        "discord" => "Discord",
        "telegram" => "Telegram",
        "email" => "E-mail",
        "server" => "Server",
        other => return format!("API ({other})"),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_keeps_its_values_type() {
        let path = EditablePath::parse("payload.x").unwrap();
        let cases = [
            (serde_json::json!("a"), FieldInput::Line),
            (serde_json::json!("a\nb"), FieldInput::Text),
            (serde_json::json!(42), FieldInput::Number),
            (serde_json::json!(true), FieldInput::Boolean),
            (serde_json::json!(null), FieldInput::Json),
            (serde_json::json!({}), FieldInput::Json),
        ];
        for (value, input) in cases {
            assert_eq!(input_for(&path, &value), input, "{value}");
        }
        assert_eq!(input_for(&EditablePath::Title, &serde_json::json!("x".repeat(200))), FieldInput::Line);
    }
}
