//! What servers tell each other, as one short line of text.

use crate::domain::ids::{ActionId, ProjectId, ReviewerId};

/// Something that happened to an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Proposed; the id may be any of several.
    Created,
    /// Approved or rejected.
    Decided,
    /// Ran out of time.
    Expired,
    /// Withdrawn or claimed.
    Updated,
    /// Its result was reported.
    Result,
}

impl ChangeKind {
    const ALL: [Self; 5] = [Self::Created, Self::Decided, Self::Expired, Self::Updated, Self::Result];

    /// The text of the signal and of the browser's event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Decided => "decided",
            Self::Expired => "expired",
            Self::Updated => "updated",
            Self::Result => "result",
        }
    }
}

/// A change to one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// What sort of change.
    pub kind: ChangeKind,
    /// Which action.
    pub id: ActionId,
}

/// One signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Something changed in a project.
    Change(ProjectId, Change),
    /// A key was revoked or limited: forget what is remembered about keys.
    KeyRevoked,
    /// Another key signs receipts, or one was withdrawn: forget what is remembered about them.
    ReceiptKeysChanged,
    /// What a person may do or where they are signed in changed: look again who is at the other end of their streams.
    Person(ReviewerId),
}

impl std::fmt::Display for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Change(project, change) => write!(f, "{} {project} {}", change.kind.as_str(), change.id),
            Self::KeyRevoked => f.write_str("key-revoked"),
            Self::ReceiptKeysChanged => f.write_str("receipt-keys-changed"),
            Self::Person(id) => write!(f, "person {id}"),
        }
    }
}

impl std::str::FromStr for Signal {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "key-revoked" => return Ok(Self::KeyRevoked),
            "receipt-keys-changed" => return Ok(Self::ReceiptKeysChanged),
            _ => {}
        }
        if let Some(id) = text.strip_prefix("person ") {
            return id.parse().map(Self::Person).map_err(|_| ());
        }
        let mut words = text.split(' ');
        let kind =
            words.next().and_then(|word| ChangeKind::ALL.into_iter().find(|kind| kind.as_str() == word));
        let project = words.next().and_then(|word| word.parse().ok());
        let id = words.next().and_then(|word| word.parse().ok());
        match (kind, project, id, words.next()) {
            (Some(kind), Some(project), Some(id), None) => Ok(Self::Change(project, Change { kind, id })),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn signals_round_trip() {
        let project = ProjectId::from_uuid(Uuid::from_u128(3));
        let id = ActionId::from_uuid(Uuid::from_u128(4));
        let changes = ChangeKind::ALL.into_iter().map(|kind| Signal::Change(project, Change { kind, id }));
        let person = Signal::Person(ReviewerId::from_uuid(Uuid::from_u128(5)));
        for signal in changes.chain([Signal::KeyRevoked, Signal::ReceiptKeysChanged, person]) {
            assert_eq!(signal.to_string().parse(), Ok(signal));
        }
        assert_eq!("created x y".parse::<Signal>(), Err(()));
    }
}
