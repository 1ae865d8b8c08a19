//! Facts in words that need no manual.

use std::collections::BTreeMap;

use serde_json::Value;

use super::history_notes::note;
use super::{Reader, between, card};
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ActionId;
use crate::server::db::audit::StoredEvent;
use crate::server::db::receivers::ReceiverState;
use crate::server::db::seals::SealState;
use crate::server::text;
use crate::wire::card::ChangeView;
use crate::wire::history::{ActionRef, HistoryEvent, ReceiverView, SealView};

/// A fact as its reader sees it.
pub fn event(stored: StoredEvent, reader: &Reader) -> HistoryEvent {
    let StoredEvent { id, event, title, window, seal, .. } = stored;
    let changes = changes(&event.data);
    HistoryEvent {
        id,
        kind: event.kind.as_str().to_owned(),
        label: label(event.kind).to_owned(),
        at: reader.moment(event.at),
        did: did(&event).to_owned(),
        who: who(&event),
        who_kind: who_kind(&event).to_owned(),
        through: card::through(&event.channel),
        place: place(&event),
        seal,
        step: None,
        note: note(&event, changes.len(), window),
        quote: string(&event.data, "comment").or_else(|| string(&event.data, "detail")).map(card::comment),
        action: event.action.map(|id| action_ref(id, title.as_deref())),
        changes,
    }
}

/// How long each step of an action took since the one before, by the number of the event; of everything that happened
/// to it, oldest first.
pub fn steps(timeline: &[StoredEvent]) -> BTreeMap<i64, String> {
    let of_action = |stored: &&StoredEvent| stored.event.kind.as_str().starts_with("action.");
    let events: Vec<&StoredEvent> = timeline.iter().filter(of_action).collect();
    let named = events.windows(2).filter_map(|pair| {
        let [before, after] = pair else { return None };
        let name = match (before.event.kind, after.event.kind) {
            (EventKind::ActionCreated, _) => "waited",
            (EventKind::ActionApproved, EventKind::ActionClaimed) => "claimed after",
            (EventKind::ActionClaimed, EventKind::ActionExecuted | EventKind::ActionExecuteFailed) => "ran",
            (EventKind::ActionApproved, _) => "reported after",
            _ => return None,
        };
        let span = after.event.at - before.event.at;
        let span = if span < time::Duration::SECOND { "less than 1 s".to_owned() } else { between(span) };
        Some((after.id, format!("{name} {span}")))
    });
    named.collect()
}

/// A channel of the history, to choose from.
pub fn door(channel: &str) -> String {
    text::reveal_text(&card::through(&Channel::stored(channel.to_owned())))
}

/// How far the history is sealed.
pub fn seal(state: SealState, receivers: Vec<ReceiverState>, reader: &Reader) -> SealView {
    let receivers = receivers.into_iter().map(|receiver| ReceiverView {
        host: receiver.host,
        took: receiver.delivered_at.map(|at| reader.moment(at)),
        failing: receiver.failing_since.map(|at| reader.moment(at)).zip(receiver.last_error),
    });
    SealView {
        receivers: receivers.collect(),
        event: state.seq,
        at: reader.moment(state.sealed_at),
        signed: state.signed_at.map(|at| reader.moment(at)),
    }
}

fn action_ref(id: ActionId, title: Option<&str>) -> ActionRef {
    ActionRef { id: id.to_string(), title: text::reveal_text(title.unwrap_or("(no title)")) }
}

/// Whether it was done with the set-up link: the record has the operator for it, as nobody had an account yet.
pub(super) fn is_set_up(event: &AuditEvent) -> bool {
    let is_first = matches!(event.kind, EventKind::PersonCreated | EventKind::ProjectCreated);
    is_first && matches!(event.actor, Actor::Operator) && event.channel.as_str() == "web"
}

fn who(event: &AuditEvent) -> String {
    if let (true, EventKind::PersonCreated, Some(name)) =
        (is_set_up(event), event.kind, string(&event.data, "name"))
    {
        return text::reveal_text(name);
    }
    match &event.actor {
        Actor::Reviewer { name, .. } | Actor::Key { name, .. } => text::reveal_text(name),
        Actor::Clock => "Clock".to_owned(),
        Actor::Operator => "Operator".to_owned(),
        Actor::Anonymous => "Unknown".to_owned(),
    }
}

/// Who it was, for the sentence and the style.
fn who_kind(event: &AuditEvent) -> &'static str {
    match event.kind {
        EventKind::PersonCreated if is_set_up(event) => "reviewer",
        EventKind::ProjectCreated if is_set_up(event) => "anonymous",
        _ => event.actor.kind(),
    }
}

