//! Channels in the public JSON, and as those see them who manage them.

use serde_json::Value;

use super::Reader;
use crate::domain::Instant;
use crate::domain::channel::{ChannelKind, UNHEARD, fields};
use crate::domain::ids::ChannelId;
use crate::server::db::channel_messages::Told;
use crate::server::db::chat::ChatAccount;
use crate::server::service::{SeenChannel, Tested};
use crate::server::text;
use crate::wire::channels::{ChannelView, ChatView};
use crate::wire::v1;

/// A channel as a list shows it.
pub fn channel(seen: SeenChannel) -> v1::NotificationChannel {
    let SeenChannel { stored, config, pending } = seen;
    v1::NotificationChannel {
        id: stored.id.to_string(),
        project_id: stored.project.to_string(),
        name: stored.name,
        kind: stored.kind.as_str(),
        enabled: stored.enabled,
        digest_window_sec: stored.window_secs,
        config,
        kinds: stored.filters.kinds,
        agents: stored.filters.agents,
        fallback_id: stored.fallback.as_ref().map(ChannelId::to_string),
        last_fired_at: stored.health.delivered_at.map(Instant::unix_timestamp),
        last_failed_at: stored.health.failed_at.map(Instant::unix_timestamp),
        fail_count: stored.health.failures,
        last_error: stored.health.error,
        pending,
        created_at: stored.created_at.unix_timestamp(),
        updated_at: stored.updated_at.unix_timestamp(),
    }
}

/// What came of trying a channel.
pub fn tested(tested: Tested) -> v1::ChannelTest {
    let Tested { ok, answer } = tested;
    let (answer, error) = if ok { (Some(answer), None) } else { (None, Some(answer)) };
    v1::ChannelTest { ok, answer, error }
}

/// A channel for its administrators.
pub fn managed(seen: SeenChannel, reader: &Reader) -> ChannelView {
    let SeenChannel { stored, config, pending } = seen;
    // Without its key nothing is known of its secrets, and the address is one of them.
    let is_unsigned = stored.kind == ChannelKind::Webhook
        && config.contains_key("url")
        && !config.contains_key("hmac_secret");
    let settings = fields(stored.kind)
        .iter()
        .filter_map(|field| Some((field.name.to_owned(), setting(config.get(field.name)?))));
    ChannelView {
        id: stored.id.to_string(),
        name: text::reveal_text(&stored.name),
        kind: stored.kind,
        enabled: stored.enabled,
        delivered: stored.health.delivered_at.map(|at| reader.moment(at)),
        failed: stored.health.failed_at.map(|at| reader.moment(at)),
        error: stored.health.error.as_deref().map(text::reveal_text),
        pending,
        is_unsigned,
        kinds: stored.filters.kinds.join(", "),
        agents: stored.filters.agents.join(", "),
        window_secs: stored.window_secs,
        fallback: stored.fallback.as_ref().map(ChannelId::to_string),
        settings: settings.collect(),
    }
}

/// A channel that did not tell people what it should have, with its last failure.
pub fn trouble((name, kind, error): (String, ChannelKind, String)) -> String {
    let what = if error.starts_with(UNHEARD) { ":" } else { " did not deliver:" };
    format!("{} “{}”{what} {}.", kind.label(), text::reveal_text(&name), text::reveal_text(&error))
}

/// How a channel stands that an action was told to, if not all is well. Nobody is asked any more about an action that does
/// not wait.
pub fn not_told(told: Told, is_waiting: bool) -> Option<String> {
    let head = format!("{} “{}”", told.kind.label(), text::reveal_text(&told.name));
    let why = told.reason.as_deref().map(text::reveal_text).unwrap_or_default();
    match told.state.as_str() {
        "dlq" => Some(format!("{head}: not delivered, {why}.")),
        "retry" if told.attempts > 0 && !is_waiting => Some(format!("{head}: not delivered, {why}.")),
        "retry" if told.attempts > 0 => {
            Some(format!("{head}: not delivered so far, {why}. It is tried again."))
        }
        _ => None,
    }
}

/// A setting as a control of a form holds it.
fn setting(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "on".to_owned(),
        Value::Array(list) => {
            let one = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
            list.iter().map(one).collect::<Vec<_>>().join(" ")
        }
        Value::Object(pairs) => {
            let lines =
                pairs.iter().map(|(id, address)| format!("{id}={}", address.as_str().unwrap_or_default()));
            lines.collect::<Vec<_>>().join("\n")
        }
        Value::Bool(false) | Value::Null | Value::Number(_) => String::new(),
    }
}

/// An account on a chat platform for the person for whom it stands.
pub fn chat(account: ChatAccount, reader: &Reader) -> ChatView {
    let kind = ChannelKind::from_text(&account.platform);
    ChatView {
        label: kind.map_or_else(|| account.platform.clone(), |kind| kind.label().to_owned()),
        platform: account.platform,
        user: account.user,
        name: text::reveal_text(&account.name),
        linked: reader.moment(account.linked_at),
    }
}
