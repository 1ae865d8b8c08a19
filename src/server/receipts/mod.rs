//! Signing receipts and checkpoints of the history, and verifying them with nothing but public keys.
//!
//! A receipt is a compact JWS (RFC 7515) with Ed25519 (RFC 8037). Owns the envelope, the keys and the JWK Set; what a
//! receipt says is [`crate::domain::receipt::Claims`]. It knows no database and no network: the command line verifies with the same code.

mod jwk;
mod jws;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

pub use jwk::{KeySet, KeySetError, PublicKey, SigningKey};
pub use jws::{VerifyError, sign, sign_checkpoint, unverified_checkpoint, verify, verify_checkpoint};

use crate::domain::content::{ContentDigest, canonical_json};

/// What a receipt's digests are taken over.
const CONTENT: [&str; 5] = ["kind", "title", "preview", "payload", "target_url"];

/// The digest of a content, or of an action as the API answers it. Null members count as absent.
///
/// # Errors
/// If it is no JSON object, or has a member that the digest does not cover, which nobody approved.
pub fn digest_of(value: &Value) -> Result<ContentDigest, String> {
    let Value::Object(all) = value else { return Err("it is not a JSON object".to_owned()) };
    let is_action = all.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with("act_"));
    let mut members = Map::new();
    for (name, member) in all {
        match CONTENT.contains(&name.as_str()) {
            true if member.is_null() => {}
            true => {
                members.insert(name.clone(), member.clone());
            }
            false if is_action => {}
            false => return Err(format!("no receipt covers its member {name:?}")),
        }
    }
    let canonical = canonical_json(&Value::Object(members));
    ContentDigest::from_slice(&Sha256::digest(canonical)).ok_or_else(|| "it has no digest".to_owned())
}
