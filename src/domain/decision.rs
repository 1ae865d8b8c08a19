//! A decision: who said yes or no to what, when, through which door, with which edits.

use serde::{Deserialize, Serialize};

use super::Instant;
use super::content::ContentDigest;
use super::editable::Edit;
use super::ids::{KeyId, ReviewerId};
use super::receipt::Receipt;
use super::text::{Comment, FieldError};

/// What whoever decides has to know of an action whose runs are not one, in the same words wherever it is said.
pub const NOT_IDEMPOTENT: &str = "Not idempotent: each run has its own effect.";

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The agent may go on.
    Approve,
    /// The agent may not.
    Reject,
}

impl Verdict {
    /// The text of the JSON and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "approve" => Some(Self::Approve),
            "reject" => Some(Self::Reject),
            _ => None,
        }
    }
}

/// Who decides: never an optional string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decider {
    /// A signed-in person.
    Reviewer {
        /// Which person.
        id: ReviewerId,
        /// Their name when they decided.
        name: String,
    },
    /// A program with the `decide` scope.
    Key {
        /// Which key.
        id: KeyId,
        /// The key's name.
        name: String,
    },
}

impl Decider {
    /// The name to show.
    pub fn name(&self) -> &str {
        match self {
            Self::Reviewer { name, .. } | Self::Key { name, .. } => name,
        }
    }

    /// The id to store and to send: `rev_…` or `key_…`.
    pub fn id_text(&self) -> String {
        match self {
            Self::Reviewer { id, .. } => id.to_string(),
            Self::Key { id, .. } => id.to_string(),
        }
    }
}

/// Through which door something came: `web`, `api`, `cli`, `mcp`, a chat platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel(String);

impl Channel {
    /// The doors that this server opens itself; a caller of the API can't claim to have come through one.
    const OWN: [&'static str; 9] =
        ["web", "cli", "mcp", "clock", "slack", "discord", "telegram", "email", "server"];

    /// The inbox in a browser.
    pub fn web() -> Self {
        Self("web".to_owned())
    }
    /// The REST API.
    pub fn api() -> Self {
        Self("api".to_owned())
    }
    /// The command line on the server's machine.
    pub fn cli() -> Self {
        Self("cli".to_owned())
    }
    /// The clock: expiry.
    pub fn clock() -> Self {
        Self("clock".to_owned())
    }
    /// A stored channel.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Reads the channel that a caller of the API names for itself.
    ///
    /// # Errors
    /// Refuses other characters than `[A-Za-z0-9_-]`, over 64 of them, and the server's own doors.
    pub fn claimed(text: &str) -> Result<Self, FieldError> {
        if text.is_empty() {
            return Ok(Self::api());
        }
        if text.len() > 64 || !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            return Err(FieldError::invalid("channel", "must be up to 64 of A–Z, a–z, 0–9, _ and -."));
        }
        if Self::OWN.contains(&text) {
            return Err(FieldError::invalid(
                "channel",
                format!(
                    "{text} names a door of this server and is recorded by it alone. Leave channel out, or name your own."
                ),
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text of the JSON and the database.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The one decision of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// When.
    pub decided_at: Instant,
    /// Who.
    pub decider: Decider,
    /// Through which door.
    pub channel: Channel,
    /// Why, in the decider's words.
    pub comment: Option<Comment>,
    /// What was changed before approving; empty for a rejection.
    pub edits: Vec<Edit>,
    /// The digest of what was proposed.
    pub proposed_sha256: ContentDigest,
    /// The digest of what was approved; none for a rejection.
    pub approved_sha256: Option<ContentDigest>,
    /// What proves it; none on decisions that are older than receipts.
    pub receipt: Option<Receipt>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_cannot_claim_the_servers_doors() {
        assert_eq!(Channel::claimed("").unwrap(), Channel::api());
        assert_eq!(Channel::claimed("pager-duty_2").unwrap().as_str(), "pager-duty_2");
        for bad in ["web", "slack", "clock", "a b", "é", &"x".repeat(65)] {
            assert!(Channel::claimed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn verdict_names_round_trip() {
        for verdict in [Verdict::Approve, Verdict::Reject] {
            assert_eq!(Verdict::from_text(verdict.as_str()), Some(verdict));
        }
    }
}
