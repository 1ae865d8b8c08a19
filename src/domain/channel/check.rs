//! What a channel's settings must be.

use serde_json::{Map, Value};

use super::fields::{Field, Rule, fields};
use super::{ChannelKind, discord, slack};
use crate::domain::text::{Email, FieldError};

/// Longest name, in characters.
const NAME_MAX: u64 = 200;
/// Longest text of a setting, in characters.
const TEXT_MAX: u64 = 2_000;
/// Most entries of a list.
const LIST_MAX: usize = 50;
/// Longest entry of a filter, in characters.
const FILTER_MAX: u64 = 100;

/// Settings that keep to their rules, the secret ones apart.
#[derive(Clone, Default, PartialEq)]
pub struct Config {
    /// What may be seen.
    pub plain: Map<String, Value>,
    /// What is sealed at rest.
    pub secret: Map<String, Value>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config").field("plain", &self.plain).field("secret", &"…").finish()
    }
}

impl Config {
    /// A text among the settings; empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        let value = self.plain.get(name).or_else(|| self.secret.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether a setting is switched on.
    pub fn is_on(&self, name: &str) -> bool {
        self.plain.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// Checks the settings of a channel; `is_url` says whether a text is an http or https address.
///
/// # Errors
/// Every setting that breaks a rule, is missing or is none of this sort's.
pub fn check_config(
    kind: ChannelKind,
    sent: &Map<String, Value>,
    is_url: impl Fn(&str) -> bool,
) -> Result<Config, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut config = Config::default();
    for name in sent.keys().filter(|name| !fields(kind).iter().any(|field| field.name == **name)) {
        let known: Vec<&str> = fields(kind).iter().map(|field| field.name).collect();
        let text = format!("is no setting of {}; these are: {}.", kind.label(), known.join(", "));
        errors.push(FieldError::invalid(format!("config.{name}"), text));
    }
    for field in fields(kind) {
        let path = format!("config.{}", field.name);
        match sent.get(field.name).filter(|value| !is_nothing(value)) {
            None if field.is_required => {
                errors.push(FieldError::required(path, format!("is required. {}", field.hint)));
            }
            None => {}
            Some(value) => match check(field, value, &is_url) {
                Ok(value) => {
                    let part = if field.is_secret { &mut config.secret } else { &mut config.plain };
                    part.insert(field.name.to_owned(), value);
                }
                Err(rule) => errors.push(FieldError::invalid(path, rule)),
            },
        }
    }
    if kind == ChannelKind::Discord && errors.is_empty() {
        errors.extend(discord::missing(&config));
    }
    if errors.is_empty() && kind == ChannelKind::Slack {
        errors.extend(slack::check_whole(&config));
    }
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// The setting as it is stored, or what it must be.
fn check(field: &Field, value: &Value, is_url: impl Fn(&str) -> bool) -> Result<Value, &'static str> {
    let text = || value.as_str().map(str::trim).filter(|text| text.chars().count() as u64 <= TEXT_MAX);
    let fits = |allowed: fn(&str) -> bool| text().filter(|text| allowed(text)).map(Value::from);
    let checked = match field.rule {
        Rule::Url => text().filter(|text| is_url(text)).map(Value::from),
        Rule::TelegramToken => fits(is_bot_token),
        Rule::TelegramChat => {
            let text = value.as_i64().map(|number| number.to_string()).or_else(|| text().map(str::to_owned));
            text.filter(|text| is_chat(text)).map(Value::from)
        }
        Rule::Topic => fits(is_topic),
        Rule::Token => fits(is_token),
        Rule::Email => text().and_then(|text| Email::parse(text).ok()).map(|address| address.as_str().into()),
        Rule::Secret | Rule::ButtonSecret => fits(is_secret),
        Rule::Flag => value.is_boolean().then(|| value.clone()),
        Rule::Ids => ids(value),
        Rule::People => people(value),
        Rule::Snowflake | Rule::Application => discord::snowflake(value).map(Value::from),
        Rule::Snowflakes => discord::snowflakes(value, LIST_MAX),
        Rule::PublicKey => fits(discord::is_public_key).map(|key| discord::lower(&key)),
        Rule::SlackBot => fits(slack::is_bot_token),
        Rule::SlackApp => fits(slack::is_app_token),
        Rule::SlackChannel => fits(slack::is_channel),
        Rule::SlackIds => slack::members(value, LIST_MAX),
        Rule::SlackPeople => slack::people(value, LIST_MAX),
    };
    checked.ok_or(field.rule.sentence())
}

fn is_bot_token(text: &str) -> bool {
    let word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    text.split_once(':').is_some_and(|(id, key)| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) && !key.is_empty() && word(key)
    })
}

