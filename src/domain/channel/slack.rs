//! The settings of a channel in Slack, what Slack's own names look like, and which settings need each other.

use serde_json::{Map, Value};

use super::check::Config;
use super::fields::{Field, Rule, open, secret};
use crate::domain::text::{Email, FieldError};

/// Longest token, in characters.
const TOKEN_MAX: usize = 512;
/// Longest name of something in Slack, in characters.
const ID_MAX: usize = 50;

pub(super) const FIELDS: [Field; 9] = [
    open(
        "approval_mode",
        Rule::Flag,
        "Decide from the chat",
        "Messages get the buttons Approve and Reject. Only people of this project who linked their Slack account can use \
         them. It needs the bot token, the channel, and one of the app-level token and the signing secret.",
    ),
    secret(
        "bot_token",
        Rule::SlackBot,
        "Bot token",
        "xoxb-…, from OAuth & Permissions once the app is installed in the workspace.",
    ),
    open(
        "channel_id",
        Rule::SlackChannel,
        "Channel ID",
        "C… or G…, at the end of the channel's details in Slack. Invite the app to the channel first.",
    ),
    secret(
        "app_token",
        Rule::SlackApp,
        "App-level token",
        "xapp-…, with the scope connections:write. With it this server needs no public address: it connects to Slack.",
    ),
    secret(
        "signing_secret",
        Rule::Secret,
        "Signing secret",
        "From Basic Information. Only needed where Slack calls this server instead of Socket Mode.",
    ),
    open(
        "allowed_approver_slack_user_ids",
        Rule::SlackIds,
        "Only these members",
        "Member IDs, U…, with spaces between them. If there are some, nobody else decides from this channel.",
    ),
    open(
        "approvers",
        Rule::SlackPeople,
        "Who a member stands for",
        "For accounts that nobody linked: member ID=e-mail, one a line.",
    ),
    secret(
        "url",
        Rule::Url,
        "Incoming webhook",
        "In place of all that: messages with the card and a link to it, which are not changed afterwards and decide nothing.",
    ),
    secret(
        "hmac_secret",
        Rule::ButtonSecret,
        "Button secret",
        "What the buttons are signed with. Leave it empty and one is made.",
    ),
];

/// What is missing, seen from what is there.
pub(super) fn check_whole(config: &Config) -> Vec<FieldError> {
    let has = |name| !config.text(name).is_empty();
    let decides = config.is_on("approval_mode");
    if !decides && has("url") {
        return Vec::new();
    }
    let why = match decides {
        true => "is required to decide from the chat",
        false => "is required unless there is the url of an incoming webhook",
    };
    let mut errors: Vec<FieldError> = ["bot_token", "channel_id"]
        .into_iter()
        .filter(|name| !has(name))
        .map(|name| required(name, why))
        .collect();
    if decides && !has("app_token") && !has("signing_secret") {
        errors.push(required(
            "app_token",
            "is required to hear who pressed what, unless there is the signing_secret",
        ));
    }
    errors
}

fn required(name: &str, why: &str) -> FieldError {
    let hint = FIELDS.iter().find(|field| field.name == name).map_or("", |field| field.hint);
    FieldError::required(format!("config.{name}"), format!("{why}. {hint}"))
}

pub(super) fn is_bot_token(text: &str) -> bool {
    is_token(text, "xoxb-")
}

pub(super) fn is_app_token(text: &str) -> bool {
    is_token(text, "xapp-")
}

fn is_token(text: &str, prefix: &str) -> bool {
    let is_word = |rest: &str| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    text.len() <= TOKEN_MAX && text.strip_prefix(prefix).is_some_and(is_word)
}

pub(super) fn is_channel(text: &str) -> bool {
    is_id(text, &['C', 'G'])
}

/// `W…` is a member of an organisation with several workspaces.
fn is_member(text: &str) -> bool {
    is_id(text, &['U', 'W'])
}

fn is_id(text: &str, first: &[char]) -> bool {
    let is_word =
        |rest: &str| rest.len() >= 6 && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    text.len() <= ID_MAX && text.strip_prefix(first).is_some_and(is_word)
}

