//! What a person may do in a project. Each role may do what the ones before it may.

use serde::{Deserialize, Serialize};

/// A person's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads the inbox, the cards and the history.
    Viewer,
    /// Decides.
    Reviewer,
    /// Manages keys, people and settings.
    Admin,
}

impl Role {
    /// Every role, the smallest first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Reviewer, Self::Admin];

    /// The text of the forms, the command line and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Reviewer => "reviewer",
            Self::Admin => "admin",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    /// Whether a holder may do what `needed` may.
    pub fn allows(self, needed: Self) -> bool {
        self >= needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_may_do_what_the_smaller_ones_may() {
        for (index, role) in Role::ALL.into_iter().enumerate() {
            let allowed = Role::ALL.into_iter().filter(|needed| role.allows(*needed)).count();
            assert_eq!(allowed, index + 1, "{}", role.as_str());
        }
        assert!(!Role::Viewer.allows(Role::Reviewer));
    }

    #[test]
    fn role_names_round_trip() {
        for role in Role::ALL {
            assert_eq!(Role::from_text(role.as_str()), Some(role));
        }
        assert_eq!(Role::from_text("Admin"), None);
    }
}
