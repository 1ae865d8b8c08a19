//! Actions as rows of a list.

use super::Reader;
use crate::server::db::listing::ListedAction;
use crate::server::text;
use crate::wire::inbox::InboxRow;

/// How much of a preview a row shows, in characters.
const EXCERPT_CHARS: usize = 160;

/// A waiting action as a row.
pub fn row(action: ListedAction, reader: &Reader) -> InboxRow {
    InboxRow {
        id: action.id.to_string(),
        status: "pending".to_owned(),
        kind: text::reveal_text(&action.kind),
        title: text::reveal_text(&action.title),
        agent: action.agent,
        excerpt: text::excerpt(action.format, &action.body_head, EXCERPT_CHARS),
        created: reader.moment(action.created_at),
        expires: reader.moment(action.expires_at),
        not_idempotent: action.idempotent == Some(false),
        editable: action.editable,
    }
}