pub(super) fn members(value: &Value, most: usize) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= most)?;
    let member = |one: &Value| one.as_str().map(str::trim).filter(|text| is_member(text)).map(Value::from);
    list.iter().map(member).collect::<Option<Vec<Value>>>().map(Value::from)
}

pub(super) fn people(value: &Value, most: usize) -> Option<Value> {
    let pairs = value.as_object().filter(|pairs| pairs.len() <= most)?;
    let checked = pairs.iter().map(|(account, address)| {
        let account = Some(account.trim()).filter(|text| is_member(text))?;
        let address = Email::parse(address.as_str()?.trim()).ok()?;
        Some((account.to_owned(), Value::from(address.as_str())))
    });
    checked.collect::<Option<Map<String, Value>>>().map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::super::{ChannelKind, check_config};
    use super::*;
    use serde_json::json;

    fn config(sent: &Value) -> Result<Config, Vec<String>> {
        let sent = sent.as_object().expect("an object");
        let checked = check_config(ChannelKind::Slack, sent, |text| text.starts_with("http"));
        checked.map_err(|errors| errors.into_iter().map(|error| error.field).collect())
    }

    fn bot(part: Value) -> Result<Config, Vec<String>> {
        let mut all = json!({"approval_mode": true, "bot_token": "xoxb-1-a", "channel_id": "C0123ABCD",
            "app_token": "xapp-1-A0-2-c"});
        all.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
        config(&all)
    }

    #[test]
    fn a_webhook_or_a_bot_is_enough() {
        assert!(config(&json!({"url": "https://hooks.slack.com/services/T/B/x"})).is_ok());
        assert!(config(&json!({"bot_token": "xoxb-1-a", "channel_id": "G0123ABCD"})).is_ok());
        let whole = bot(json!({"allowed_approver_slack_user_ids": [" U0123ABCD "],
            "approvers": {"W0123ABCD": "ada@example.org"}, "signing_secret": "0123456789abcdef"}));
        let whole = whole.expect("whole");
        assert_eq!(whole.plain["allowed_approver_slack_user_ids"], json!(["U0123ABCD"]));
        assert_eq!(whole.text("app_token"), "xapp-1-A0-2-c");
        assert!(!whole.plain.contains_key("bot_token") && !whole.plain.contains_key("app_token"));
    }

    #[test]
    fn what_is_missing_or_breaks_a_rule_is_named() {
        assert_eq!(config(&json!({})).unwrap_err(), ["config.bot_token", "config.channel_id"]);
        let hook = json!({"approval_mode": true, "url": "https://hooks.slack.com/services/T/B/x"});
        let all = ["config.bot_token", "config.channel_id", "config.app_token"];
        assert_eq!(config(&hook).unwrap_err(), all, "a webhook hears nothing");
        assert!(bot(json!({"app_token": "", "signing_secret": "0123456789abcdef"})).is_ok());
        for (part, field) in [
            (json!({"app_token": null}), "config.app_token"),
            (json!({"app_token": "xoxb-1-a"}), "config.app_token"),
            (json!({"bot_token": "xoxp-1-a"}), "config.bot_token"),
            (json!({"bot_token": "xoxb-a b"}), "config.bot_token"),
            (json!({"channel_id": "#general"}), "config.channel_id"),
            (json!({"channel_id": "D0123ABCD"}), "config.channel_id"),
            (json!({"channel_id": "C01"}), "config.channel_id"),
            (json!({"signing_secret": "short"}), "config.signing_secret"),
            (json!({"allowed_approver_slack_user_ids": ["ada"]}), "config.allowed_approver_slack_user_ids"),
            (
                json!({"allowed_approver_slack_user_ids": vec!["U0123ABCD"; 51]}),
                "config.allowed_approver_slack_user_ids",
            ),
            (json!({"approvers": {"ada": "ada@example.org"}}), "config.approvers"),
            (json!({"team_id": "T0123"}), "config.team_id"),
        ] {
            assert_eq!(bot(part.clone()).unwrap_err(), [field], "{part}");
        }
    }
}
