//! A JSON value as a tree that a person can read.
//!
//! Owns the rendering of payloads. It must not know what a payload means. Complete by construction: every key
//! and every value is in the markup, and what is too large for a tree is shown as JSON text.
use serde_json::Value;

use crate::{
    server::text::{
        escape::escape,
        finding::FindingKind,
        invisible::{code_point, describe},
        language::Language,
        plain::{code, inline},
        reveal::Revealer,
    },
    wire::safe_html::SafeHtml,
};

/// More values than this make a page that a phone can't hold; JSON text is lighter.
const MAX_VALUES: usize = 5_000;

/// Renders `value` as nested lists in `<div class="json">`: containers are `<details open>` that say how much
/// they hold, values carry their type as a class. A text of several lines is a block of its own, and no key has
/// a line break, so that nothing in a text can be taken for a field.
pub fn json_tree_html(value: &Value) -> SafeHtml {
    let all = value.to_string();
    if count_values(value) > MAX_VALUES {
        return code(Language::Json, &serde_json::to_string_pretty(value).unwrap_or(all));
    }
    let mut out = String::from("<div class=\"json\">");
    // Words are judged in the company of the whole payload, keys included.
    node(&Revealer::new(&all), None, value, &mut out);
    out.push_str("</div>");
    SafeHtml::trusted(out)
}

/// Counts the values that are no containers, and the containers that are empty: what a person has to read.
pub fn count_values(value: &Value) -> usize {
    match value {
        Value::Object(map) if !map.is_empty() => map.values().map(count_values).sum(),
        Value::Array(list) if !list.is_empty() => list.iter().map(count_values).sum(),
        _ => 1,
    }
}

enum Name<'a> {
    Key(&'a str),
    Index(usize),
}

fn node(revealer: &Revealer, name: Option<Name<'_>>, value: &Value, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            open(revealer, name, "object", &counted(map.len(), "field"), out);
            for (key, value) in map {
                item(revealer, Name::Key(key), value, out);
            }
            out.push_str("</ul></details>");
        }
        Value::Array(list) if !list.is_empty() => {
            open(revealer, name, "array", &counted(list.len(), "item"), out);
            for (index, value) in list.iter().enumerate() {
                item(revealer, Name::Index(index), value, out);
            }
            out.push_str("</ul></details>");
        }
        _ => {
            label(revealer, name, out);
            scalar(revealer, value, out);
        }
    }
}

fn item(revealer: &Revealer, name: Name<'_>, value: &Value, out: &mut String) {
    out.push_str("<li>");
    node(revealer, Some(name), value, out);
    out.push_str("</li>\n");
}

fn open(revealer: &Revealer, name: Option<Name<'_>>, kind: &str, size: &str, out: &mut String) {
    out.push_str("<details class=\"json-");
    out.push_str(kind);
    out.push_str("\" open=\"\"><summary>");
    label(revealer, name, out);
    out.push_str("<span class=\"json-size\">");
    out.push_str(kind);
    out.push_str(", ");
    out.push_str(size);
    out.push_str("</span></summary><ul>\n");
}

fn label(revealer: &Revealer, name: Option<Name<'_>>, out: &mut String) {
    match name {
        None => {}
        Some(Name::Key("")) => out.push_str("<span class=\"json-key json-empty\">empty key</span>: "),
        Some(Name::Key(key)) => {
            out.push_str("<span class=\"json-key\">");
            one_line(revealer, key, out);
            out.push_str("</span>: ");
        }
        Some(Name::Index(index)) => {
            out.push_str("<span class=\"json-index\">");
            out.push_str(&index.to_string());
            out.push_str("</span>: ");
        }
    }
}

/// Writes a key, its line breaks as marks.
fn one_line(revealer: &Revealer, key: &str, out: &mut String) {
    let mut from = 0;
    for (at, line_break) in key.match_indices(['\n', '\r']) {
        revealer.html(&key[from..at], out);
        let ch = if line_break == "\n" { '\n' } else { '\r' };
        let code = code_point(ch);
        out.push_str("<span class=\"revealed\" title=\"");
        out.push_str(describe(ch, FindingKind::Control));
        out.push_str(", ");
        out.push_str(&code);
        out.push_str("\">");
        out.push_str(&code);
        out.push_str("</span>");
        from = at + 1;
    }
    revealer.html(&key[from..], out);
}

