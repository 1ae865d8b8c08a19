//! A receipt: what is said and signed about a decision, for somebody who does not ask the server.
//!
//! Owns which members a receipt has and what they are called. How it is signed is the server's; the format is
//! described in docs/receipts.md, and a member is never renamed or given another meaning.

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::content::ContentDigest;
use super::decision::{Decider, Verdict};
use super::ids::{ActionId, ProjectId, ReceiptId};

/// What the header's `typ` says, so that no other signed token passes for a receipt (RFC 8725, section 3.11).
pub const RECEIPT_TYPE: &str = "impri-receipt+jwt";

/// A signed receipt: a compact JWS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt(String);

impl Receipt {
    /// A receipt that was just signed, or stored when it was.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The text of the JSON and the database.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a receipt says. The names of RFC 7519 where they fit, plain ones for the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The address of the server that held the decision.
    pub iss: String,
    /// Which action was decided.
    pub sub: ActionId,
    /// The receipt's own id.
    pub jti: ReceiptId,
    /// When it was decided, in Unix seconds.
    pub iat: i64,
    /// From this second on it permits nothing; without end if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// In which project.
    pub project: ProjectId,
    /// What sort of action.
    pub kind: String,
    /// Yes or no.
    pub verdict: Verdict,
    /// The digest of what was proposed.
    pub proposed_sha256: ContentDigest,
    /// The digest of what was approved; absent from a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_sha256: Option<ContentDigest>,
    /// Whether the approved version differs from the proposed one.
    pub edited: bool,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// Through which door.
    pub channel: String,
}

/// Who decided, as a receipt names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedBy {
    /// `reviewer` or `key`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `rev_…` or `key_…`: stays the same when the name changes.
    pub id: String,
    /// Their name when they decided.
    pub name: String,
}

impl Claims {
    /// What is to be signed about an action's decision; nothing if there is none.
    pub fn of(action: &Action, issuer: &str, id: ReceiptId) -> Option<Self> {
        let decision = action.decision()?;
        let kind = match &decision.decider {
            Decider::Reviewer { .. } => "reviewer",
            Decider::Key { .. } => "key",
        };
        Some(Self {
            iss: issuer.to_owned(),
            sub: action.id,
            jti: id,
            iat: decision.decided_at.unix_timestamp(),
            // Whole seconds, rounded down: a receipt is never good for longer than the server's own claim.
            exp: action.valid_until().map(super::Instant::unix_timestamp),
            project: action.project,
            kind: action.content.kind.as_str().to_owned(),
            verdict: decision.verdict,
            proposed_sha256: decision.proposed_sha256,
            approved_sha256: decision.approved_sha256,
            edited: !decision.edits.is_empty(),
            decided_by: DecidedBy {
                kind: kind.to_owned(),
                id: decision.decider.id_text(),
                name: decision.decider.name().to_owned(),
            },
            channel: decision.channel.as_str().to_owned(),
        })
    }
}
