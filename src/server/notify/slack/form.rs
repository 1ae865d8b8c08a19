//! A message in Slack's form: blocks of rich text, whose texts hold no markup at all
//! (<https://docs.slack.dev/reference/block-kit/blocks/rich-text-block/>). So nothing in them is a mention, a link or a
//! format, whatever an agent writes; what an agent says stands in quotes or in code, so that it can't pose as what this
//! server says. Only the line for notifications is read as markup, and is escaped
//! (<https://docs.slack.dev/messaging/formatting-message-text/#escaping>).

use serde_json::{Map, Value, json};

use crate::server::notify::message::{Ask, Fitted, Message, Part, Place, fit};

/// Most characters of a message's blocks. Slack does not document what all of them may hold together; it was seen to refuse
/// from about 11,300 on (<https://github.com/slackapi/bolt-js/issues/2867>). If it refuses the first, the second is tried.
pub(super) const LIMITS: [usize; 2] = [9_000, 3_000];
/// Most characters of the line for notifications.
const LINE: usize = 300;
/// Room that a part's markup is counted as.
const AROUND: usize = 40;

/// How a link to the card is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// As a button. Slack tells the app of every press, so the app must be able to hear.
    Button,
    /// In a line of its own.
    Line,
}

/// What is sent, without the channel.
pub(super) fn body(message: &Message, limit: usize, link: Link) -> Map<String, Value> {
    let Fitted { parts, missing } = fit(&message.parts, limit, size);
    let mut blocks = in_blocks(&parts);
    if let Some(missing) = &missing {
        blocks.push(rich(vec![section(vec![text(missing, "bold")])]));
    }
    let mut buttons = Vec::new();
    if let Some(Ask { approve, reject }) = &message.ask {
        // Nobody approves what they were not shown.
        if let (None, Some(approve)) = (&missing, approve) {
            buttons.push(button("approve", "Approve", approve, "primary"));
        }
        buttons.push(button("reject", "Reject", reject, "danger"));
    }
    match link {
        Link::Button => buttons.push(json!({
            "type": "button", "action_id": "open", "text": plain(message.link_label), "url": message.link,
        })),
        Link::Line => {
            let link = json!({"type": "link", "url": message.link, "text": message.link_label});
            blocks.push(rich(vec![section(vec![link])]));
        }
    }
    if !buttons.is_empty() {
        blocks.push(json!({"type": "actions", "elements": buttons}));
    }
    let mut body = Map::new();
    body.insert("text".into(), line(&message.subject).into());
    body.insert("blocks".into(), blocks.into());
    // Nothing that an agent names is fetched.
    body.insert("unfurl_links".into(), false.into());
    body.insert("unfurl_media".into(), false.into());
    body
}

/// What whoever pressed is told alone. `link` is what a button below it carries that leads to linking their account.
pub(super) fn whisper(sentence: &str, link: Option<&str>) -> Map<String, Value> {
    let sentence: String = sentence.chars().take(2_000).collect();
    let mut blocks = vec![rich(vec![section(vec![text(&sentence, "")])])];
    if let Some(channel) = link {
        blocks.push(
            json!({"type": "actions", "elements": [button("link", "Link my account", channel, "primary")]}),
        );
    }
    let mut body = Map::new();
    body.insert("text".into(), line(&sentence).into());
    body.insert("blocks".into(), blocks.into());
    body
}

/// The form that asks why something is rejected (<https://docs.slack.dev/surfaces/modals/>).
pub(super) fn ask_why(title: &str, metadata: &str) -> Value {
    let title: String = title.chars().take(500).collect();
    let title = json!({"type": "rich_text_quote", "elements": [text(&title, "bold")]});
    let input =
        json!({"type": "plain_text_input", "action_id": "reason", "multiline": true, "max_length": 2_000});
    modal(
        "reject",
        "Reject",
        "Reject",
        metadata,
        &[
            rich(vec![section(vec![text("Why do you reject this?", "")]), title]),
            json!({"type": "input", "block_id": "reason", "optional": true, "label": plain("Reason"), "element": input,
                "hint": plain("The agent reads it. You may leave it empty.")}),
        ],
    )
}

