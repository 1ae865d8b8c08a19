//! What an action does, as a reader sees it before and after the decision: its preview, its payload, its target, and what
//! in them does not look like what it is.

use serde_json::Value;

use crate::domain::action::Action;
use crate::domain::content::{Content, ContentDigest, PreviewFormat};
use crate::server::text::{self, Finding};
use crate::wire::card::{ContentView, PayloadView, Target};

/// What came of rendering a preview.
pub(super) struct Shown {
    /// It had to be shown as plain text because it could not be rendered.
    pub fell_back: bool,
    /// What in it does not look like what it is, entities of Markdown included.
    pub findings: Vec<Finding>,
}

/// A version of an action's content, and what came of rendering its preview.
pub(super) fn content(shown: &Content, digest: ContentDigest) -> (ContentView, Shown) {
    let (preview, code) = preview(shown);
    let view = ContentView {
        format: if code.is_some() { "code" } else { shown.preview.format.as_str() }.to_owned(),
        preview: preview.html,
        raw: (shown.preview.format != PreviewFormat::Plain || code.is_some())
            .then(|| text::plain(&shown.preview.body)),
        size: counted(shown.preview.body.chars().count(), "character"),
        payload: shown.payload.as_ref().map(payload),
        digest: digest.to_string(),
        digest_short: digest.short(),
    };
    (view, Shown { fell_back: preview.fell_back, findings: preview.findings })
}

/// A preview in its format, and its language if it is code.
pub(super) fn preview(shown: &Content) -> (text::Rendered, Option<text::Language>) {
    let mut preview = text::render_preview(shown.preview.format, &shown.preview.body);
    // Plain text of an action that runs code is code: the same characters, in the look of code.
    let code = code_of(shown);
    if let Some(language) = code {
        preview.html = text::code(language, &shown.preview.body);
    }
    (preview, code)
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

/// What a reader should know before they read: everything that does not look like what it is. `shown` is there where
/// the preview was rendered.
pub(super) fn warnings(action: &Action, content: &Content, shown: Option<&Shown>) -> Vec<String> {
    let payload = content.payload.as_ref().map(Value::to_string).unwrap_or_default();
    let body = content.preview.body.as_str();
    let target = content.target_url.as_deref().unwrap_or_default();
    let places = [
        ("Kind", text::inspect(content.kind.as_str())),
        ("Title", text::inspect(content.title.as_str())),
        ("Preview", shown.map_or_else(|| text::inspect(body), |shown| shown.findings.clone())),
        ("Payload", text::inspect(&payload)),
        ("Target", text::inspect(target)),
    ];
    let mut sentences = Vec::new();
    if let Some(at) = action.erased_at {
        sentences.push(format!("The content of this action was erased on {}.", at.date()));
    }
    for (place, findings) in places {
        // Unusual spaces are marked in the text and alarm nobody.
        let alarming = findings.into_iter().filter(|finding| finding.kind.is_warning());
        sentences.extend(alarming.map(|finding| format!("{place}: {}", finding.sentence)));
    }
    if content.preview.format == PreviewFormat::Markdown {
        sentences.extend(text::link_warning(body).map(|sentence| format!("Preview: {sentence}")));
    }
    sentences.extend(text::address_warning(target).map(|sentence| format!("Target: {sentence}")));
    if shown.is_some_and(|shown| shown.fell_back) {
        let format = content.preview.format.as_str();
        sentences.push(format!("The preview could not be shown as {format}; this is its plain text."));
    }
    sentences
}

/// Where it happens.
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
        size: counted(text::count_values(value), "value"),
    }
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
}
