//! A message in Discord's form: a title that notifications show, embeds below it, and buttons
//! (<https://docs.discord.com/developers/resources/message#create-message>).
//!
//! What an agent says stands in code blocks or quotes, there with every sign that Discord's Markdown could take for markup escaped, so
//! that it can't pose as what this server says. A title holds 2,000 characters, an embed 4,096, and all embeds 6,000
//! together (<https://docs.discord.com/developers/resources/message#embed-object-embed-limits>); they are counted as
//! UTF-16 here, with their markup, which is never less.

use serde_json::{Map, Value, json};
use url::{Host, Url};

use crate::domain::content::PreviewFormat;
use crate::server::notify::message::{Ask, Message, Part, Place, fit};

/// Most characters of `content`.
const CONTENT: usize = 2_000;
/// Most characters of an embed's description.
const DESCRIPTION: usize = 4_096;
/// Most characters of all embeds together.
const EMBEDS: usize = 6_000;
/// Longest address that is written out, in characters; it is this server's own.
const LINK_ROOM: usize = 300;
/// Longest address that a button leads to (<https://docs.discord.com/developers/components/reference#button>).
const BUTTON_URL: usize = 512;
/// Room for the markup of the sentence on what is missing.
const MARKUP: usize = 8;
/// Keeps signs apart that would end a block of code. No agent's text holds one: those are marked (`⟨U+200B⟩`).
const APART: char = '\u{200b}';

/// What is sent. Without buttons the address is written out.
pub(super) fn body(message: &Message, has_buttons: bool) -> Map<String, Value> {
    let heads = message
        .parts
        .iter()
        .take_while(|part| matches!(part.place, Place::Note | Place::Heading | Place::Title))
        .count();
    let is_short = message.parts[..heads].iter().map(size).sum::<usize>() <= CONTENT;
    let (head, rest) = message.parts.split_at(if is_short { heads } else { 0 });
    let fitted = fit(rest, EMBEDS - LINK_ROOM - MARKUP, size);
    let mut embeds = Embeds::default();
    for piece in fitted.parts.iter().flat_map(pieces) {
        embeds.push(&piece);
    }
    if let Some(missing) = &fitted.missing {
        embeds.push(&format!("**{missing}**"));
    }
    let mut buttons = Vec::new();
    if let Some(Ask { approve, reject }) = &message.ask {
        let button = |label: &str, style: u8, id: &str| json!({"type": 2, "style": style, "label": label, "custom_id": id});
        // Nobody approves what they were not shown.
        let approve = approve.as_ref().filter(|_| fitted.missing.is_none());
        buttons.extend(approve.map(|approve| button("Approve", 3, approve)));
        buttons.push(button("Reject", 4, reject));
    }
    if has_buttons && is_reachable(&message.link) {
        buttons.push(json!({"type": 2, "style": 5, "label": message.link_label, "url": message.link}));
    } else {
        embeds.push(&format!("{}: {}", message.link_label, message.link));
    }
    let rows = if buttons.is_empty() { json!([]) } else { json!([{"type": 1, "components": buttons}]) };
    let content = head.iter().flat_map(pieces).collect::<Vec<_>>().join("\n");
    let mut body = Map::new();
    body.insert("content".into(), content.into());
    body.insert("embeds".into(), embeds.0.into_iter().map(|text| json!({"description": text})).collect());
    body.insert("components".into(), rows);
    // Whatever an agent writes, nobody is called by it.
    body.insert("allowed_mentions".into(), json!({"parse": []}));
    body
}

/// The descriptions of embeds.
#[derive(Default)]
struct Embeds(Vec<String>);

impl Embeds {
    fn push(&mut self, piece: &str) {
        match self.0.last_mut() {
            Some(last) if units(last) + 1 + units(piece) <= DESCRIPTION => {
                last.push('\n');
                last.push_str(piece);
            }
            _ => self.0.push(piece.to_owned()),
        }
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// How much room a part takes, with the line breaks between its pieces.
fn size(part: &Part) -> usize {
    pieces(part).iter().map(|piece| units(piece) + 1).sum()
}

/// How a part is marked up: what stands before and behind its text, and whether that is code.
fn markup(part: &Part) -> (&'static str, &'static str, bool) {
    match part.place {
        Place::Note => ("*", "*", false),
        Place::Title => ("> **", "**", false),
        Place::Heading | Place::Outcome => ("**", "**", false),
        Place::Fact => ("", "", false),
        Place::Warning => ("⚠ ", "", false),
        Place::Preview(PreviewFormat::Diff) => ("```diff\n", "\n```", true),
        Place::Payload => ("```json\n", "\n```", true),
        // With a line break at once, what follows is never taken for the name of a language.
        Place::Origin | Place::Target | Place::Preview(_) | Place::Claim | Place::Words => {
            ("```\n", "\n```", true)
        }
    }
}

/// A part as Discord reads it, in pieces that have room in one embed each.
fn pieces(part: &Part) -> Vec<String> {
    let (before, after, is_code) = markup(part);
    let label = if part.label.is_empty() { String::new() } else { format!("{}:\n", part.label) };
    let room = DESCRIPTION - units(before) - units(after) - units(&label) - 2;
    let texts = match is_code {
        true => cut(&part.text, room, in_code).into_iter().map(guarded).collect(),
        false => cut(&part.text, room, in_line),
    };
    let pieces = texts.into_iter().enumerate();
    pieces.map(|(at, text)| format!("{}{before}{text}{after}", if at == 0 { &label } else { "" })).collect()
}

/// A text in pieces of at most `room` once every character is written as `write` does; one piece for an empty text.
fn cut(text: &str, room: usize, write: fn(char, &mut String)) -> Vec<String> {
    let (mut pieces, mut length) = (vec![String::new()], 0);
    let mut written = String::new();
    for character in text.chars() {
        written.clear();
        write(character, &mut written);
        let more = units(&written);
        if length + more > room {
            pieces.push(String::new());
            length = 0;
        }
        length += more;
        if let Some(last) = pieces.last_mut() {
            last.push_str(&written);
        }
    }
    pieces
}

/// A character inside a block of code, which ends at three backticks and nowhere else.
fn in_code(character: char, out: &mut String) {
    out.push(character);
    if character == '`' {
        out.push(APART);
    }
}

/// What is inside a block of code. Line breaks at its ends are kept only where something stands beyond them.
fn guarded(text: String) -> String {
    let first = if text.starts_with('\n') || text.is_empty() { "\u{200b}" } else { "" };
    let last = if text.ends_with('\n') { "\u{200b}" } else { "" };
    format!("{first}{text}{last}")
}

/// A character among words. A backslash before any sign that is no letter, digit or space shows that sign.
fn in_line(character: char, out: &mut String) {
    // None of these begins or ends anything in Discord's Markdown.
    let is_plain = matches!(character, ',' | ';' | '\'' | '"' | '%' | '!' | '?' | '&' | '=' | '+' | '$');
    if character.is_ascii_punctuation() && !is_plain {
        out.push('\\');
    }
    out.push(character);
}

/// A text among words.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|character| in_line(character, &mut out));
    out
}

/// Whether Discord takes a button that leads there: it knows no names without a dot and no loopback.
fn is_reachable(link: &str) -> bool {
    let url = Url::parse(link).ok().filter(|url| url.as_str().len() <= BUTTON_URL);
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name.contains('.') && !name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => !address.is_loopback(),
        Some(Host::Ipv6(address)) => !address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
