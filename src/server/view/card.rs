//! An action as a person decides it and as it stands afterwards.

use serde_json::Value;

use super::{Reader, between, history};
use crate::domain::action::{Action, ActionState, Status};
use crate::domain::content::{Content, PreviewFormat};
use crate::domain::decision::{Channel, Decision};
use crate::domain::editable::{Edit, EditablePath};
use crate::domain::text::{Comment, Undo};
use crate::server::db::audit::StoredEvent;
use crate::server::db::outbox::DeliveryState;
use crate::server::text;
use crate::wire::card::{
    Card, ChangeView, DecisionView, DeliveryView, EditField, FieldInput, PayloadView, ResultView, Target,
};
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
    let mut preview = text::render_preview(shown.preview.format, &shown.preview.body);
    // Plain text of an action that runs code is code: the same characters, in the look of code.
    let code = code_of(&shown);
    if let Some(language) = code {
        preview.html = text::code(language, &shown.preview.body);
    }
    let status = action.status(reader.now);
    let (claimed, result) = match &action.state {
        ActionState::Approved { claim, .. } => (claim.as_ref(), None),
        ActionState::Reported { claim, result, .. } => (claim.as_ref(), Some(result)),
        ActionState::Pending
        | ActionState::Rejected { .. }
        | ActionState::Expired
        | ActionState::Cancelled => (None, None),
    };
    // Of what the card shows: after an approval with edits that is the approved version.
    let digest =
        action.decision().and_then(|decision| decision.approved_sha256).unwrap_or(action.content_sha256);
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
        target: shown.target_url.as_deref().map(target),
        not_idempotent: action.idempotent == Some(false),
        undo: action.undo.as_ref().map(Undo::as_str).map(text::inline),
        warnings: warnings(action, &shown, preview.fell_back),
        format: if code.is_some() { "code" } else { shown.preview.format.as_str() }.to_owned(),
        preview: preview.html,
        raw: (shown.preview.format != PreviewFormat::Plain || code.is_some())
            .then(|| text::plain(&shown.preview.body)),
        body_size: counted(shown.preview.body.chars().count(), "character"),
        payload: shown.payload.as_ref().map(payload),
        digest: digest.to_string(),
        digest_short: digest.short(),
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

/// The language of a preview that is code, by the kind of the action and, where that leaves it open, the payload's word.
fn code_of(content: &Content) -> Option<text::Language> {
    let by_kind = text::Language::from_kind(content.kind.as_str())?;
    let named = content.payload.as_ref().and_then(|payload| payload.get("language")).and_then(Value::as_str);
    let language = match (by_kind, named) {
        (text::Language::Generic, Some(named)) => text::Language::from_fence(named),
        (known, _) => known,
    };
    (content.preview.format == PreviewFormat::Plain).then_some(language)
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

/// What a reader should know before they read: everything that does not look like what it is.
pub(super) fn warnings(action: &Action, content: &Content, fell_back: bool) -> Vec<String> {
    let payload = content.payload.as_ref().map(Value::to_string).unwrap_or_default();
    let places = [
        ("Kind", content.kind.as_str()),
        ("Title", content.title.as_str()),
        ("Preview", content.preview.body.as_str()),
        ("Payload", payload.as_str()),
        ("Target", content.target_url.as_deref().unwrap_or_default()),
    ];
    let mut sentences = Vec::new();
    if let Some(at) = action.erased_at {
        sentences.push(format!("The content of this action was erased on {}.", at.date()));
    }
    for (place, text) in places {
        // Unusual spaces are marked in the text and alarm nobody.
        let alarming = text::inspect(text).into_iter().filter(|finding| finding.kind.is_warning());
        sentences.extend(alarming.map(|finding| format!("{place}: {}", finding.sentence)));
    }
    if fell_back {
        let format = content.preview.format.as_str();
        sentences.push(format!("The preview could not be shown as {format}; this is its plain text."));
    }
    sentences
}

pub(super) fn target(url: &str) -> Target {
    let host =
        url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    Target { host, url: text::reveal_text(url) }
}

fn payload(value: &Value) -> PayloadView {
    let json = format!("{value:#}");
    PayloadView {
        tree: text::json_tree_html(value),
        json: text::code(text::Language::Json, &json),
        exact: (text::reveal_text(&json) != json).then_some(json),
        size: counted(text::count_fields(value), "field"),
    }
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

/// `1 field`, `1,204 characters`.
pub fn counted(count: usize, noun: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{grouped} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_plural() {
        assert_eq!(counted(1, "field"), "1 field");
        assert_eq!(counted(0, "field"), "0 fields");
        assert_eq!(counted(1_204, "character"), "1,204 characters");
        assert_eq!(counted(262_144, "character"), "262,144 characters");
    }

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
