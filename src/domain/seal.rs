//! The seal of the history: what exactly is hashed of a fact, and how the hashes make a chain.
//!
//! Owns the names and the meaning of every member that a hash is taken over; docs/audit.md describes them, and none is
//! ever renamed. It takes facts as they are stored, texts and all, because it also has to name those that somebody
//! changed into what this program never writes.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use time::macros::format_description;
use uuid::Uuid;

use super::Instant;
pub use super::content::ContentDigest as Sha256Digest;
use super::content::canonical_json;
use super::ids::{ActionId, KeyId, ProjectId, ReviewerId};

/// What the header's `typ` of a checkpoint says, so that no receipt passes for one.
pub const CHECKPOINT_TYPE: &str = "impri-checkpoint+jwt";

/// The particulars that stay when a fact is erased: the list of `erased_data` in the database. They stand openly in
/// what is hashed; all others only as a digest. A name that is added here needs seals of a second sort, because those
/// that exist were made without it.
pub const KEPT: [&str; 20] = [
    "actions",
    "allow_self_approval",
    "approved_sha256",
    "attempts",
    "by_erasure",
    "channel_id",
    "content_sha256",
    "event_id",
    "expires_at",
    "format",
    "key_id",
    "last_status",
    "prefix",
    "proposed_sha256",
    "reviewer_id",
    "role",
    "rule_id",
    "scopes",
    "timezone",
    "watcher_id",
];

/// A fact as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFact {
    /// Its number.
    pub id: i64,
    /// In which project.
    pub project: ProjectId,
    /// When, as [`instant`] writes it.
    pub at: String,
    /// What.
    pub kind: String,
    /// About which action.
    pub action: Option<ActionId>,
    /// Who: which sort of actor, …
    pub actor_kind: String,
    /// … which one, …
    pub actor_id: Option<Uuid>,
    /// … and their name.
    pub actor_name: String,
    /// Through which door.
    pub channel: String,
    /// The particulars.
    pub data: Value,
}

impl StoredFact {
    /// The particulars in two parts: those that stay, and those that an erasure takes away.
    pub fn split(&self) -> (Map<String, Value>, Value) {
        let Value::Object(members) = &self.data else { return (Map::new(), self.data.clone()) };
        let (kept, erasable): (Map<String, Value>, Map<String, Value>) =
            members.clone().into_iter().partition(|(name, _)| KEPT.contains(&name.as_str()));
        (kept, Value::Object(erasable))
    }

    /// The object whose digest is sealed.
    pub fn canonical(&self, erasable_sha256: Sha256Digest) -> Value {
        let actor = self.actor_id.map(|id| match self.actor_kind.as_str() {
            "reviewer" => ReviewerId::from_uuid(id).to_string(),
            "key" => KeyId::from_uuid(id).to_string(),
            _ => id.to_string(),
        });
        let mut event = json!({
            "id": self.id,
            "project": self.project,
            "at": self.at,
            "event": self.kind,
            "actor_type": self.actor_kind,
            "actor_name": self.actor_name,
            "channel": self.channel,
            "kept": self.split().0,
            "erasable_sha256": erasable_sha256,
        });
        if let Some(action) = self.action {
            event["action_id"] = json!(action);
        }
        if let Some(actor) = actor {
            event["actor"] = json!(actor);
        }
        event
    }
}

/// An instant in the only form that is hashed: universal time, to the microsecond.
pub fn instant(at: Instant) -> String {
    let form = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:6]Z");
    // Only years beyond 9999 have no such form, and no clock is there.
    at.to_offset(time::UtcOffset::UTC).format(form).unwrap_or_default()
}

/// The digest of what an erasure takes away. The salt keeps it from being guessed afterwards.
pub fn erasable_digest(salt: &str, erasable: &Value) -> Sha256Digest {
    digest(&json!({"salt": salt, "data": erasable}))
}

/// SHA-256 of the RFC 8785 form.
pub fn digest(value: &Value) -> Sha256Digest {
    hash_of(&canonical_json(value))
}

/// What stands before the first event.
///
/// # Panics
/// Never: 32 bytes are a digest.
pub fn beginning() -> Sha256Digest {
    #[expect(clippy::expect_used, reason = "32 bytes are a digest")]
    Sha256Digest::from_slice(&[0; 32]).expect("32 bytes")
}

/// The hash of one place in the chain.
pub fn link(previous: Sha256Digest, seq: i64, digest: Sha256Digest, sealed_at: &str) -> Sha256Digest {
    let link = json!({"previous": previous, "seq": seq, "digest": digest, "sealed_at": sealed_at});
    hash_of(&canonical_json(&link))
}