fn is_chat(text: &str) -> bool {
    let is_number = text.parse::<i64>().is_ok();
    let is_name = text
        .strip_prefix('@')
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
    text.len() <= 50 && (is_number || is_name)
}

fn is_topic(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'-'))
}

fn is_token(text: &str) -> bool {
    text.len() <= 512 && text.bytes().all(|b| b.is_ascii_graphic())
}

fn is_secret(text: &str) -> bool {
    (16..=256).contains(&text.chars().count())
}

/// The number of an account: as a number or as its digits.
fn id(value: &Value) -> Option<u64> {
    let text = value.as_str().map(str::trim);
    value.as_u64().or_else(|| text.and_then(|text| text.parse().ok())).filter(|id| *id > 0)
}

fn ids(value: &Value) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= LIST_MAX)?;
    list.iter().map(|one| id(one).map(Value::from)).collect::<Option<Vec<Value>>>().map(Value::from)
}

fn people(value: &Value) -> Option<Value> {
    let pairs = value.as_object().filter(|pairs| pairs.len() <= LIST_MAX)?;
    let checked = pairs.iter().map(|(account, address)| {
        let account = id(&Value::from(account.as_str()))?;
        let address = Email::parse(address.as_str()?.trim()).ok()?;
        Some((account.to_string(), Value::from(address.as_str())))
    });
    checked.collect::<Option<Map<String, Value>>>().map(Value::from)
}

/// What a channel hears about; empty is everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// Kinds of actions. The last character may be `*`.
    pub kinds: Vec<String>,
    /// Names of agents.
    pub agents: Vec<String>,
}

/// Checks what a channel is to hear about.
///
/// # Errors
/// What breaks a rule, by its place.
pub fn check_filters(filters: Filters) -> Result<Filters, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut tidy = |name: &str, list: Vec<String>| -> Vec<String> {
        if list.len() > LIST_MAX {
            errors.push(FieldError::too_long(name, LIST_MAX as u64, list.len() as u64, "entries"));
        }
        for (index, entry) in list.iter().enumerate() {
            let length = entry.chars().count() as u64;
            if length == 0 || length > FILTER_MAX || entry.chars().any(char::is_control) {
                let text = format!("must be one line of 1 to {FILTER_MAX} characters.");
                errors.push(FieldError::invalid(format!("{name}.{index}"), text));
            }
        }
        list
    };
    let filters = Filters { kinds: tidy("kinds", filters.kinds), agents: tidy("agents", filters.agents) };
    if errors.is_empty() { Ok(filters) } else { Err(errors) }
}

/// Checks a channel's name.
///
/// # Errors
/// If it is empty, too long or more than a line.
pub fn check_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    let length = name.chars().count() as u64;
    if length == 0 {
        return Err(FieldError::required("name", format!("must not be empty: 1 to {NAME_MAX} characters.")));
    }
    if length > NAME_MAX {
        return Err(FieldError::too_long("name", NAME_MAX, length, "characters"));
    }
    if name.chars().any(char::is_control) {
        return Err(FieldError::invalid("name", "must be one line without control characters."));
    }
    Ok(name.to_owned())
}

