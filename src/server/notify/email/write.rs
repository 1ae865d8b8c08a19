//! A message as a mail: two forms of the same, for programs that show HTML and for those that don't.
//!
//! What an agent or a person wrote has a bar on its left, in both forms, so that none of it passes for this server's
//! words. Mails about one action belong to one thread, by their `References` (RFC 5322 §3.6.4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lettre::Address;
use lettre::message::header::{Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message as Mail, MultiPart};
use sha2::{Digest as _, Sha256};

use crate::domain::content::PreviewFormat;
use crate::server::notify::message::{Fitted, Message, Part, Place, fit};
use crate::server::text::reveal_text;

/// Most bytes of a mail's text. A preview and a payload have no more than 256 KiB each, so this cuts only what has marks in
/// the place of most of its characters; servers take ten times as much.
const LIMIT: usize = 1024 * 1024;
/// Longest subject, in characters. The whole title stands in the mail.
const SUBJECT_MAX: usize = 150;
/// Most bytes of text in one encoded word.
const WORD_MAX: usize = 42;

/// Writes mails to one mailbox.
pub(super) struct Writer {
    from: Mailbox,
    to: Mailbox,
}

/// Tells programs that answer mails not to (RFC 3834 §5).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

impl Writer {
    /// From whom, and to whom.
    pub(super) fn new(from: &Mailbox, to: &str) -> Result<Self, String> {
        let address: Address = to.parse().map_err(|error| format!("{to} can't be written to: {error}"))?;
        Ok(Self { from: from.clone(), to: Mailbox::new(None, address) })
    }

    /// The mail that a thread about an action begins with, by its id. It is the same whenever it is asked for, so that a
    /// mail that was sent twice after a crash is one for programs that look.
    pub(super) fn thread(&self, message: &Message) -> Option<String> {
        is_about_one(message).then(|| self.id(&message.about.action, &[]))
    }

    fn id(&self, action: &str, what: &[u8]) -> String {
        let digest = Sha256::new()
            .chain_update(self.to.email.to_string())
            .chain_update([0])
            .chain_update(what)
            .finalize();
        format!("<{action}.{}@{}>", hex::encode(&digest[..8]), self.from.email.domain())
    }

    /// A mail; an answer in a thread if one is named.
    pub(super) fn write(&self, message: &Message, thread: Option<&str>) -> Result<Mail, String> {
        let mail = Mail::builder()
            .from(self.from.clone())
            .to(self.to.clone())
            .header(AutoSubmitted)
            .date_now()
            .raw_header(subject_header(subject(message, thread.is_some())));
        let mail = match thread {
            Some(thread) => {
                let what = serde_json::to_vec(&message.parts).map_err(|error| error.to_string())?;
                let mail = mail.in_reply_to(thread.to_owned()).references(thread.to_owned());
                mail.message_id(Some(self.id(&message.about.action, &what)))
            }
            // None is a new one that nothing else has.
            None => mail.message_id(self.thread(message)),
        };
        let Fitted { parts, missing } = fit(&message.parts, LIMIT, |part| plain(part).len() + 2);
        let text = text(&parts, missing.as_deref(), message);
        let html = html(&parts, missing.as_deref(), message);
        mail.multipart(MultiPart::alternative_plain_html(text, html)).map_err(|error| error.to_string())
    }
}

/// Whether a message is about one action, and no list and no trial.
fn is_about_one(message: &Message) -> bool {
    message.about.action.starts_with("act_")
}

/// Programs make threads of subjects, too, so it stays what the agent called it, whatever an edit made of that.
fn subject(message: &Message, is_answer: bool) -> String {
    let title = match is_about_one(message) {
        true => reveal_text(&message.about.title),
        false => message.subject.clone(),
    };
    let short: String =
        title.chars().take(SUBJECT_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if short.chars().count() < title.chars().count() { "…" } else { "" };
    let answer = if is_answer { "Re: " } else { "" };
    format!("{answer}[Impri] {short}{more}")
}

/// What is not plain, or would be taken for something encoded, is encoded as a whole (RFC 2047 §2), so that readers show what
/// is there and nothing in a title begins a header of its own.
fn subject_header(subject: String) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Subject");
    if subject.bytes().all(|b| matches!(b, b' '..=b'~')) && !subject.contains("=?") {
        return HeaderValue::new(name, subject);
    }
    let mut words = vec![String::new()];
    for c in subject.chars() {
        // An encoded word has 75 characters at most, and whole characters in it (§2, §5).
        if words.last().is_some_and(|word| word.len() + c.len_utf8() > WORD_MAX) {
            words.push(String::new());
        }
        words.last_mut().expect("there is one").push(c);
    }
    let words: Vec<String> =
        words.iter().map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word))).collect();
    HeaderValue::dangerous_new_pre_encoded(name, subject, words.join("\r\n "))
}

