//! How an action's state changes, and what has to be stored together when it does.
//!
//! The invariant: only a [`PendingAction`] can be decided, and every transition is a pure function that returns the
//! next state and the fact for the history. The database repeats the guard in its `where`, so that of two processes
//! that hold the same pending action one wins.

use serde_json::{Map, Value, json};

use super::{Action, ActionState, Claim, RunResult, Status};
use crate::domain::Instant;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::content::ContentDigest;
use crate::domain::decision::{Channel, Decider, Decision, Verdict};
use crate::domain::editable::{self, EditRefusal};
use crate::domain::ids::{ActionId, KeyId, ProjectId};
use crate::domain::policy::{DecisionPolicy, may_decide};
use crate::domain::text::{Comment, FieldError};

/// Why a transition was refused, with what a person needs to know.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The action is past deciding.
    NotPending(Status),
    /// The decider looked at other content than the action holds.
    StaleContent,
    /// The decider proposed it itself.
    SelfApproval,
    /// The edits are not allowed.
    Edit(EditRefusal),
    /// It is not approved, so it can't be claimed or reported.
    NotApproved(Status),
    /// Somebody took the one permission to run it.
    AlreadyClaimed(Claim),
    /// The approval is too old to be run; it was good until this instant.
    Overdue(Instant),
    /// Another result was reported before.
    AlreadyReported(Status),
}

/// What a decider wants.
#[derive(Debug, Clone)]
pub struct Intent {
    /// Yes or no.
    pub verdict: Verdict,
    /// The digest of what the decider was shown; a page always sends it.
    pub seen: Option<ContentDigest>,
    /// Path → value. Ignored for a rejection, but unknown paths are refused all the same.
    pub edits: Map<String, Value>,
    /// Why.
    pub comment: Option<Comment>,
    /// Through which door.
    pub channel: Channel,
}

/// A state change with everything that must be stored in the same transaction.
#[derive(Debug, Clone)]
pub struct Transition {
    /// The action afterwards.
    pub next: Action,
    /// The fact for the history.
    pub event: AuditEvent,
}

impl Action {
    /// Takes the one permission to run an approved action.
    ///
    /// # Errors
    /// Refuses an action that is not approved, was claimed before, or whose approval is too old.
    pub fn claim(self, agent: &str, claim: Claim) -> Result<Transition, Refusal> {
        let now = claim.at;
        let status = self.status(now);
        let valid_until = self.valid_until();
        let decision = match self.state {
            ActionState::Approved { claim: Some(before), .. } => return Err(Refusal::AlreadyClaimed(before)),
            ActionState::Approved { decision, claim: None } => decision,
            ActionState::Pending
            | ActionState::Rejected { .. }
            | ActionState::Expired
            | ActionState::Cancelled
            | ActionState::Reported { .. } => return Err(Refusal::NotApproved(status)),
        };
        if let Some(until) = valid_until.filter(|until| *until <= now) {
            return Err(Refusal::Overdue(until));
        }
        let event = AuditEvent {
            project: self.project,
            at: now,
            kind: EventKind::ActionClaimed,
            action: Some(self.id),
            actor: Actor::Key { id: claim.by, name: agent.to_owned() },
            channel: Channel::api(),
            data: json!({}),
        };
        let state = ActionState::Approved { decision, claim: Some(claim) };
        Ok(Transition { next: Self { updated_at: now, state, ..self }, event })
    }

    /// Reports what came of running the action. Reporting the same again changes nothing and is `None`.
    ///
    /// # Errors
    /// Refuses a second, different report, and a report about something that was not approved.
    pub fn report(self, agent: &str, result: RunResult) -> Result<Option<Transition>, Refusal> {
        let status = self.status(result.at);
        let (decision, claim) = match self.state {
            ActionState::Approved { decision, claim } => (decision, claim),
            ActionState::Reported { result: before, .. } => {
                // What was erased can't be compared any more; its outcome can.
                let same = before.succeeded == result.succeeded
                    && (self.erased_at.is_some()
                        || (before.detail == result.detail && before.payload == result.payload));
                return if same { Ok(None) } else { Err(Refusal::AlreadyReported(status)) };
            }
            ActionState::Pending
            | ActionState::Rejected { .. }
            | ActionState::Expired
            | ActionState::Cancelled => {
                return Err(Refusal::NotApproved(status));
            }
        };
        let mut data = Map::new();
        if let Some(detail) = &result.detail {
            data.insert("detail".into(), detail.as_str().into());
        }
        if let Some(payload) = &result.payload {
            data.insert("payload".into(), payload.clone());
        }
        let event = AuditEvent {
            project: self.project,
            at: result.at,
            kind: if result.succeeded { EventKind::ActionExecuted } else { EventKind::ActionExecuteFailed },
            action: Some(self.id),
            actor: Actor::Key { id: result.by, name: agent.to_owned() },
            channel: Channel::api(),
            data: Value::Object(data),
        };
        let next =
            Self { updated_at: result.at, state: ActionState::Reported { decision, claim, result }, ..self };
        Ok(Some(Transition { next, event }))
    }
}

