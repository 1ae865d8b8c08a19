//! Keys in the public JSON.

use crate::domain::Instant;
use crate::domain::scope::Scope;
use crate::server::db::keys::StoredKey;
use crate::server::service::RevealedKey;
use crate::wire::v1;

/// A key as a list shows it.
pub fn key(key: StoredKey) -> v1::Key {
    v1::Key {
        id: key.id.to_string(),
        project_id: key.project.to_string(),
        prefix: key.prefix,
        name: key.name,
        scopes: key.scopes.iter().map(Scope::as_str).collect(),
        created_at: key.created_at.unix_timestamp(),
        last_used_at: key.last_used_at.map(Instant::unix_timestamp),
        expires_at: key.expires_at.map(Instant::unix_timestamp),
        revoked: key.revoked_at.is_some(),
        revoked_at: key.revoked_at.map(Instant::unix_timestamp),
    }
}

/// A key that was just made.
pub fn created(made: RevealedKey) -> v1::CreatedKey {
    let RevealedKey { stored, key } = made;
    v1::CreatedKey {
        id: stored.id.to_string(),
        name: stored.name,
        key,
        prefix: stored.prefix,
        scopes: stored.scopes.iter().map(Scope::as_str).collect(),
        project_id: stored.project.to_string(),
        created_at: stored.created_at.unix_timestamp(),
        expires_at: stored.expires_at.map(Instant::unix_timestamp),
        note: "Keep the key now: it is stored as a digest only and can't be shown again.",
    }
}
