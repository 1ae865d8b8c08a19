//! Who is signed in.

use serde::{Deserialize, Serialize};

use crate::domain::preferences::Theme;
use crate::domain::role::Role;

/// The header of a page that a page fetches to see what is new: nobody looks at the whole of it.
pub const FETCHED: &str = "impri-fetched";

/// The signed-in person, as the pages need them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// `rev_…`.
    pub id: String,
    /// Their name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// The project they work in.
    pub project: String,
    /// What they may do there.
    pub role: Role,
    /// The colours that they chose.
    pub theme: Theme,
    /// Whether single keys do something in the inbox.
    pub shortcuts: bool,
    /// How many actions wait there, counted up to [`InboxView::COUNT_CAP`](super::inbox::InboxView::COUNT_CAP).
    pub pending: u32,
}

/// What a set-up link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SetUpLink {
    /// The form of the first account.
    Open,
    /// Nothing: there is an account already.
    Done,
    /// Nothing: it is not the newest, or none at all.
    Replaced,
}

/// What a visitor without a session may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Door {
    /// Signed in.
    In(Me),
    /// There are accounts: sign in.
    SignIn,
    /// Nobody has an account yet: the server's log holds the link to set it up.
    NotSetUp,
}
