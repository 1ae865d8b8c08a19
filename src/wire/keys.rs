//! The keys of a project, as an administrator manages them in the browser.

use serde::{Deserialize, Serialize};

use super::Moment;
use crate::domain::scope::Scope;

/// What the page of keys shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeysView {
    /// Keys that work, the newest first.
    pub keys: Vec<KeyView>,
    /// Keys that are revoked or past their end, the last made first.
    pub ended: Vec<KeyView>,
    /// A key that was made just before; shown this once.
    pub fresh: Option<FreshKey>,
}

/// One key; not the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// `key_…`.
    pub id: String,
    /// Its name, invisible characters revealed.
    pub name: String,
    /// How it begins.
    pub prefix: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created: Moment,
    /// When it was last used, to the minute.
    pub used: Option<Moment>,
    /// Its end, past or to come.
    pub expires: Option<Moment>,
    /// When it was revoked.
    pub revoked: Option<Moment>,
    /// How many actions of it wait, counted up to [`InboxView::COUNT_CAP`](super::inbox::InboxView::COUNT_CAP).
    pub pending: u32,
}

/// A key that was just made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshKey {
    /// `key_…`, one of the list.
    pub id: String,
    /// The key.
    pub key: String,
}
