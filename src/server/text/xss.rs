//! The corpus of attacks through every renderer.
//!
//! The same file is thrown at a real browser; this test proves more, and sooner: that no output holds anything
//! outside the allowed elements and attributes, whatever a browser would do with it.
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use super::{testing::text_of, *};

#[derive(Deserialize)]
struct Vector {
    name: String,
    text: String,
}

fn corpus() -> Vec<Vector> {
    serde_json::from_str(include_str!("../../../tests/fixtures/xss.json")).unwrap()
}

/// Parses as a browser does and keeps every element that could do something, to see whether there is one.
fn live_parts(html: &str) -> String {
    let inert: HashSet<&str> = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "details",
        "div",
        "em",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "summary",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
    .into();
    let dangerous = [
        "script", "img", "svg", "math", "iframe", "object", "embed", "form", "input", "button", "base",
        "meta", "link", "style", "video", "audio", "template", "noscript", "textarea", "title", "select",
        "body",
    ];
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(inert.iter().copied().chain(dangerous).collect())
        .clean_content_tags(HashSet::new())
        .generic_attributes(
            [
                "onclick",
                "onerror",
                "onload",
                "onfocus",
                "style",
                "id",
                "name",
                "src",
                "srcdoc",
                "action",
                "formaction",
                "href",
                "autofocus",
            ]
            .into(),
        )
        .url_schemes(["javascript", "data", "vbscript", "http", "https", "mailto"].into())
        .link_rel(None)
        .strip_comments(false);
    builder.clean(html).to_string()
}

#[test]
fn the_corpus_is_large_and_distinct() {
    let corpus = corpus();
    assert!(corpus.len() >= 120, "{}", corpus.len());
    assert_eq!(corpus.iter().map(|v| &v.text).collect::<HashSet<_>>().len(), corpus.len());
    assert_eq!(corpus.iter().map(|v| &v.name).collect::<HashSet<_>>().len(), corpus.len());
}

#[test]
fn no_vector_leaves_the_allow_list() {
    for Vector { name, text } in corpus() {
        let hunk = format!("@@ -1,9 +1,9 @@\n {text}\n-{text}\n+{text}");
        let outputs = [
            markdown(&text).html,
            markdown(&format!("> - {text}\n\n| {text} |\n|-|\n| {text} |\n\n# {text}")).html,
            markdown(&format!("[{text}]({text} \"{text}\") ![{text}](<{text}>)")).html,
            markdown(&format!("```{text}\n{text}\n```\n\n[{text}]: {text}")).html,
            plain(&text),
            inline(&text),
            code(Language::Generic, &text),
            unified_diff_html(&hunk).html,
            unified_diff_html(&text).html,
            changes_html(&text, &format!("{text}x")),
            json_tree_html(&json!({ text.clone(): [text.clone()] })),
            json_tree_html(&json!(text)),
        ];
        for (number, html) in outputs.iter().enumerate() {
            let html = html.as_str();
            text_of(html).unwrap_or_else(|why| panic!("{name}, output {number}: {why}\n{html}"));
            let parsed = live_parts(html);
            text_of(&parsed.replace(" open=\"\"", ""))
                .unwrap_or_else(|why| panic!("{name}, {number}: {why}\n{parsed}"));
        }
    }
}

#[test]
fn the_text_of_a_vector_stays_readable() {
    for Vector { name, text } in corpus() {
        let read = testing::undo(plain(&text).as_str());
        assert_eq!(read.strip_prefix('\n').unwrap_or(&read), text, "{name}");
    }
}