/// What somebody did, for the middle of a sentence.
fn did(event: &AuditEvent) -> &'static str {
    match event.kind {
        EventKind::ActionCreated => "proposed",
        EventKind::ActionApproved => "approved",
        EventKind::ActionRejected => "rejected",
        EventKind::ActionExpired => "ran out for",
        EventKind::ActionCancelled => "withdrew",
        EventKind::ActionClaimed => "claimed",
        EventKind::ActionExecuted => "ran",
        EventKind::ActionExecuteFailed => "failed to run",
        EventKind::DeliveryFailed => "gave up the callback about",
        EventKind::NoticeFailed => "gave up the message about",
        EventKind::DeliveryReplayed => "had the callback sent again about",
        EventKind::KeyCreated => "made the key",
        EventKind::KeyRevoked => "revoked the key",
        EventKind::PersonCreated if is_set_up(event) => "made their account",
        EventKind::PersonCreated => "made the account of",
        EventKind::PersonInvited => "invited somebody",
        EventKind::PersonInviteWithdrawn => "withdrew an invitation",
        EventKind::PersonJoined => "joined",
        EventKind::PersonRoleChanged => "changed the role of",
        EventKind::PersonRenamed => "changed their name",
        EventKind::PersonPasswordChanged if is_about_actor(event) => "changed their password",
        EventKind::PersonPasswordChanged => "changed the password of",
        EventKind::PersonDisabled => "disabled the account of",
        EventKind::PersonEnabled => "enabled the account of",
        EventKind::PersonSignedIn => "signed in",
        EventKind::PersonSignedOut => "signed out",
        EventKind::PersonSessionsEnded => "signed out elsewhere",
        EventKind::PersonSignInFailed => "gave a wrong password",
        EventKind::ProjectCreated => "made the project",
        EventKind::ProjectUpdated => "changed a setting:",
        EventKind::ProjectSecretRotated => "changed the secret of callbacks",
        EventKind::AuditExported => "exported the history",
        EventKind::GdprExport => "exported everything that is stored",
        EventKind::GdprErase => "erased the content",
        EventKind::ReceiptKeyRotated => "changed the key of receipts:",
        EventKind::ReceiptKeyWithdrawn => "withdrew the key of receipts",
        EventKind::ChannelCreated => "made the channel",
        EventKind::ChannelUpdated => "changed the channel",
        EventKind::ChannelDeleted => "deleted the channel",
        EventKind::ChannelTested => "tested the channel",
        EventKind::ChatLinked => "linked the chat account",
        EventKind::ChatUnlinked => "unlinked the chat account",
        EventKind::ChatRefused => "was refused in a chat:",
        EventKind::DeviceAdded => "is told on the device",
        EventKind::DeviceRemoved => "removed the device",
        EventKind::SecretsResealed => "sealed the secrets anew",
    }
}

pub(super) fn is_about_actor(event: &AuditEvent) -> bool {
    matches!(&event.actor, Actor::Reviewer { name, .. } if string(&event.data, "name") == Some(name))
}

/// Through which door, for the end of a sentence.
fn place(event: &AuditEvent) -> Option<String> {
    let is_about_action = event.action.is_some();
    if event.kind == EventKind::PersonSessionsEnded {
        // Which browsers is said already.
        return None;
    }
    Some(match event.channel.as_str() {
        "web" if is_set_up(event) => "with the set-up link".to_owned(),
        "web" if is_about_action => "in the inbox".to_owned(),
        "web" => "in the browser".to_owned(),
        "api" => "through the API".to_owned(),
        "mcp" => "through MCP".to_owned(),
        "cli" => "on the command line".to_owned(),
        "slack" | "discord" | "telegram" => format!("in {}", card::through(&event.channel)),
        "email" => "by e-mail".to_owned(),
        "clock" | "server" => return None,
        _ => format!("through the {}", card::through(&event.channel)),
    })
}

/// A kind of fact in a word or two.
pub fn label(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ActionCreated => "Proposed",
        EventKind::ActionApproved => "Approved",
        EventKind::ActionRejected => "Rejected",
        EventKind::ActionExpired => "Expired",
        EventKind::ActionCancelled => "Cancelled",
        EventKind::ActionClaimed => "Claimed",
        EventKind::ActionExecuted => "Executed",
        EventKind::ActionExecuteFailed => "Failed",
        EventKind::DeliveryFailed => "Callback failed",
        EventKind::NoticeFailed => "Message not delivered",
        EventKind::DeliveryReplayed => "Callback sent again",
        EventKind::KeyCreated => "Key created",
        EventKind::KeyRevoked => "Key revoked",
        EventKind::PersonCreated => "Account created",
        EventKind::PersonInvited => "Invited",
        EventKind::PersonInviteWithdrawn => "Invitation withdrawn",
        EventKind::PersonJoined => "Joined",
        EventKind::PersonRoleChanged => "Role changed",
        EventKind::PersonRenamed => "Name changed",
        EventKind::PersonPasswordChanged => "Password changed",
        EventKind::PersonDisabled => "Account disabled",
        EventKind::PersonEnabled => "Account enabled",
        EventKind::PersonSignedIn => "Signed in",
        EventKind::PersonSignedOut => "Signed out",
        EventKind::PersonSessionsEnded => "Signed out elsewhere",
        EventKind::PersonSignInFailed => "Wrong password",
        EventKind::ProjectCreated => "Project created",
        EventKind::ProjectUpdated => "Setting changed",
        EventKind::ProjectSecretRotated => "Callback secret changed",
        EventKind::AuditExported => "History exported",
        EventKind::GdprExport => "Data exported",
        EventKind::GdprErase => "Data erased",
        EventKind::ReceiptKeyRotated => "Receipt key rotated",
        EventKind::ReceiptKeyWithdrawn => "Receipt key withdrawn",
        EventKind::ChannelCreated => "Channel created",
        EventKind::ChannelUpdated => "Channel changed",
        EventKind::ChannelDeleted => "Channel deleted",
        EventKind::ChannelTested => "Channel tested",
        EventKind::ChatLinked => "Chat account linked",
        EventKind::ChatUnlinked => "Chat account unlinked",
        EventKind::ChatRefused => "Refused in a chat",
        EventKind::DeviceAdded => "Device added",
        EventKind::DeviceRemoved => "Device removed",
        EventKind::SecretsResealed => "Secrets sealed anew",
    }
}

fn changes(data: &Value) -> Vec<ChangeView> {
    let edits = data.get("edits").and_then(Value::as_array);
    edits
        .into_iter()
        .flatten()
        .filter_map(|edit| Some(card::change(string(edit, "path")?, edit.get("before")?, edit.get("after")?)))
        .collect()
}

pub(super) fn string<'a>(data: &'a Value, key: &str) -> Option<&'a str> {
    data.get(key).and_then(Value::as_str)
}
