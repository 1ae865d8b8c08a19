//! A message in Telegram's form: HTML of which only `<`, `>` and `&` have to be escaped
//! (<https://core.telegram.org/bots/api#html-style>), and buttons below it.
//!
//! What an agent says stands in quotes or in code, its title too, so that it can't pose as what this server says. A message holds 4,096
//! characters after its markup was read (<https://core.telegram.org/bots/api#sendmessage>); they are counted as UTF-16
//! here, which is never less.

use serde_json::{Map, Value, json};
use url::{Host, Url};

use crate::domain::content::PreviewFormat;
use crate::server::notify::message::{Ask, Message, Part, Place, fit};

/// Most characters of a message.
const LIMIT: usize = 4_096;
/// Longest address that is written out, in characters; it is this server's own.
const LINK_ROOM: usize = 300;

/// What is sent, without the chat.
pub(super) fn body(message: &Message) -> Map<String, Value> {
    let fitted = fit(&message.parts, LIMIT - LINK_ROOM, size);
    let mut text: Vec<String> = fitted.parts.iter().map(part).collect();
    if let Some(missing) = &fitted.missing {
        text.push(format!("<b>{}</b>", escape(missing)));
    }
    let mut rows = Vec::new();
    if let Some(Ask { approve, reject }) = &message.ask {
        let button = |label: &str, data: &str| json!({"text": label, "callback_data": data});
        // Nobody approves what they were not shown.
        rows.push(match (&fitted.missing, approve) {
            (None, Some(approve)) => json!([button("Approve", approve), button("Reject", reject)]),
            (Some(_), _) | (None, None) => json!([button("Reject", reject)]),
        });
    }
    if is_reachable(&message.link) {
        rows.push(json!([{"text": message.link_label, "url": message.link}]));
    } else {
        // Telegram refuses buttons that lead to an address like this.
        text.push(format!("{}: {}", message.link_label, escape(&message.link)));
    }
    let mut body = Map::new();
    body.insert("text".into(), text.join("\n\n").into());
    body.insert("parse_mode".into(), "HTML".into());
    // Nothing that an agent names is fetched.
    body.insert("link_preview_options".into(), json!({"is_disabled": true}));
    body.insert("reply_markup".into(), json!({"inline_keyboard": rows}));
    body
}

fn size(part: &Part) -> usize {
    let label = if part.label.is_empty() { 0 } else { part.label.chars().count() + 2 };
    part.text.encode_utf16().count() + label + 8
}

fn part(part: &Part) -> String {
    let text = escape(&part.text);
    let shown = match part.place {
        Place::Note => format!("<i>{text}</i>"),
        Place::Title => format!("<blockquote><b>{text}</b></blockquote>"),
        Place::Heading | Place::Outcome => format!("<b>{text}</b>"),
        Place::Fact => text,
        Place::Warning => format!("⚠ {text}"),
        Place::Origin | Place::Target => format!("<code>{text}</code>"),
        Place::Preview(PreviewFormat::Diff) => {
            format!("<pre><code class=\"language-diff\">{text}</code></pre>")
        }
        Place::Payload => format!("<pre><code class=\"language-json\">{text}</code></pre>"),
        Place::Preview(_) | Place::Claim | Place::Words => format!("<blockquote>{text}</blockquote>"),
    };
    match (part.label, part.place) {
        ("", _) => shown,
        (label, Place::Origin | Place::Target) => format!("{}: {shown}", escape(label)),
        (label, _) => format!("{}:\n{shown}", escape(label)),
    }
}

/// A text in Telegram's HTML.
pub(super) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            _ => html.push(character),
        }
    }
    html
}

