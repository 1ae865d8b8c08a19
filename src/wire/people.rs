//! The people of a project, and the links that make their accounts.

use serde::{Deserialize, Serialize};

use super::Moment;
use crate::domain::role::Role;

/// What an administrator sees of everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleView {
    /// Everybody, in the order of their joining; disabled ones last.
    pub people: Vec<PersonView>,
    /// Links that nobody has used yet.
    pub invites: Vec<InviteView>,
    /// A link that was made just before; shown this once.
    pub fresh: Option<FreshInvite>,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// `rev_…`.
    pub id: String,
    /// Their name, invisible characters revealed.
    pub name: String,
    /// Their address.
    pub email: String,
    /// What they may do.
    pub role: Role,
    /// Whether it is the one that looks.
    pub is_me: bool,
    /// When they joined.
    pub joined: Moment,
    /// When they were last seen, to the minute.
    pub seen: Option<Moment>,
    /// Since when they can't sign in.
    pub disabled: Option<Moment>,
}

/// A link that nobody has used yet; not the link itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteView {
    /// `inv_…`.
    pub id: String,
    /// What one may do who uses it.
    pub role: Role,
    /// Whom it is for, if its maker said so.
    pub email: Option<String>,
    /// Who made it.
    pub by: String,
    /// Until when it works.
    pub expires: Moment,
}

/// A link that was just made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshInvite {
    /// `inv_…`, one of the open ones.
    pub id: String,
    /// The whole address.
    pub link: String,
}

/// What a link opens, for who holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Which project.
    pub project: String,
    /// What one may do there.
    pub role: Role,
    /// The address that the account gets, if the link says so.
    pub email: Option<String>,
    /// Who made the link.
    pub by: String,
    /// Until when it works.
    pub expires: Moment,
}
