//! The particulars of a fact, in a few words behind its sentence.

use serde_json::Value;

use super::between;
use super::history::{is_about_actor, is_set_up, string};
use crate::domain::Instant;
use crate::domain::audit::{AuditEvent, EventKind};
use crate::server::text;

/// What there is to know of a fact beyond who did what.
pub(super) fn note(event: &AuditEvent, edits: usize, window: Option<(Instant, Instant)>) -> Option<String> {
    let name = || string(&event.data, "name").map(text::reveal_text);
    match event.kind {
        EventKind::ActionApproved if edits == 1 => Some("with 1 edit".to_owned()),
        EventKind::ActionApproved if edits > 1 => Some(format!("with {edits} edits")),
        EventKind::ActionExpired => {
            window.map(|(from, until)| format!("nobody decided within {}", between(until - from)))
        }
        EventKind::KeyCreated => {
            let scopes = event.data.get("scopes").and_then(Value::as_array);
            let scopes: Vec<&str> = scopes.into_iter().flatten().filter_map(Value::as_str).collect();
            name().map(|name| format!("{name}, may use {}", scopes.join(", ")))
        }
        EventKind::PersonCreated if is_set_up(event) => None,
        EventKind::KeyRevoked
        | EventKind::PersonCreated
        | EventKind::PersonDisabled
        | EventKind::PersonEnabled
        | EventKind::ProjectCreated
        | EventKind::ChannelCreated
        | EventKind::ChannelUpdated
        | EventKind::ChannelDeleted
        | EventKind::ChannelTested
        | EventKind::DeviceAdded
        | EventKind::DeviceRemoved => name(),
        EventKind::PersonPasswordChanged => name().filter(|_| !is_about_actor(event)),
        EventKind::PersonInvited | EventKind::PersonInviteWithdrawn => {
            string(&event.data, "role").map(|role| format!("as {role}"))
        }
        EventKind::PersonJoined => {
            let by = string(&event.data, "invited_by_name").map(text::reveal_text)?;
            string(&event.data, "role").map(|role| format!("as {role}, invited by {by}"))
        }
        EventKind::PersonRoleChanged => {
            let change = event.data.get("change")?;
            let (before, after) = (string(change, "before")?, string(change, "after")?);
            name().map(|name| format!("{name}, from {before} to {after}"))
        }
        EventKind::PersonRenamed => {
            let before = event.data.get("change").and_then(|change| string(change, "before"))?;
            name().map(|after| format!("from {} to {after}", text::reveal_text(before)))
        }
        EventKind::PersonSessionsEnded => {
            let count = event.data.get("sessions").and_then(Value::as_u64)?;
            Some(if count == 1 { "in 1 browser".to_owned() } else { format!("in {count} browsers") })
        }
        EventKind::DeliveryFailed => {
            let host = string(&event.data, "host").map(text::reveal_text)?;
            let attempts = event.data.get("attempts").and_then(Value::as_i64).unwrap_or_default();
            let tries = if attempts == 1 { "try" } else { "tries" };
            Some(format!("to {host}, given up after {attempts} {tries}"))
        }
        EventKind::NoticeFailed => {
            let why = string(&event.data, "detail").map(text::reveal_text).unwrap_or_default();
            name().map(|name| format!("to {name}: {why}"))
        }
        EventKind::ChatLinked | EventKind::ChatUnlinked => chat_user(&event.data),
        EventKind::ChatRefused => {
            let why = string(&event.data, "reason").map(text::reveal_text).unwrap_or_default();
            chat_user(&event.data).map(|who| format!("{who}: {why}"))
        }
        EventKind::SecretsResealed => string(&event.data, "key").map(|key| format!("with the key {key}")),
        EventKind::DeliveryReplayed => {
            string(&event.data, "host").map(|host| format!("to {}", text::reveal_text(host)))
        }
        EventKind::PersonSignInFailed => name().map(|name| format!("for the account of {name}")),
        EventKind::ProjectUpdated => settings(&event.data),
        EventKind::ActionCancelled if event.data.get("by_erasure").is_some() => {
            Some("its content was erased".to_owned())
        }
        EventKind::AuditExported => string(&event.data, "format").map(|format| format!("as {format}")),
        EventKind::GdprErase => {
            let count = event.data.get("actions").and_then(Value::as_i64)?;
            Some(format!("of {count} {}", if count == 1 { "action" } else { "actions" }))
        }
        EventKind::ReceiptKeyRotated => {
            string(&event.data, "signing").map(|kid| format!("now {}", text::reveal_text(kid)))
        }
        EventKind::ReceiptKeyWithdrawn => string(&event.data, "withdrawn").map(text::reveal_text),
        EventKind::ActionCreated
        | EventKind::ActionApproved
        | EventKind::ActionRejected
        | EventKind::ActionCancelled
        | EventKind::ActionClaimed
        | EventKind::ActionExecuted
        | EventKind::ActionExecuteFailed
        | EventKind::PersonSignedIn
        | EventKind::PersonSignedOut
        | EventKind::ProjectSecretRotated
        | EventKind::GdprExport => None,
    }
}

/// An account on a chat platform.
fn chat_user(data: &Value) -> Option<String> {
    let (platform, user) = (string(data, "platform")?, string(data, "platform_user")?);
    let name = string(data, "name").map(text::reveal_text).unwrap_or_default();
    Some(format!("{name} ({platform} {user})", user = text::reveal_text(user)))
}

/// Which settings were changed to what.
fn settings(data: &Value) -> Option<String> {
    let after = |name: &str| data.get(name)?.get("after");
    let mut changed = Vec::new();
    if let Some(name) = after("name").and_then(Value::as_str) {
        changed.push(format!("name {}", text::reveal_text(name)));
    }
    if let Some(zone) = after("timezone").and_then(Value::as_str) {
        changed.push(format!("time zone {}", text::reveal_text(zone)));
    }
    if let Some(on) = after("allow_self_approval").and_then(Value::as_bool) {
        changed.push(format!("self-approval {}", if on { "allowed" } else { "forbidden" }));
    }
    (!changed.is_empty()).then(|| changed.join(", "))
}