/// Checks within how many seconds a burst becomes one message.
///
/// # Errors
/// If it is not within its bounds.
pub fn check_window(secs: i64) -> Result<i32, FieldError> {
    let bounded = i32::try_from(secs).ok().filter(|secs| (10..=3_600).contains(secs));
    bounded.ok_or_else(|| {
        FieldError::invalid("digest_window_sec", format!("must be 10 to 3600 seconds; {secs} was sent."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn config(kind: ChannelKind, sent: &Value) -> Result<Config, Vec<String>> {
        let checked =
            check_config(kind, sent.as_object().expect("an object"), |text| text.starts_with("http"));
        checked.map_err(|errors| errors.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn secrets_are_told_apart() {
        let sent = json!({"bot_token": " 12:Ab_-9 ", "chat_id": -100_123, "approval_mode": true,
            "allowed_approver_user_ids": [7, "8"], "approvers": {"7": "ada@example.org"}, "hmac_secret": ""});
        let config = config(ChannelKind::Telegram, &sent).expect("whole");
        assert_eq!(Value::from(config.secret.clone()), json!({"bot_token": "12:Ab_-9"}));
        assert_eq!(config.text("chat_id"), "-100123");
        assert!(config.is_on("approval_mode"));
        assert_eq!(config.plain["allowed_approver_user_ids"], json!([7, 8]));
        assert!(!format!("{config:?}").contains("Ab_-9"));
    }

    #[test]
    fn what_breaks_a_rule_is_named() {
        let telegram = |part: Value| {
            let mut all = json!({"bot_token": "12:Ab", "chat_id": "5"});
            all.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
            config(ChannelKind::Telegram, &all).expect_err("refused")
        };
        for (part, field) in [
            (json!({"bot_token": "12Ab"}), "config.bot_token"),
            (json!({"bot_token": 12}), "config.bot_token"),
            (json!({"bot_token": null}), "config.bot_token"),
            (json!({"chat_id": "general"}), "config.chat_id"),
            (json!({"chat_id": "9".repeat(60)}), "config.chat_id"),
            (json!({"approval_mode": "yes"}), "config.approval_mode"),
            (json!({"allowed_approver_user_ids": [0]}), "config.allowed_approver_user_ids"),
            (json!({"allowed_approver_user_ids": vec![1; 51]}), "config.allowed_approver_user_ids"),
            (json!({"approvers": {"x": "ada@example.org"}}), "config.approvers"),
            (json!({"approvers": {"7": "ada"}}), "config.approvers"),
            (json!({"hmac_secret": "short"}), "config.hmac_secret"),
            (json!({"aproval_mode": true}), "config.aproval_mode"),
        ] {
            assert_eq!(telegram(part), [field]);
        }
        assert_eq!(config(ChannelKind::Ntfy, &json!({})).unwrap_err(), ["config.url", "config.topic"]);
        assert!(config(ChannelKind::Ntfy, &json!({"url": "ftp://x", "topic": "a b"})).is_err());
        assert!(config(ChannelKind::Webhook, &json!({"url": "http://x"})).is_ok());
        assert!(config(ChannelKind::Email, &json!({"address": "nobody"})).is_err());
    }

    #[test]
    fn names_windows_and_filters_have_bounds() {
        assert_eq!(check_name(" ops ").as_deref(), Ok("ops"));
        assert!(
            check_name(" ").is_err() && check_name("a\nb").is_err() && check_name(&"x".repeat(201)).is_err()
        );
        assert!(check_window(9).is_err() && check_window(3_601).is_err() && check_window(60) == Ok(60));
        let filters = |kind: &str| Filters { kinds: vec![kind.to_owned()], agents: Vec::new() };
        assert!(check_filters(filters("mail.*")).is_ok());
        assert!(check_filters(filters("")).is_err() && check_filters(filters(&"x".repeat(101))).is_err());
        let many = Filters { agents: vec!["a".to_owned(); 51], ..Filters::default() };
        assert!(check_filters(many).is_err());
    }
}
