//! Interactions: what somebody did, and the answer that needs nothing but that
//! (<https://docs.discord.com/developers/interactions/receiving-and-responding>).
//!
//! Discord waits for the first answer for 3 s, so it is made here without the database: a form that asks for the reason or
//! the code, or the word that more will follow. Only that what follows says whether anything was decided.

use serde_json::{Value, json};

use super::api::path_is_number;
use crate::domain::decision::Verdict;
use crate::server::notify::token::Pressed;
use crate::server::service::chat::ChatUser;

/// Only whoever acted sees the answer.
pub(super) const ALONE: u64 = 1 << 6;
/// What the button carries that asks for a code, and the form that it opens.
pub(super) const LINK: &str = "link";
/// What the one field of each form is called.
const FIELD: &str = "text";
/// Longest reason (a decision's comment).
const REASON_MAX: u64 = 2_000;

/// What somebody did.
#[derive(Debug, Clone)]
pub(super) struct Interaction {
    pub(super) id: String,
    pub(super) application: String,
    /// What answers to it are sent with, for 15 minutes.
    pub(super) token: String,
    pub(super) channel: String,
    pub(super) user: ChatUser,
    /// The message whose button was pressed, in the end.
    pub(super) message: String,
    pub(super) act: Act,
}

#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Discord asks whether somebody is there.
    Ping,
    /// A button of a card.
    Press(Pressed),
    /// The button that asks for a code.
    AskCode,
    /// The form with the reason.
    Reason(Pressed, String),
    /// The form with the code.
    Code(String),
    /// Something that this server offers nowhere.
    Other,
}

impl Interaction {
    /// Reads one; none if it has not got what each has.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let act = act(value);
        if matches!(act, Act::Ping) {
            return Some(Self {
                id: text(&value["id"]),
                application: text(&value["application_id"]),
                token: String::new(),
                channel: String::new(),
                user: ChatUser { id: String::new(), name: String::new() },
                message: String::new(),
                act,
            });
        }
        // In a server somebody is a member, alone with the bot a user.
        let user =
            if value["member"]["user"].is_object() { &value["member"]["user"] } else { &value["user"] };
        let read = Self {
            id: text(&value["id"]),
            application: text(&value["application_id"]),
            token: text(&value["token"]),
            channel: text(&value["channel_id"]),
            user: ChatUser { id: text(&user["id"]), name: format!("@{}", text(&user["username"])) },
            message: text(&value["message"]["id"]),
            act,
        };
        let numbers = [&read.id, &read.application, &read.user.id];
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        // They become parts of addresses.
        let is_whole = numbers.into_iter().all(|number| path_is_number(number))
            && !read.token.is_empty()
            && read.token.bytes().all(is_token);
        is_whole.then_some(read)
    }

    /// The answer that can't wait.
    pub(super) fn first_answer(&self) -> Value {
        match &self.act {
            Act::Ping => json!({"type": 1}),
            Act::Press(Pressed { verdict: Verdict::Reject, .. }) => reason_form(&self.custom_id()),
            Act::AskCode => code_form(),
            Act::Press(_) | Act::Reason(..) | Act::Code(_) | Act::Other => {
                json!({"type": 5, "data": {"flags": ALONE}})
            }
        }
    }

    /// Whether something follows the first answer.
    pub(super) fn goes_on(&self) -> bool {
        self.first_answer()["type"] == 5
    }

    /// What the button carried that opens a form; the form carries it, too.
    fn custom_id(&self) -> String {
        match &self.act {
            Act::Press(pressed) | Act::Reason(pressed, _) => pressed.to_string(),
            _ => String::new(),
        }
    }
}

fn act(value: &Value) -> Act {
    let data = &value["data"];
    let id = data["custom_id"].as_str().unwrap_or_default();
    match (value["type"].as_u64(), id) {
        (Some(1), _) => Act::Ping,
        (Some(3), LINK) => Act::AskCode,
        (Some(3), id) => Pressed::parse(id).map_or(Act::Other, Act::Press),
        (Some(5), LINK) => Act::Code(field(data)),
        (Some(5), id) => Pressed::parse(id).map_or(Act::Other, |pressed| Act::Reason(pressed, field(data))),
        _ => Act::Other,
    }
}

/// What was written into a form: its field stands in a label, or in a row as older clients send it.
fn field(data: &Value) -> String {
    let parts = data["components"].as_array().into_iter().flatten();
    let fields = parts.flat_map(|part| {
        let row = part["components"].as_array().cloned().unwrap_or_default();
        row.into_iter().chain([part["component"].clone()])
    });
    let mut texts = fields.filter(|field| field["custom_id"] == FIELD);
    texts.find_map(|field| field["value"].as_str().map(str::to_owned)).unwrap_or_default()
}

fn reason_form(id: &str) -> Value {
    let field =
        json!({"type": 4, "custom_id": FIELD, "style": 2, "required": false, "max_length": REASON_MAX});
    form(id, "Reject", "Reason", "The agent is told. It may be left empty.", field)
}

fn code_form() -> Value {
    let field = json!({"type": 4, "custom_id": FIELD, "style": 1, "required": true, "max_length": 40,
        "placeholder": "ABCDE-FGHJK"});
    form(
        LINK,
        "Link my account",
        "Code",
        "From the page /account of Impri, made there within the last 10 minutes.",
        field,
    )
}

/// A form (<https://docs.discord.com/developers/components/using-modal-components>).
fn form(id: &str, title: &str, label: &str, hint: &str, field: Value) -> Value {
    json!({"type": 9, "data": {"custom_id": id, "title": title, "components": [
        {"type": 18, "label": label, "description": hint, "component": field},
    ]}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(custom_id: &str) -> Value {
        json!({"type": 3, "id": "1", "application_id": "2", "token": "aW50.x-_", "channel_id": "3",
            "member": {"user": {"id": "4", "username": "ada"}}, "message": {"id": "5"}, "data": {"custom_id": custom_id}})
    }

    const REJECT: &str = "r:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_reject_opens_a_form_that_carries_it() {
        let interaction = Interaction::read(&press(REJECT)).expect("whole");
        let answer = interaction.first_answer();
        assert_eq!((&answer["type"], &answer["data"]["custom_id"]), (&json!(9), &json!(REJECT)));
        assert!(!interaction.goes_on());
        let approve = Interaction::read(&press(&REJECT.replacen('r', "a", 1))).expect("whole");
        assert_eq!(approve.first_answer(), json!({"type": 5, "data": {"flags": 64}}));
        assert_eq!(Interaction::read(&press(LINK)).expect("whole").first_answer()["data"]["custom_id"], LINK);
    }

    #[test]
    fn a_form_is_read_in_both_shapes() {
        let input = json!({"type": 4, "custom_id": FIELD, "value": "too dear"});
        for part in [json!({"type": 18, "component": input}), json!({"type": 1, "components": [input]})] {
            assert_eq!(field(&json!({"components": [part]})), "too dear");
        }
        assert_eq!(field(&json!({})), "");
    }

    #[test]
    fn what_would_leave_its_address_is_nothing() {
        for (member, bad) in [("id", "1/../2"), ("application_id", "x"), ("token", "a/b"), ("token", "")] {
            let mut value = press(REJECT);
            value[member] = json!(bad);
            assert!(Interaction::read(&value).is_none(), "{member}");
        }
        assert!(Interaction::read(&json!({"type": 1, "id": "1"})).is_some_and(|ping| !ping.goes_on()));
    }
}
