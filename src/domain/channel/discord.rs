//! The settings of a Discord channel: the address of a webhook that only tells, or a bot that hears decisions.

use serde_json::Value;

use super::check::Config;
use super::fields::{Field, Rule, open, secret};
use crate::domain::text::FieldError;

pub(super) const FIELDS: [Field; 9] = [
    secret(
        "url",
        Rule::Url,
        "Webhook",
        "The address of a channel's webhook, https://discord.com/api/webhooks/…. Only to be told; leave it empty with a bot.",
    ),
    open(
        "approval_mode",
        Rule::Flag,
        "Decide from the channel",
        "Messages get the buttons Approve and Reject. It needs a bot. Only people of this project who linked their Discord \
         account can use them.",
    ),
    secret(
        "bot_token",
        Rule::Token,
        "Bot token",
        "From the page Bot of your application. Without Bot before it.",
    ),
    open(
        "channel_id",
        Rule::Snowflake,
        "Channel",
        "Its number: with Discord's developer mode on, right-click the channel and choose Copy Channel ID.",
    ),
    secret(
        "public_key",
        Rule::PublicKey,
        "Public key",
        "Only if Discord is to call this server: from the page General Information of your application.",
    ),
    open(
        "application_id",
        Rule::Application,
        "Application",
        "If it is set, presses of other applications are refused.",
    ),
    secret(
        "hmac_secret",
        Rule::Secret,
        "Button secret",
        "What the buttons are signed with. Leave it empty and one is made.",
    ),
    open(
        "allowed_approver_discord_user_ids",
        Rule::Snowflakes,
        "Only these accounts",
        "Numbers of Discord accounts. If there are some, nobody else decides from this channel.",
    ),
    open(
        "approvers",
        Rule::People,
        "Who an account stands for",
        "For accounts that nobody linked: number=e-mail, one a line.",
    ),
];

/// Whether a channel with these settings speaks as a bot, and not through a webhook.
pub fn is_bot(config: &Config) -> bool {
    let has_bot = !config.text("bot_token").is_empty() && !config.text("channel_id").is_empty();
    has_bot && (config.is_on("approval_mode") || config.text("url").is_empty())
}

/// What is missing for the way that the settings choose.
pub(super) fn missing(config: &Config) -> Vec<FieldError> {
    let needed = |name: &str, why: &str| {
        let field = FIELDS.iter().find(|field| field.name == name && config.text(name).is_empty())?;
        let text = format!("is required{why} {}", field.hint);
        Some(FieldError::required(format!("config.{name}"), text))
    };
    if config.is_on("approval_mode") {
        let why = " to decide from the channel: a webhook hears no buttons.";
        return ["bot_token", "channel_id"].into_iter().filter_map(|name| needed(name, why)).collect();
    }
    match is_bot(config) {
        true => Vec::new(),
        false => needed("url", " without bot_token and channel_id.").into_iter().collect(),
    }
}

/// A number as Discord writes it in JSON: a text of digits, because it is larger than what many programs can count.
pub(super) fn snowflake(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.as_u64()?.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let is_number = (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && text.parse::<u64>().is_ok_and(|number| number > 0)).then_some(text)
}

pub(super) fn snowflakes(value: &Value, most: usize) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= most)?;
    list.iter().map(|one| snowflake(one).map(Value::from)).collect::<Option<Vec<Value>>>().map(Value::from)
}

pub(super) fn is_public_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn lower(key: &Value) -> Value {
    key.as_str().unwrap_or_default().to_ascii_lowercase().into()
}

#[cfg(test)]
mod tests {
    use super::super::{ChannelKind, check_config};
    use super::*;
    use serde_json::json;

    fn config(sent: &Value) -> Result<Config, Vec<String>> {
        let sent = sent.as_object().expect("an object");
        let checked = check_config(ChannelKind::Discord, sent, |text| text.starts_with("https://"));
        checked.map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_webhook_tells_and_a_bot_hears() {
        let hook = config(&json!({"url": "https://discord.com/api/webhooks/1/x"})).expect("whole");
        assert!(!is_bot(&hook));
        let key = "AB".repeat(32);
        let bot = config(
            &json!({"approval_mode": true, "bot_token": "MTE.x.y", "channel_id": "900000000000000001",
            "public_key": key, "allowed_approver_discord_user_ids": ["80351110224678912"]}),
        );
        let bot = bot.expect("whole");
        assert!(is_bot(&bot));
        assert_eq!(bot.text("public_key"), key.to_lowercase());
        assert!(bot.secret.contains_key("public_key") && !bot.plain.contains_key("bot_token"));
        assert_eq!(bot.plain["allowed_approver_discord_user_ids"], json!(["80351110224678912"]));
        assert!(is_bot(&config(&json!({"bot_token": "x", "channel_id": 5})).expect("a bot that only tells")));
    }

    #[test]
    fn what_breaks_a_rule_is_named_with_what_helps() {
        let bot = |part: Value| {
            let mut all = json!({"approval_mode": true, "bot_token": "x", "channel_id": "5"});
            all.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
            config(&all).expect_err("refused")
        };
        for (part, field, help) in [
            (json!({"bot_token": ""}), "config.bot_token", "a webhook hears no buttons"),
            (json!({"channel_id": null}), "config.channel_id", "is required"),
            (json!({"channel_id": "general"}), "config.channel_id", "1 to 20 digits"),
            (json!({"channel_id": "0"}), "config.channel_id", "1 to 20 digits"),
            (json!({"channel_id": "99999999999999999999"}), "config.channel_id", "1 to 20 digits"),
            (json!({"bot_token": "Bot abc"}), "config.bot_token", "without spaces"),
            (json!({"public_key": "ab"}), "config.public_key", "64 hexadecimal"),
            (json!({"application_id": -1}), "config.application_id", "digits"),
            (
                json!({"allowed_approver_discord_user_ids": ["ada"]}),
                "config.allowed_approver_discord_user_ids",
                "list",
            ),
            (json!({"approvers": {"ada": "ada@example.org"}}), "config.approvers", "account"),
            (json!({"hmac_secret": "short"}), "config.hmac_secret", "16 to 256"),
        ] {
            let errors = bot(part);
            assert!(errors.len() == 1 && errors[0].contains(field) && errors[0].contains(help), "{errors:?}");
        }
        let errors = config(&json!({})).expect_err("nothing");
        assert!(errors.len() == 1 && errors[0].contains("config.url"), "{errors:?}");
    }
}