fn hash_of(bytes: &[u8]) -> Sha256Digest {
    #[expect(clippy::expect_used, reason = "SHA-256 has 32 bytes")]
    Sha256Digest::from_slice(&Sha256::digest(bytes)).expect("32 bytes")
}

/// What a signed checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The address of the server; absent if a command signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// When it was signed, in Unix seconds.
    pub iat: i64,
    /// Whose chain.
    pub project: ProjectId,
    /// How many events the chain has.
    pub count: i64,
    /// The hash of the last of them.
    pub head: Sha256Digest,
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn fact() -> StoredFact {
        StoredFact {
            id: 7,
            project: ProjectId::from_uuid(Uuid::from_u128(1)),
            at: instant(datetime!(2026-11-29 12:00:00.000_012 UTC)),
            kind: "action.approved".into(),
            action: Some(ActionId::from_uuid(Uuid::from_u128(2))),
            actor_kind: "reviewer".into(),
            actor_id: Some(Uuid::from_u128(3)),
            actor_name: "Zoë".into(),
            channel: "web".into(),
            data: json!({"comment": "no", "content_sha256": "ab", "edits": []}),
        }
    }

    #[test]
    fn an_instant_has_one_form() {
        assert_eq!(fact().at, "2026-11-29T12:00:00.000012Z");
        assert_eq!(instant(datetime!(2026-11-29 1:00 +2)), "2026-11-28T23:00:00.000000Z");
    }

    #[test]
    fn what_goes_and_what_stays_are_told_apart() {
        let (kept, erasable) = fact().split();
        assert_eq!(Value::Object(kept), json!({"content_sha256": "ab"}));
        assert_eq!(erasable, json!({"comment": "no", "edits": []}));
        let odd = StoredFact { data: json!([1]), ..fact() };
        assert_eq!(odd.split(), (Map::new(), json!([1])));
        assert!(KEPT.is_sorted());
    }

    #[test]
    fn the_digest_is_over_the_canonical_form_that_the_document_shows() {
        let salt = "000102030405060708090a0b0c0d0e0f";
        let erasable = erasable_digest(salt, &json!({"edits": [], "comment": "no"}));
        assert_eq!(
            erasable,
            hash_of(format!(r#"{{"data":{{"comment":"no","edits":[]}},"salt":"{salt}"}}"#).as_bytes())
        );
        let canonical = format!(
            r#"{{"action_id":"act_AAAAAAAAAAAAAAAAAAAAAg","actor":"rev_AAAAAAAAAAAAAAAAAAAAAw","actor_name":"Zoë","actor_type":"reviewer","at":"2026-11-29T12:00:00.000012Z","channel":"web","erasable_sha256":"{erasable}","event":"action.approved","id":7,"kept":{{"content_sha256":"ab"}},"project":"proj_AAAAAAAAAAAAAAAAAAAAAQ"}}"#
        );
        assert_eq!(digest(&fact().canonical(erasable)), hash_of(canonical.as_bytes()));
        let hash = link(beginning(), 1, erasable, "t");
        let text =
            format!(r#"{{"digest":"{erasable}","previous":"{}","sealed_at":"t","seq":1}}"#, "0".repeat(64));
        assert_eq!(hash, hash_of(text.as_bytes()));
    }

    #[test]
    fn every_member_of_a_fact_is_in_its_digest() {
        let erasable = beginning();
        let base = digest(&fact().canonical(erasable));
        let changes: [fn(&mut StoredFact); 10] = [
            |f| f.id += 1,
            |f| f.project = ProjectId::from_uuid(Uuid::from_u128(9)),
            |f| f.at.push('0'),
            |f| f.kind = "action.rejected".into(),
            |f| f.action = None,
            |f| f.actor_kind = "key".into(),
            |f| f.actor_id = None,
            |f| f.actor_name = "Zoe".into(),
            |f| f.channel = "api".into(),
            |f| f.data = json!({"comment": "no", "content_sha256": "ac", "edits": []}),
        ];
        for change in changes {
            let mut other = fact();
            change(&mut other);
            assert_ne!(digest(&other.canonical(erasable)), base);
        }
        assert_ne!(digest(&fact().canonical(digest(&json!(1)))), base);
        let (salted, other) = (erasable_digest("a", &json!({})), erasable_digest("b", &json!({})));
        assert_ne!(salted, other, "the same particulars, another salt");
    }
}
