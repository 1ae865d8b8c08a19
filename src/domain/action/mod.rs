//! An action and where it is in its life: pending, then one end; an approved one may be claimed and reported.
//!
//! A state carries its own data: there is no approved action without a decision. How one state becomes another is in
//! [`transition`].

use serde_json::Value;

use super::Instant;
use super::content::{Content, ContentDigest};
use super::decision::Decision;
use super::editable::{self, EditablePath};
use super::ids::{ActionId, KeyId, ProjectId};
use super::receipt::Receipt;
use super::text::Undo;

#[cfg(test)]
pub(crate) mod testing;
pub mod transition;

pub use transition::{Intent, PendingAction, Refusal, Transition};

/// Where an action is in its life, as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Waits for a person.
    Pending,
    /// May be run.
    Approved,
    /// May not be run.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// Withdrawn by the agent, or what it said was erased before it was run.
    Cancelled,
    /// Ran.
    Executed,
    /// Was tried and failed.
    ExecuteFailed,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Approved,
        Self::Rejected,
        Self::Expired,
        Self::Cancelled,
        Self::Executed,
        Self::ExecuteFailed,
    ];

    /// The text of the JSON, the database and the style sheets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Executed => "executed",
            Self::ExecuteFailed => "execute_failed",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// The one permission to run an approved action, taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// When.
    pub at: Instant,
    /// By which key.
    pub by: KeyId,
}

/// What came of running it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// Whether it worked.
    pub succeeded: bool,
    /// When it was reported.
    pub at: Instant,
    /// By which key.
    pub by: KeyId,
    /// In the agent's words.
    pub detail: Option<String>,
    /// In the agent's data.
    pub payload: Option<Value>,
}

/// Where an action is in its life, with what belongs to it there.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionState {
    /// Waits for a person.
    Pending,
    /// May be run.
    Approved {
        /// By whom and how.
        decision: Decision,
        /// Whether somebody took the permission.
        claim: Option<Claim>,
    },
    /// May not be run.
    Rejected {
        /// By whom and why.
        decision: Decision,
    },
    /// Nobody decided in time; the time is the action's own `expires_at`.
    Expired,
    /// Withdrawn by the agent, or what it said was erased before it was run; the time is the action's `updated_at`.
    Cancelled,
    /// Was run; the result says how it went.
    Reported {
        /// By whom it was approved.
        decision: Decision,
        /// Whether somebody took the permission first.
        claim: Option<Claim>,
        /// What came of it.
        result: RunResult,
    },
}

/// A proposed action.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Its name.
    pub id: ActionId,
    /// In which project.
    pub project: ProjectId,
    /// Which key proposed it.
    pub proposed_by: KeyId,
    /// That key's name: the agent, as a reader knows it.
    pub agent: String,
    /// What was proposed. Never overwritten.
    pub content: Content,
    /// The digest of the content.
    pub content_sha256: ContentDigest,
    /// What a decider may change.
    pub editable: Vec<EditablePath>,
    /// Whether running it twice is the same as once; unknown if the agent did not say.
    pub idempotent: Option<bool>,
    /// How it could be walked back, in the agent's words.
    pub undo: Option<Undo>,
    /// Where to send the decision.
    pub callback_url: Option<String>,
    /// The agent's name for this proposal.
    pub idempotency_key: Option<String>,
    /// How long after approval it may be claimed, in seconds.
    pub valid_for_secs: Option<u32>,
    /// When it was proposed.
    pub created_at: Instant,
    /// From this instant on nobody can decide it.
    pub expires_at: Instant,
    /// When its state last changed.
    pub updated_at: Instant,
    /// When what it said was erased; a placeholder stands there since, and the digest is that of what it said.
    pub erased_at: Option<Instant>,
    /// Where it is in its life.
    pub state: ActionState,
}

impl Action {
    /// The status now: a pending action whose time is over is expired, whether or not anything has noted it yet.
    pub fn status(&self, now: Instant) -> Status {
        match &self.state {
            ActionState::Pending if self.expires_at <= now => Status::Expired,
            ActionState::Pending => Status::Pending,
            ActionState::Approved { .. } => Status::Approved,
            ActionState::Rejected { .. } => Status::Rejected,
            ActionState::Expired => Status::Expired,
            ActionState::Cancelled => Status::Cancelled,
            ActionState::Reported { result, .. } if result.succeeded => Status::Executed,
            ActionState::Reported { .. } => Status::ExecuteFailed,
        }
    }

    /// The decision, if there is one.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.state {
            ActionState::Approved { decision, .. }
            | ActionState::Rejected { decision }
            | ActionState::Reported { decision, .. } => Some(decision),
            ActionState::Pending | ActionState::Expired | ActionState::Cancelled => None,
        }
    }

    /// The action with the receipt of its decision; as it was if nobody decided.
    #[must_use]
    pub fn with_receipt(mut self, receipt: Receipt) -> Self {
        match &mut self.state {
            ActionState::Approved { decision, .. }
            | ActionState::Rejected { decision }
            | ActionState::Reported { decision, .. } => decision.receipt = Some(receipt),
            ActionState::Pending | ActionState::Expired | ActionState::Cancelled => {}
        }
        self
    }

    /// From this instant on an approved action can't be claimed; none if its approval does not age.
    pub fn valid_until(&self) -> Option<Instant> {
        let approved_at = self.decision().filter(|decision| decision.approved_sha256.is_some())?.decided_at;
        Some(approved_at + time::Duration::seconds(self.valid_for_secs?.into()))
    }

    /// What was approved, or proposed while nothing was approved.
    pub fn approved_content(&self) -> Content {
        let edits = self.decision().map_or(&[][..], |decision| &decision.edits);
        // Edits were checked before they were stored; if storage was tampered with, the proposal is the safe answer.
        editable::apply(&self.content, edits).unwrap_or_else(|_| self.content.clone())
    }

    /// Whether a yes is asked about once more: each run has its own effect.
    pub fn asks_again(&self) -> bool {
        self.idempotent == Some(false)
    }

    /// Takes the action as one that can be decided.
    ///
    /// # Errors
    /// The current status, if it is past deciding at `now`.
    pub fn into_pending(self, now: Instant) -> Result<PendingAction, Status> {
        match self.status(now) {
            Status::Pending => Ok(PendingAction(self)),
            status => Err(status),
        }
    }
}