/// The form that takes the code that links an account.
pub(super) fn ask_code(account_page: &str, metadata: &str) -> Value {
    let how = format!("Open {account_page} and choose Link a Slack account. It shows a code for 10 minutes.");
    let input = json!({"type": "plain_text_input", "action_id": "code", "max_length": 40});
    modal(
        "link",
        "Link my account",
        "Link",
        metadata,
        &[
            rich(vec![section(vec![text(&how, "")])]),
            json!({"type": "input", "block_id": "code", "label": plain("Code"), "element": input}),
        ],
    )
}

fn modal(callback: &str, title: &str, submit: &str, metadata: &str, blocks: &[Value]) -> Value {
    json!({"type": "modal", "callback_id": callback, "title": plain(title), "submit": plain(submit),
        "close": plain("Cancel"), "private_metadata": metadata, "blocks": blocks})
}

fn size(part: &Part) -> usize {
    part.text.encode_utf16().count() + part.label.chars().count() + AROUND
}

/// Short lines stand together; everything else is a block of its own.
fn in_blocks(parts: &[Part]) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut lines: Vec<Value> = Vec::new();
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        if let Some(line) = line_of(part) {
            if !lines.is_empty() {
                lines.push(text("\n", ""));
            }
            lines.extend(line);
        } else {
            close(&mut blocks, &mut lines);
            blocks.push(rich(box_of(part)));
        }
    }
    close(&mut blocks, &mut lines);
    blocks
}

fn close(blocks: &mut Vec<Value>, lines: &mut Vec<Value>) {
    if !lines.is_empty() {
        blocks.push(rich(vec![section(std::mem::take(lines))]));
    }
}

fn line_of(part: &Part) -> Option<Vec<Value>> {
    let style = match part.place {
        Place::Note => "italic",
        Place::Heading | Place::Outcome => "bold",
        Place::Fact | Place::Warning => "",
        Place::Origin | Place::Target => "code",
        Place::Title | Place::Preview(_) | Place::Payload | Place::Claim | Place::Words => return None,
    };
    let mut line = Vec::new();
    match (part.place, part.label) {
        (Place::Warning, _) => line.push(text("⚠ ", "")),
        (_, "") => {}
        (_, label) => line.push(text(&format!("{label}: "), "")),
    }
    line.push(text(&part.text, style));
    Some(line)
}

fn box_of(part: &Part) -> Vec<Value> {
    let mut elements = Vec::new();
    if !part.label.is_empty() {
        elements.push(section(vec![text(&format!("{}:", part.label), "")]));
    }
    let (kind, style) = match part.place {
        // Code keeps every space and line as it is.
        Place::Preview(_) | Place::Payload => ("rich_text_preformatted", ""),
        Place::Title => ("rich_text_quote", "bold"),
        _ => ("rich_text_quote", ""),
    };
    elements.push(json!({"type": kind, "elements": [text(&part.text, style)]}));
    elements
}

fn rich(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text", "elements": elements})
}

fn section(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text_section", "elements": elements})
}

fn text(text: &str, style: &str) -> Value {
    let mut element = json!({"type": "text", "text": text});
    if !style.is_empty() {
        element["style"] = json!({style: true});
    }
    element
}

/// A text of a button or a form, in this server's words.
fn plain(text: &str) -> Value {
    json!({"type": "plain_text", "text": text, "emoji": false})
}

fn button(action: &str, label: &str, value: &str, style: &str) -> Value {
    json!({"type": "button", "action_id": action, "text": plain(label), "value": value, "style": style})
}

/// What a notification says.
fn line(subject: &str) -> String {
    let short: String = subject.chars().take(LINE).collect();
    escape(&short)
}

