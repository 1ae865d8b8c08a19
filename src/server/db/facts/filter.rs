//! A filter of the history, and which of its conditions can lead a search.

use sqlx::types::Uuid;

use crate::domain::Instant;
use crate::domain::audit::{ByActor, EventKind, Subject};
use crate::domain::ids::ActionId;
use crate::server::db::audit::{Place, StoredEvent};

/// Which facts to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// About what.
    pub about: Option<Subject>,
    /// By whom.
    pub actor: Option<ByActor>,
    /// Of these kinds; all if absent.
    pub kinds: Option<Vec<EventKind>>,
    /// About an action that a key of this name proposed.
    pub agent: Option<String>,
    /// About an action of this kind.
    pub action_kind: Option<String>,
    /// Through this door.
    pub channel: Option<String>,
    /// Only decisions that changed what was proposed.
    pub is_edited: bool,
    /// Not before.
    pub since: Option<Instant>,
    /// Before.
    pub until: Option<Instant>,
    /// Older than this one: the last of the page before.
    pub before: Option<Place>,
}

/// What a search came to.
#[derive(Debug, Default)]
pub struct Found {
    /// Newest first.
    pub events: Vec<StoredEvent>,
    /// Where to go on, if there may be more.
    pub next: Option<Place>,
    /// If the search ended before the page was full: how far back it looked.
    pub looked_back_to: Option<Instant>,
}

/// A condition that has an index; the text is the statement's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Time,
    Action,
    Subject,
    Actor,
    Nameless,
    Agent,
    ActionKind,
    Channel,
    Edited,
    Kinds,
}

impl Lead {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Action => "action",
            Self::Subject => "subject",
            Self::Actor => "actor",
            Self::Nameless => "nameless",
            Self::Agent => "agent",
            Self::ActionKind => "action_kind",
            Self::Channel => "channel",
            Self::Edited => "edited",
            Self::Kinds => "kinds",
        }
    }
}

impl EventFilter {
    /// Those that are set; each has an index.
    pub(super) fn leads(&self) -> Vec<Lead> {
        let about = self.about.map(|about| match about {
            Subject::Action(_) => Lead::Action,
            Subject::Key(_) | Subject::Reviewer(_) => Lead::Subject,
        });
        let actor = self.actor.map(|actor| match actor {
            ByActor::Nameless(_) => Lead::Nameless,
            ByActor::Reviewer(_) | ByActor::Key(_) => Lead::Actor,
        });
        let set = [
            about,
            self.is_edited.then_some(Lead::Edited),
            actor,
            self.agent.as_ref().map(|_| Lead::Agent),
            self.action_kind.as_ref().map(|_| Lead::ActionKind),
            self.kinds.as_ref().map(|_| Lead::Kinds),
            self.channel.as_ref().map(|_| Lead::Channel),
        ];
        set.into_iter().flatten().collect()
    }
}

/// A filter as the statements have it.
pub(super) struct Asked {
    pub(super) action: Option<Uuid>,
    pub(super) subject: Option<String>,
    pub(super) actor: Option<Uuid>,
    pub(super) nameless: Option<&'static str>,
    pub(super) kinds: Option<Vec<String>>,
}

impl Asked {
    pub(super) fn of(filter: &EventFilter) -> Self {
        let (action, subject) = match filter.about {
            Some(Subject::Action(id)) => (Some(ActionId::uuid(id)), None),
            Some(Subject::Key(id)) => (None, Some(id.to_string())),
            Some(Subject::Reviewer(id)) => (None, Some(id.to_string())),
            None => (None, None),
        };
        let (actor, nameless) = match filter.actor {
            Some(ByActor::Reviewer(id)) => (Some(id.uuid()), None),
            Some(ByActor::Key(id)) => (Some(id.uuid()), None),
            Some(ByActor::Nameless(kind)) => (None, Some(kind)),
            None => (None, None),
        };
        let kinds = filter.kinds.as_ref();
        let kinds = kinds.map(|kinds| kinds.iter().map(|kind| kind.as_str().to_owned()).collect());
        Self { action, subject, actor, nameless, kinds }
    }
}