fn scalar(revealer: &Revealer, value: &Value, out: &mut String) {
    if let Value::String(text) = value
        && text.contains('\n')
    {
        out.push_str("<div class=\"json-string json-lines\">");
        quoted(revealer, text, out);
        return out.push_str("</div>");
    }
    let (class, text) = match value {
        Value::Null => ("json-null", "null".to_owned()),
        Value::Bool(flag) => ("json-bool", flag.to_string()),
        Value::Number(number) => ("json-number", number.to_string()),
        Value::String(text) if text.is_empty() => ("json-empty", "empty text".to_owned()),
        Value::String(text) => ("json-string", text.clone()),
        Value::Array(_) => ("json-empty", "empty array".to_owned()),
        Value::Object(_) => ("json-empty", "empty object".to_owned()),
    };
    out.push_str("<span class=\"");
    out.push_str(class);
    out.push_str("\">");
    // Quotes tell the text "true" from the value, without relying on colour.
    if class == "json-string" {
        quoted(revealer, &text, out);
    } else {
        out.push_str(inline(&text).as_str());
    }
    out.push_str("</span>");
}

fn quoted(revealer: &Revealer, text: &str, out: &mut String) {
    escape("\"", out);
    revealer.html(text, out);
    escape("\"", out);
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::server::text::testing::{text_of, undo};

    #[test]
    fn a_tree_names_types_and_sizes() {
        let html = json_tree_html(&json!({"to": "a<b", "n": [1, 1.50, null], "e": {}, "": "", "t": "true"}));
        let html = html.as_str();
        for part in [
            "<span class=\"json-size\">object, 5 fields</span>",
            "<span class=\"json-key\">to</span>: <span class=\"json-string\">&quot;a&lt;b&quot;</span>",
            "<span class=\"json-size\">array, 3 items</span>",
            "<span class=\"json-index\">1</span>: <span class=\"json-number\">1.5</span>",
            "<span class=\"json-null\">null</span>",
            "<span class=\"json-empty\">empty object</span>",
            "<span class=\"json-key json-empty\">empty key</span>: <span class=\"json-empty\">empty text</span>",
            "<span class=\"json-string\">&quot;true&quot;</span>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        text_of(html).unwrap();
    }

    #[test]
    fn a_line_break_starts_no_field() {
        let html = json_tree_html(&json!({"memo": "thanks\"\nto: \"bob\"\namount: \"10", "a\r\nb": "eve"}));
        let html = html.as_str();
        for part in [
            "<span class=\"json-key\">memo</span>: <div class=\"json-string json-lines\">&quot;thanks&quot;\nto: \
             &quot;bob&quot;\namount: &quot;10&quot;</div></li>",
            "<span class=\"json-key\">a<span class=\"revealed\" title=\"CARRIAGE RETURN, U+000D\">U+000D</span>\
             <span class=\"revealed\" title=\"LINE FEED, U+000A\">U+000A</span>b</span>: ",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        text_of(html).unwrap();
    }

    #[test]
    fn large_integers_are_exact_and_huge_payloads_are_text() {
        let value: Value = serde_json::from_str("18446744073709551615").unwrap();
        assert!(json_tree_html(&value).as_str().contains(">18446744073709551615<"));
        let many = Value::from(vec![1; MAX_VALUES + 1]);
        assert!(json_tree_html(&many).as_str().starts_with("<pre class=\"code\">"));
    }

    #[test]
    fn values_are_what_a_person_has_to_read() {
        assert_eq!(count_values(&json!({"a": 1, "b": {"c": [1, 2], "d": {}}})), 4);
        assert_eq!(count_values(&json!([])), 1);
    }

    proptest! {
        #[test]
        fn every_text_is_complete(key in "\\PC{1,20}", text in any::<String>()) {
            let html = json_tree_html(&json!({ key.clone(): text.clone() }));
            text_of(html.as_str()).unwrap();
            let read = undo(html.as_str());
            let quoted = format!("\"{text}\"");
            prop_assert!(read.contains(&key));
            prop_assert!(text.is_empty() || read.contains(&quoted));
        }
    }
}
