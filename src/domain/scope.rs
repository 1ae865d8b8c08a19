//! What an API key may do. An agent's key proposes; deciding is another scope, and history a third.

use serde::{Deserialize, Serialize};

/// One permission of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Propose, read, wait, claim, cancel, report.
    Actions,
    /// Read and decide.
    Decide,
    /// Read the history and its exports.
    Audit,
    /// Everything, keys and settings included.
    Admin,
    /// Watchers, which this server does not run; accepted so that keys made for other servers can be described.
    Watch,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] = [Self::Actions, Self::Decide, Self::Audit, Self::Admin, Self::Watch];

    /// The text of the JSON, the command line and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Actions => "actions",
            Self::Decide => "decide",
            Self::Audit => "audit",
            Self::Admin => "admin",
            Self::Watch => "watch",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

/// The scopes of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Takes at least one scope, each once; `None` if there is none.
    pub fn new(scopes: impl IntoIterator<Item = Scope>) -> Option<Self> {
        let mut list: Vec<Scope> = Vec::new();
        for scope in scopes {
            if !list.contains(&scope) {
                list.push(scope);
            }
        }
        (!list.is_empty()).then_some(Self(list))
    }

    /// Whether a holder may do what `needed` allows; `admin` may do everything.
    pub fn allow(&self, needed: Scope) -> bool {
        self.0.contains(&needed) || self.0.contains(&Scope::Admin)
    }

    /// The scopes, in the order they were given.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_key_never_decides() {
        let agent = Scopes::new([Scope::Actions]).unwrap();
        assert!(agent.allow(Scope::Actions));
        for other in [Scope::Decide, Scope::Audit, Scope::Admin] {
            assert!(!agent.allow(other), "{}", other.as_str());
        }
        assert!(!Scopes::new([Scope::Decide]).unwrap().allow(Scope::Actions));
        assert!(Scope::ALL.into_iter().all(|scope| Scopes::new([Scope::Admin]).unwrap().allow(scope)));
        assert!(Scopes::new([]).is_none());
    }

    #[test]
    fn scope_names_round_trip() {
        for scope in Scope::ALL {
            assert_eq!(Scope::from_text(scope.as_str()), Some(scope));
        }
    }
}
