//! Facts in the public JSON, and as rows of a table.

use serde_json::Value;

use crate::domain::ids::ActionId;
use crate::server::db::audit::StoredEvent;
use crate::wire::v1;

/// The columns of the table: those that readers of this contract know, then ours.
pub const COLUMNS: [&str; 9] =
    ["id", "event", "action_id", "actor", "channel", "data", "created_at", "actor_name", "actor_type"];

/// A fact.
pub fn event(stored: StoredEvent) -> v1::AuditEvent {
    let event = stored.event;
    v1::AuditEvent {
        id: stored.id,
        event: event.kind.as_str(),
        action_id: event.action.as_ref().map(ActionId::to_string),
        actor: event.actor.id_text(),
        actor_name: event.actor.name().to_owned(),
        actor_type: event.actor.kind(),
        channel: event.channel.as_str().to_owned(),
        data: event.data,
        created_at: event.at.unix_timestamp(),
    }
}

/// A fact as a row of a table, in the order of [`COLUMNS`]. No text in it is a formula to a spreadsheet.
pub fn row(event: v1::AuditEvent) -> [String; 9] {
    [
        event.id.to_string(),
        harmless(event.event.to_owned()),
        harmless(event.action_id.unwrap_or_default()),
        harmless(event.actor.unwrap_or_default()),
        harmless(event.channel),
        harmless(Value::to_string(&event.data)),
        event.created_at.to_string(),
        harmless(event.actor_name),
        harmless(event.actor_type.to_owned()),
    ]
}

/// Spreadsheets run what begins like this; after an apostrophe it is a text.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_a_spreadsheet_would_run_becomes_a_text() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(harmless(text.to_owned()), format!("'{text}"));
        }
        for text in ["", "a=1", "{\"a\":1}", "'=1", " =1"] {
            assert_eq!(harmless(text.to_owned()), text);
        }
    }
}
