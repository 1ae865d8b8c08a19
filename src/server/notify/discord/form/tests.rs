use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::server::notify::message::About;

/// Reads text as Discord's clients do, as far as this server's own markup goes: what people see, and what of it stands in
/// blocks of code. Anything else that could be markup fails.
fn read(markdown: &str) -> (String, Vec<String>) {
    let (mut shown, mut blocks, mut rest) = (String::new(), Vec::new(), markdown);
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("```") {
            let (block, after) = after.split_once("```").expect("a block that ends");
            // A name on the first line is the language; line breaks at the ends are not shown.
            let (name, code) = block.split_once('\n').expect("a first line");
            assert!(["", "diff", "json"].contains(&name), "{name}");
            let code = code.trim_matches('\n').replace('\u{200b}', "");
            shown.push_str(&code);
            blocks.push(code);
            rest = after;
            continue;
        }
        if next == '\\' {
            let sign = rest[1..].chars().next().expect("a sign");
            assert!(!sign.is_alphanumeric() && !sign.is_whitespace(), "{rest}");
            shown.push(sign);
            rest = &rest[1 + sign.len_utf8()..];
            continue;
        }
        if let Some(after) = rest.strip_prefix("> **").or_else(|| rest.strip_prefix("**")) {
            rest = after;
            continue;
        }
        assert!(!"*_~`|<>#@[](){}^-".contains(next), "an unescaped {next} in {markdown}");
        shown.push(next);
        rest = &rest[next.len_utf8()..];
    }
    (shown, blocks)
}

fn message(parts: Vec<Part>) -> Message {
    Message {
        subject: "A title".into(),
        parts,
        link: "https://impri.example.com/inbox/act_x".into(),
        link_label: "Open",
        ask: Some(Ask { approve: Some("a:x:y".into()), reject: "r:x:y".into() }),
        minutes_left: Some(60),
        about: About { action: "act_x".into(), title: String::new(), kind: String::new() },
    }
}

fn preview(format: PreviewFormat, body: &str) -> Message {
    message(vec![Part::new(Place::Title, "A title"), Part::new(Place::Preview(format), body)])
}

fn labels(body: &Map<String, Value>) -> Vec<String> {
    let rows = body["components"].as_array().expect("rows").clone();
    let buttons = rows.into_iter().flat_map(|row| row["components"].as_array().expect("a row").clone());
    buttons.map(|button| button["label"].as_str().expect("a label").to_owned()).collect()
}

/// The descriptions, checked against what Discord takes.
fn descriptions(body: &Map<String, Value>) -> Vec<String> {
    let embeds = body["embeds"].as_array().expect("embeds");
    let texts: Vec<String> =
        embeds.iter().map(|embed| embed["description"].as_str().expect("a text").to_owned()).collect();
    assert!(texts.len() <= 10 && texts.iter().all(|text| (1..=DESCRIPTION).contains(&units(text))));
    assert!(texts.iter().map(|text| units(text)).sum::<usize>() <= EMBEDS);
    assert!(units(body["content"].as_str().expect("a text")) <= CONTENT);
    assert_eq!(body["allowed_mentions"], json!({"parse": []}));
    texts
}

proptest! {
    #[test]
    fn what_is_read_is_what_was_proposed(text in "(?s).{1,5900}", format in 0_usize..3) {
        let text = text.replace('\u{200b}', "⟨U+200B⟩");
        let format = [PreviewFormat::Plain, PreviewFormat::Markdown, PreviewFormat::Diff][format];
        let body = body(&preview(format, &text), true);
        let (mut shown, mut inner) = (String::new(), String::new());
        for description in descriptions(&body) {
            let (all, blocks) = read(&description);
            shown.push_str(&all);
            inner.extend(blocks);
        }
        if labels(&body).contains(&"Approve".to_owned()) {
            prop_assert_eq!(inner, text);
        } else {
            prop_assert!(text.starts_with(&inner) && shown.contains("of the preview"));
            prop_assert_eq!(labels(&body), ["Reject", "Open"]);
        }
    }

    #[test]
    fn what_looks_like_markup_is_shown_as_it_is(text in "[`*_~|<>#@\\[\\](){}^:./\\\\ \n-]{0,200}") {
        let body = body(&preview(PreviewFormat::Markdown, &format!("{text}x{text}")), true);
        let blocks: String = descriptions(&body).iter().flat_map(|text| read(text).1).collect();
        prop_assert_eq!(blocks, format!("{text}x{text}"));
    }

    #[test]
    fn words_outside_of_code_are_escaped(title in "[^\u{200b}\n]{1,300}", fact in "[^\u{200b}\n]{1,100}") {
        let parts = vec![Part::new(Place::Title, &title), Part::new(Place::Fact, &fact)];
        let body = body(&message(parts), true);
        prop_assert_eq!(read(body["content"].as_str().expect("a text")).0, title);
        let description = descriptions(&body).remove(0);
        prop_assert_eq!(read(&description).0, fact);
    }
}

#[test]
fn fences_links_and_calls_stay_text() {
    let text = "\n\n```\n@everyone <@1> [a](https://x.example)\n```js\n`\n";
    let body = body(&preview(PreviewFormat::Plain, text), true);
    let descriptions = descriptions(&body);
    assert_eq!(descriptions[0].matches("```").count(), 2, "{}", descriptions[0]);
    assert_eq!(read(&descriptions[0]).1, [text]);
    assert_eq!(escape("**a** @here <t:1:R>"), "\\*\\*a\\*\\* \\@here \\<t\\:1\\:R\\>");
}

#[test]
fn a_diff_and_a_payload_are_coloured() {
    let mut message = preview(PreviewFormat::Diff, "-a\n+b");
    message.parts.push(Part::labelled(Place::Payload, "Payload", "{}"));
    let body = body(&message, true);
    assert_eq!(descriptions(&body), ["```diff\n-a\n+b\n```\nPayload:\n```json\n{}\n```"]);
    assert_eq!(labels(&body), ["Approve", "Reject", "Open"]);
}

#[test]
fn a_preview_goes_on_in_another_embed() {
    let text = "ä`".repeat(1_700);
    let body = body(&preview(PreviewFormat::Plain, &text), true);
    let descriptions = descriptions(&body);
    assert_eq!(descriptions.len(), 2);
    assert_eq!(descriptions.iter().flat_map(|text| read(text).1).collect::<String>(), text);
    assert_eq!(labels(&body), ["Approve", "Reject", "Open"]);
}

#[test]
fn what_has_no_room_can_only_be_rejected_or_opened() {
    let body = body(&preview(PreviewFormat::Plain, &"ä`*".repeat(2_000)), true);
    assert_eq!(labels(&body), ["Reject", "Open"]);
    let all = descriptions(&body).join("\n");
    assert!(all.contains("more characters of the preview. Open the card to see all of it."), "{all}");
}

#[test]
fn a_local_address_and_one_of_a_webhook_are_written_out() {
    for (link, reachable) in [
        ("https://impri.example.com/inbox", true),
        ("http://192.168.1.5:8484/inbox", true),
        ("http://127.0.0.1:8484/inbox", false),
        ("http://localhost:8484/inbox", false),
        ("http://impri/inbox", false),
        ("http://[::1]/inbox", false),
    ] {
        assert_eq!(is_reachable(link), reachable, "{link}");
    }
    let message = Message { ask: None, ..preview(PreviewFormat::Plain, "x") };
    let body = body(&message, false);
    assert_eq!(body["components"], json!([]));
    assert_eq!(descriptions(&body), ["```\nx\n```\nOpen: https://impri.example.com/inbox/act_x"]);
}