/// Whether Telegram takes a button that leads there: it knows no names without a dot and no loopback.
fn is_reachable(link: &str) -> bool {
    let url = Url::parse(link).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name.contains('.') && !name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => !address.is_loopback(),
        Some(Host::Ipv6(address)) => !address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::notify::message::About;
    use proptest::prelude::*;

    /// Reads a message as Telegram does: the text that people see, and what stands in quotes or code in it.
    fn read(html: &str) -> (String, Vec<String>) {
        let (mut shown, mut inner, mut depth, mut rest) = (String::new(), Vec::new(), 0, html);
        while let Some(next) = rest.chars().next() {
            if let Some(tag) = rest.strip_prefix('<') {
                let (tag, after) = tag.split_once('>').expect("a whole tag");
                let name = tag.trim_start_matches('/').split(' ').next().expect("a name");
                assert!(["b", "i", "code", "pre", "blockquote"].contains(&name), "{tag}");
                let holds = ["blockquote", "pre"].contains(&name);
                match (tag.starts_with('/'), holds) {
                    (false, true) => {
                        depth += 1;
                        inner.push(String::new());
                    }
                    (true, true) => depth -= 1,
                    _ => {}
                }
                rest = after;
                continue;
            }
            let entities = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')];
            let entity = entities.into_iter().find(|(entity, _)| rest.starts_with(entity));
            let (length, character) = entity.map_or((next.len_utf8(), next), |(text, ch)| (text.len(), ch));
            assert!(entity.is_some() || !['&', '>'].contains(&next), "an unescaped {next} in {html}");
            shown.push(character);
            if depth > 0 {
                inner.last_mut().expect("begun").push(character);
            }
            rest = &rest[length..];
        }
        (shown, inner)
    }

    fn message(format: PreviewFormat, body: &str) -> Message {
        Message {
            subject: "A title".into(),
            parts: vec![Part::new(Place::Title, "A title"), Part::new(Place::Preview(format), body)],
            link: "https://impri.example.com/inbox/act_x".into(),
            link_label: "Open",
            ask: Some(Ask { approve: Some("a:x:y".into()), reject: "r:x:y".into() }),
            minutes_left: Some(60),
            about: About { action: "act_x".into(), title: String::new(), kind: String::new() },
        }
    }

    fn labels(body: &Map<String, Value>) -> Vec<String> {
        let rows = body["reply_markup"]["inline_keyboard"].as_array().expect("rows").clone();
        let buttons = rows.into_iter().flat_map(|row| row.as_array().expect("a row").clone());
        buttons.map(|button| button["text"].as_str().expect("a label").to_owned()).collect()
    }

    #[test]
    fn a_local_address_is_written_out() {
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
        let body =
            body(&Message { link: "http://127.0.0.1:1/inbox".into(), ..message(PreviewFormat::Plain, "x") });
        assert_eq!(labels(&body), ["Approve", "Reject"]);
        assert!(body["text"].as_str().expect("a text").ends_with("Open: http://127.0.0.1:1/inbox"));
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_proposed(text in "(?s).{0,3000}", is_diff: bool) {
            let format = if is_diff { PreviewFormat::Diff } else { PreviewFormat::Markdown };
            let body = body(&message(format, &text));
            let html = body["text"].as_str().expect("a text");
            let (shown, inner) = read(html);
            prop_assert!(shown.encode_utf16().count() <= LIMIT);
            if labels(&body).contains(&"Approve".to_owned()) {
                prop_assert_eq!(&inner[1], &text);
            } else {
                prop_assert!(text.starts_with(&inner[1]) && shown.contains("of the preview"));
                prop_assert_eq!(labels(&body), ["Reject", "Open"]);
            }
        }
    }

    #[test]
    fn what_has_no_room_can_only_be_rejected_or_opened() {
        let body = body(&message(PreviewFormat::Plain, &"ä<&>".repeat(2_000)));
        assert_eq!(labels(&body), ["Reject", "Open"]);
        let (shown, _) = read(body["text"].as_str().expect("a text"));
        assert!(shown.contains("more characters of the preview. Open the card to see all of it."), "{shown}");
    }
}
