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
    /// A message to people about it could not be delivered and was given up.
    NoticeFailed = "notice.failed",
    /// Somebody had a message about it sent again.
    DeliveryReplayed = "delivery.replayed",
    /// A key was made.
    KeyCreated = "key.created",
    /// A key was revoked.
    KeyRevoked = "key.revoked",
    /// An account was made.
    PersonCreated = "person.created",
    /// A link was made that makes an account.
    PersonInvited = "person.invited",
    /// Such a link was withdrawn before anybody used it.
    PersonInviteWithdrawn = "person.invite_withdrawn",
    /// A person made their account with such a link.
    PersonJoined = "person.joined",
    /// A person got another role.
    PersonRoleChanged = "person.role_changed",
    /// A person changed their name.
    PersonRenamed = "person.renamed",
    /// A person changed their password.
    PersonPasswordChanged = "person.password_changed",
    /// An account was disabled.
    PersonDisabled = "person.disabled",
    /// A disabled account may be used again.
    PersonEnabled = "person.enabled",
    /// A person signed in.
    PersonSignedIn = "person.signed_in",
    /// A person signed out.
    PersonSignedOut = "person.signed_out",
    /// A person ended sessions of theirs from elsewhere.
    PersonSessionsEnded = "person.sessions_ended",
    /// A sign-in to an existing account failed, or its password was asked for again and was wrong.
    PersonSignInFailed = "person.sign_in_failed",
    /// The project was made.
    ProjectCreated = "project.created",
    /// A setting of the project changed.
    ProjectUpdated = "project.updated",
    /// Callbacks are signed with a new secret from here on.
    ProjectSecretRotated = "project.secret_rotated",
    /// Somebody took the history away as a file.
    AuditExported = "audit.exported",
    /// Somebody took everything that is stored away as a file.
    GdprExport = "gdpr.export",
    /// Somebody had everything erased that people and agents wrote.
    GdprErase = "gdpr.erase",
    /// Another key signs receipts from now on.
    ReceiptKeyRotated = "receipt_key.rotated",
    /// What a key signed is not to be believed any more.
    ReceiptKeyWithdrawn = "receipt_key.withdrawn",
    /// A channel was made that people are told things through.
    ChannelCreated = "channel.created",
    /// A setting of a channel changed, or it was paused or resumed.
    ChannelUpdated = "channel.updated",
    /// A channel was deleted.
    ChannelDeleted = "channel.deleted",
    /// Somebody had a channel tried with a test message.
    ChannelTested = "channel.tested",
    /// A person linked an account on a chat platform to their own.
    ChatLinked = "chat.linked",
    /// Such an account stands for nobody any more.
    ChatUnlinked = "chat.unlinked",
    /// Somebody on a chat platform pressed a button that was not theirs to press.
    ChatRefused = "chat.refused",
    /// A person or a program is told on one more device.
    DeviceAdded = "device.added",
    /// Such a device is told nothing any more.
    DeviceRemoved = "device.removed",
    /// What is secret at rest was sealed anew with another key.
    SecretsResealed = "secrets.resealed",
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

    /// The id as the API names it, where there is one: `rev_…` or `key_…`.
    pub fn id_text(&self) -> Option<String> {
        match self {
            Self::Reviewer { id, .. } => Some(id.to_string()),
            Self::Key { id, .. } => Some(id.to_string()),
            Self::Clock | Self::Operator | Self::Anonymous => None,
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

/// Whose facts somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByActor {
    /// A person's.
    Reviewer(ReviewerId),
    /// A program's.
    Key(KeyId),
    /// Those of the actors that have no id; the text of the database.
    Nameless(&'static str),
}

impl std::str::FromStr for ByActor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let nameless = [Actor::Clock, Actor::Operator, Actor::Anonymous];
        let nameless = nameless.iter().map(Actor::kind).find(|kind| *kind == text).map(Self::Nameless);
        let reviewer = || text.parse().ok().map(Self::Reviewer);
        let key = || text.parse().ok().map(Self::Key);
        nameless.or_else(reviewer).or_else(key).ok_or(())
    }
}

/// What somebody asks for facts about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An action.
    Action(ActionId),
    /// A key: its making and its end.
    Key(KeyId),
    /// A person: their account and their coming and going.
    Reviewer(ReviewerId),
}

impl std::str::FromStr for Subject {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let action = text.parse().ok().map(Self::Action);
        let key = || text.parse().ok().map(Self::Key);
        let reviewer = || text.parse().ok().map(Self::Reviewer);
        action.or_else(key).or_else(reviewer).ok_or(())
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

    #[test]
    fn who_and_what_are_named_by_their_ids() {
        let id = uuid::Uuid::from_u128(3);
        let (key, person, action) =
            (KeyId::from_uuid(id), ReviewerId::from_uuid(id), ActionId::from_uuid(id));
        assert_eq!(key.to_string().parse(), Ok(ByActor::Key(key)));
        assert_eq!(person.to_string().parse(), Ok(ByActor::Reviewer(person)));
        assert_eq!("operator".parse(), Ok(ByActor::Nameless("operator")));
        assert_eq!(action.to_string().parse(), Ok(Subject::Action(action)));
        assert_eq!(key.to_string().parse(), Ok(Subject::Key(key)));
        for text in ["", "Ada", "reviewer", "act_", "key_1"] {
            assert!(text.parse::<ByActor>().is_err() && text.parse::<Subject>().is_err(), "{text}");
        }
    }
}