/// An action that can still be decided; holding one is the proof.
#[derive(Debug, Clone)]
pub struct PendingAction(pub(super) Action);

impl PendingAction {
    /// The action.
    pub fn action(&self) -> &Action {
        &self.0
    }

    /// Withdraws it: nobody has to decide it any more.
    pub fn cancel(self, by: KeyId, agent: &str, now: Instant) -> Transition {
        let action = self.0;
        let event = AuditEvent {
            project: action.project,
            at: now,
            kind: EventKind::ActionCancelled,
            action: Some(action.id),
            actor: Actor::Key { id: by, name: agent.to_owned() },
            channel: Channel::api(),
            data: json!({}),
        };
        Transition { next: Action { updated_at: now, state: ActionState::Cancelled, ..action }, event }
    }

    /// Decides it.
    ///
    /// # Errors
    /// Refuses a decider that proposed it, content other than the decider saw, and edits that are not allowed.
    pub fn decide(
        self,
        policy: DecisionPolicy,
        decider: Decider,
        intent: Intent,
        now: Instant,
    ) -> Result<Transition, Refusal> {
        let action = self.0;
        may_decide(policy, &decider, action.proposed_by).map_err(|_| Refusal::SelfApproval)?;
        if intent.seen.is_some_and(|seen| seen != action.content_sha256) {
            return Err(Refusal::StaleContent);
        }
        // Checked for a rejection too: a caller that sends an edit that is not allowed should hear of it.
        let edits =
            editable::check_edits(&action.content, &action.editable, &intent.edits).map_err(Refusal::Edit)?;
        let (edits, approved_sha256, kind) = match intent.verdict {
            Verdict::Reject => (Vec::new(), None, EventKind::ActionRejected),
            Verdict::Approve => {
                let approved = editable::apply(&action.content, &edits)
                    .map_err(|error: FieldError| Refusal::Edit(EditRefusal::Invalid(error)))?;
                (edits, Some(approved.digest()), EventKind::ActionApproved)
            }
        };
        let mut data = Map::new();
        data.insert("proposed_sha256".into(), action.content_sha256.to_string().into());
        if let Some(digest) = approved_sha256 {
            data.insert("approved_sha256".into(), digest.to_string().into());
        }
        if let Some(comment) = &intent.comment {
            data.insert("comment".into(), comment.as_str().into());
        }
        if !edits.is_empty() {
            let changes = edits.iter().map(|edit| {
                json!({"path": edit.path.to_string(), "before": edit.path.get(&action.content), "after": edit.value})
            });
            data.insert("edits".into(), changes.collect());
        }
        let event = AuditEvent {
            project: action.project,
            at: now,
            kind,
            action: Some(action.id),
            actor: Actor::from(&decider),
            channel: intent.channel.clone(),
            data: Value::Object(data),
        };
        let decision = Decision {
            verdict: intent.verdict,
            decided_at: now,
            decider,
            channel: intent.channel,
            comment: intent.comment,
            edits,
            proposed_sha256: action.content_sha256,
            approved_sha256,
            receipt: None,
        };
        let state = match decision.verdict {
            Verdict::Approve => ActionState::Approved { decision, claim: None },
            Verdict::Reject => ActionState::Rejected { decision },
        };
        Ok(Transition { next: Action { updated_at: now, state, ..action }, event })
    }
}

/// The fact that nobody decided `action` in time.
pub fn expired_event(project: ProjectId, action: ActionId, expired_at: Instant) -> AuditEvent {
    AuditEvent {
        project,
        at: expired_at,
        kind: EventKind::ActionExpired,
        action: Some(action),
        actor: Actor::Clock,
        channel: Channel::clock(),
        data: json!({}),
    }
}

/// The fact that `action` can't be decided or run any more, because what it said was erased.
pub fn erased_event(
    project: ProjectId,
    action: ActionId,
    by: Actor,
    channel: Channel,
    at: Instant,
) -> AuditEvent {
    AuditEvent {
        project,
        at,
        kind: EventKind::ActionCancelled,
        action: Some(action),
        actor: by,
        channel,
        data: json!({"by_erasure": true}),
    }
}

#[cfg(test)]
mod tests;
