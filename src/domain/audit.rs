//! Facts for the history: one event per fact, in the past tense, written in the transaction that made it true.

use serde_json::Value;

use super::Instant;
use super::decision::{Channel, Decider};
use super::ids::{ActionId, KeyId, ProjectId, ReviewerId};

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventKind { $($(#[$doc])* $name),+ }

        impl EventKind {
            /// Every kind of event.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            /// The text of the JSON and the database.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

event_kinds! {
    /// An agent proposed an action.
    ActionCreated = "action.created",
    /// Somebody said yes.
    ActionApproved = "action.approved",
    /// Somebody said no.
    ActionRejected = "action.rejected",
    /// Nobody decided in time.
    ActionExpired = "action.expired",
    /// The agent withdrew it.
    ActionCancelled = "action.cancelled",
    /// An executor took the one permission to run it.
    ActionClaimed = "action.claimed",
    /// It ran.
    ActionExecuted = "action.executed",
    /// It was tried and failed.
    ActionExecuteFailed = "action.execute_failed",
    /// A message about it could not be delivered and was given up.
    DeliveryFailed = "delivery.failed",
    /// Somebody had a message about it sent again.
    DeliveryReplayed = "delivery.replayed",
    /// A key was made.
    KeyCreated = "key.created",
    /// A key was revoked.
    KeyRevoked = "key.revoked",
    /// An account was made.
    PersonCreated = "person.created",
    /// An account was disabled.
    PersonDisabled = "person.disabled",
    /// A person signed in.
    PersonSignedIn = "person.signed_in",
    /// A person signed out.
    PersonSignedOut = "person.signed_out",
    /// A sign-in to an existing account failed.
    PersonSignInFailed = "person.sign_in_failed",
    /// The project was made.
    ProjectCreated = "project.created",
    /// A setting of the project changed.
    ProjectUpdated = "project.updated",
}

impl EventKind {
    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

/// Who made it happen: never an optional string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Reviewer {
        /// Which person.
        id: ReviewerId,
        /// Their name at the time.
        name: String,
    },
    /// A program.
    Key {
        /// Which key.
        id: KeyId,
        /// The key's name.
        name: String,
    },
    /// Time passed.
    Clock,
    /// Whoever has a shell on the server's machine.
    Operator,
    /// Nobody that is known: a failed sign-in.
    Anonymous,
}

impl Actor {
    /// The text of the database.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Reviewer { .. } => "reviewer",
            Self::Key { .. } => "key",
            Self::Clock => "clock",
            Self::Operator => "operator",
            Self::Anonymous => "anonymous",
        }
    }

    /// The name to show.
    pub fn name(&self) -> &str {
        match self {
            Self::Reviewer { name, .. } | Self::Key { name, .. } => name,
            Self::Clock => "clock",
            Self::Operator => "operator",
            Self::Anonymous => "unknown",
        }
    }

    /// The stored id, where there is one.
    pub fn uuid(&self) -> Option<uuid::Uuid> {
        match self {
            Self::Reviewer { id, .. } => Some(id.uuid()),
            Self::Key { id, .. } => Some(id.uuid()),
            Self::Clock | Self::Operator | Self::Anonymous => None,
        }
    }
}

impl From<&Decider> for Actor {
    fn from(decider: &Decider) -> Self {
        match decider {
            Decider::Reviewer { id, name } => Self::Reviewer { id: *id, name: name.clone() },
            Decider::Key { id, name } => Self::Key { id: *id, name: name.clone() },
        }
    }
}

/// One fact.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// In which project.
    pub project: ProjectId,
    /// When.
    pub at: Instant,
    /// What.
    pub kind: EventKind,
    /// About which action.
    pub action: Option<ActionId>,
    /// Who.
    pub actor: Actor,
    /// Through which door.
    pub channel: Channel,
    /// The particulars: what changed from what to what, digests, reasons. A JSON object.
    pub data: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_names_round_trip() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_text(kind.as_str()), Some(*kind));
        }
        assert_eq!(EventKind::from_text("action.forgotten"), None);
    }
}