/// A text in Slack's markup: three characters have to be escaped, and no others may be.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::PreviewFormat;
    use crate::server::notify::message::About;
    use proptest::prelude::*;

    fn message(subject: &str, body: &str) -> Message {
        Message {
            subject: subject.into(),
            parts: vec![
                Part::new(Place::Title, subject),
                Part::labelled(Place::Origin, "Kind and agent", "mail.send, proposed by agent"),
                Part::labelled(Place::Target, "Target", "https://example.org/?a=<b>&c"),
                Part::new(Place::Preview(PreviewFormat::Markdown), body),
                Part::labelled(Place::Claim, "The agent says on undoing it", "*Approved* by <@U1>"),
            ],
            link: "http://127.0.0.1:8484/inbox/act_x".into(),
            link_label: "Open",
            ask: Some(Ask { approve: Some("a:x:y".into()), reject: "r:x:y".into() }),
            minutes_left: Some(60),
            about: About { action: "act_x".into(), title: String::new(), kind: String::new() },
        }
    }

    /// The texts that stand in elements of this kind.
    fn inside(body: &Map<String, Value>, kind: &str) -> Vec<String> {
        let blocks = body["blocks"].as_array().expect("blocks").iter();
        let elements = blocks.filter_map(|block| block["elements"].as_array()).flatten();
        let texts = |element: &Value| {
            let texts = element["elements"].as_array().expect("elements").iter();
            texts.map(|text| text["text"].as_str().expect("a text")).collect::<String>()
        };
        elements.filter(|element| element["type"] == kind).map(texts).collect()
    }

    fn labels(body: &Map<String, Value>) -> Vec<String> {
        let actions = body["blocks"].as_array().expect("blocks").last().expect("actions");
        let buttons = actions["elements"].as_array().expect("buttons").iter();
        buttons.map(|button| button["text"]["text"].as_str().expect("a label").to_owned()).collect()
    }

    fn unescape(text: &str) -> String {
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_proposed(subject in "\\PC{1,200}", text in "(?s).{1,9500}") {
            let body = body(&message(&subject, &text), LIMITS[0], Link::Button);
            let shown = inside(&body, "rich_text_preformatted");
            let line = body["text"].as_str().expect("a text");
            prop_assert_eq!(unescape(line), subject.clone());
            prop_assert!(!line.contains(['<', '>']));
            prop_assert_eq!(&inside(&body, "rich_text_quote")[0], &subject);
            if labels(&body).contains(&"Approve".to_owned()) {
                prop_assert_eq!(&shown[0], &text);
            } else {
                prop_assert!(text.starts_with(&shown[0]));
                let said = inside(&body, "rich_text_section").join("\n");
                prop_assert!(said.contains("Not shown here, for want of room"));
                prop_assert_eq!(labels(&body), ["Reject", "Open"]);
            }
            let blocks = body["blocks"].to_string();
            prop_assert!(body["blocks"].as_array().expect("blocks").len() <= 50);
            let all: usize = ["rich_text_preformatted", "rich_text_quote", "rich_text_section"]
                .iter().flat_map(|kind| inside(&body, kind)).map(|text| text.encode_utf16().count()).sum();
            prop_assert!(all <= LIMITS[0], "{}", blocks.len());
        }
    }

    #[test]
    fn what_an_agent_says_stands_apart_and_is_no_markup() {
        let body = body(&message("Pay <!channel> & co", "```\n<@U1> *x*\n```"), LIMITS[0], Link::Button);
        assert_eq!(inside(&body, "rich_text_preformatted"), ["```\n<@U1> *x*\n```"]);
        assert_eq!(inside(&body, "rich_text_quote"), ["Pay <!channel> & co", "*Approved* by <@U1>"]);
        assert_eq!(body["text"], "Pay &lt;!channel&gt; &amp; co");
        assert_eq!(labels(&body), ["Approve", "Reject", "Open"]);
        let kinds = body["blocks"].to_string();
        assert!(
            !kinds.contains("mrkdwn") && !kinds.contains("\"link\"") && !kinds.contains("\"user\""),
            "{kinds}"
        );
        assert_eq!(body["unfurl_links"], false);
    }

    #[test]
    fn a_webhooks_message_has_a_line_to_the_card_and_nothing_to_press() {
        let quiet = Message { ask: None, ..message("Pay", "500 €") };
        let body = body(&quiet, LIMITS[0], Link::Line);
        let last = body["blocks"].as_array().expect("blocks").last().expect("a block");
        assert_eq!(last["elements"][0]["elements"][0]["url"], "http://127.0.0.1:8484/inbox/act_x");
        assert!(!body["blocks"].to_string().contains("actions"));
    }
}
