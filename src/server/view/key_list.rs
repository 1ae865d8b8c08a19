//! Keys as those see them who manage them.

use super::Reader;
use crate::server::db::keys::StoredKey;
use crate::server::text;
use crate::wire::keys::KeyView;

/// A key, with how many actions of it wait.
pub fn key(key: StoredKey, pending: u32, reader: &Reader) -> KeyView {
    KeyView {
        id: key.id.to_string(),
        name: text::reveal_text(&key.name),
        prefix: key.prefix,
        scopes: key.scopes.iter().collect(),
        created: reader.moment(key.created_at),
        used: key.last_used_at.map(|at| reader.moment(at)),
        expires: key.expires_at.map(|at| reader.moment(at)),
        revoked: key.revoked_at.map(|at| reader.moment(at)),
        pending,
    }
}