fn text(parts: &[Part], missing: Option<&str>, message: &Message) -> String {
    let mut blocks: Vec<String> = parts.iter().map(plain).collect();
    blocks.extend(missing.map(str::to_owned));
    blocks.push(format!("{}: {}", message.link_label, message.link));
    blocks.push(FOOT.to_owned());
    blocks.join("\n\n") + "\n"
}

/// Beside an agent's words.
const BAR: &str = "border-left:3px solid #888;padding-left:12px";
/// Below every mail.
const FOOT: &str = "This mail decides nothing, and neither does an answer to it.";

fn plain(part: &Part) -> String {
    match (part.label, is_block(part)) {
        ("", false) => part.text.clone(),
        ("", true) => barred(&part.text),
        (label, false) => format!("{label}: {}", part.text),
        (label, true) => format!("{label}:\n{}", barred(&part.text)),
    }
}

/// Whether a part stands apart: others' words that are more than a line behind a label.
fn is_block(part: &Part) -> bool {
    match part.place {
        Place::Title | Place::Preview(_) => true,
        Place::Note | Place::Heading | Place::Origin | Place::Fact | Place::Warning | Place::Outcome => false,
        Place::Target | Place::Payload | Place::Claim | Place::Words => part.text.contains(['\n', '\r']),
    }
}

/// A bar and not `>`: programs fold away what looks quoted.
fn barred(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.split('\n').map(|line| format!("| {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn html(parts: &[Part], missing: Option<&str>, message: &Message) -> String {
    let mut blocks: Vec<String> = parts.iter().map(marked_up).collect();
    blocks.extend(missing.map(|missing| format!("<p><strong>{}</strong></p>", escape(missing))));
    let (link, label) = (escape(&message.link), escape(message.link_label));
    blocks.push(format!("<p><a href=\"{link}\"><strong>{label}</strong></a><br>{link}</p>"));
    blocks.push(format!("<p style=\"color:#666\">{}</p>", escape(FOOT)));
    format!(
        "<!doctype html>\n<html><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\"></head>\
         <body style=\"font-family:sans-serif;line-height:1.5\">\n{}\n</body></html>\n",
        blocks.join("\n")
    )
}

fn marked_up(part: &Part) -> String {
    let text = escape(&part.text);
    let label = match part.label {
        "" => String::new(),
        label => format!("<p style=\"margin-bottom:4px\">{}:</p>\n", escape(label)),
    };
    // Parsers drop the first line break behind <pre>: it is ours.
    let pre = |font: &str| {
        format!(
            "{label}<div style=\"{BAR}\"><pre style=\"margin:0;white-space:pre-wrap;\
             overflow-wrap:anywhere;font-family:{font}\">\n{text}</pre></div>"
        )
    };
    match part.place {
        Place::Heading => format!("<h2>{text}</h2>"),
        Place::Title => format!("<div style=\"{BAR}\"><h2 style=\"margin:0\">{text}</h2></div>"),
        Place::Origin => format!("<p>{}: <code>{text}</code></p>", escape(part.label)),
        Place::Warning | Place::Outcome => format!("<p><strong>{text}</strong></p>"),
        Place::Note | Place::Fact => format!("<p>{text}</p>"),
        Place::Preview(PreviewFormat::Markdown) | Place::Claim | Place::Words => pre("inherit"),
        Place::Target | Place::Preview(_) | Place::Payload => pre("monospace"),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // As a line break would be changed on the way, so that this is none.
            '\r' => out.push_str("&#13;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use mail_parser::MessageParser;
    use proptest::prelude::*;
    use scraper::{Html, Selector};

    use super::*;
    use crate::server::notify::message::About;

    fn message(title: &str, body: &str) -> Message {
        let title_shown = reveal_text(title);
        Message {
            subject: title_shown.clone(),
            parts: vec![
                Part::new(Place::Title, title_shown),
                Part::new(Place::Preview(PreviewFormat::Plain), reveal_text(body)),
            ],
            link: "https://impri.example.org/inbox/act_1?a=1&b=2".to_owned(),
            link_label: "Open",
            ask: None,
            minutes_left: Some(60),
            about: About {
                action: "act_1".to_owned(),
                title: title.to_owned(),
                kind: "mail.send".to_owned(),
            },
        }
    }

    fn mail(message: &Message, thread: Option<&str>) -> Vec<u8> {
        let from: Mailbox = "Impri <impri@mail.example>".parse().expect("a mailbox");
        let writer = Writer::new(&from, "ops@acme.example").expect("an address");
        writer.write(message, thread).expect("a mail").formatted()
    }

    /// What stood behind the bars of the text.
    fn unbarred(text: &str) -> String {
        let lines = text.lines().filter_map(|line| line.strip_prefix("| "));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn lines(text: &str) -> String {
        text.replace("\r\n", "\n").replace('\r', "\n")
    }

    #[test]
    fn nothing_in_a_title_begins_a_header() {
        for title in ["a\r\nBcc: x@y.example", "=?utf-8?Q?Approved?=", "Grüße\nBcc: x@y.example"] {
            let mail = mail(&message(title, "body"), None);
            let parsed = MessageParser::default().parse(&mail).expect("a mail");
            let subject = parsed.subject().expect("a subject");
            assert!(subject.starts_with("[Impri] ") && subject.len() > title.len(), "{subject}");
            assert!(parsed.bcc().is_none(), "{title}");
            assert_eq!(parsed.to().expect("to").iter().count(), 1);
        }
    }

    #[test]
    fn an_answer_keeps_the_subject_of_its_thread_whatever_was_edited() {
        let mut message = message("Write to Acme", "body");
        message.subject = "Write to Acme and others".to_owned();
        let mail = mail(&message, Some("<first@mail.example>"));
        let parsed = MessageParser::default().parse(&mail).expect("a mail");
        assert_eq!(parsed.subject(), Some("Re: [Impri] Write to Acme"));
        assert_eq!(parsed.in_reply_to().as_text(), Some("first@mail.example"));
        assert_eq!(parsed.references().as_text(), Some("first@mail.example"));
        assert_ne!(parsed.message_id(), Some("first@mail.example"));
    }

    proptest! {
        #[test]
        fn what_a_mail_shows_is_the_text(
            title in "[^\0\r\n]{1,100}",
            body in "([^\0]|[ .<&|>=\\n\\r]){1,400}",
        ) {
            let message = message(&title, &body);
            let mail = mail(&message, None);
            let parsed = MessageParser::default().parse(&mail).expect("a mail");
            let one_line = |c: char| if c.is_control() { ' ' } else { c };
            let subject: String = message.subject.chars().take(SUBJECT_MAX).map(one_line).collect();
            let shown = parsed.subject().expect("a subject").trim_end_matches('…').to_owned();
            prop_assert_eq!(shown.trim(), format!("[Impri] {subject}").trim().to_owned());
            let body = &message.parts[1].text;
            let text = lines(&parsed.body_text(0).expect("a text"));
            prop_assert_eq!(unbarred(&text), format!("{}\n{}", message.subject, lines(body)));
            let html = parsed.body_html(0).expect("a form with marks");
            let page = Html::parse_document(&html);
            let selector = Selector::parse("pre").expect("a selector");
            let shown: String = page.select(&selector).next().expect("it").text().collect();
            prop_assert_eq!(lines(&shown), lines(body));
            let link = Selector::parse("a").expect("a selector");
            let links: Vec<&str> = page.select(&link).filter_map(|link| link.attr("href")).collect();
            prop_assert_eq!(links, vec![message.link.as_str()]);
        }
    }
}
