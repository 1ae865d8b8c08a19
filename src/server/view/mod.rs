//! How domain values look: to the API ([`api`], [`audit`], [`keys`], [`project`]) and to a [`Reader`] ([`card`],
//! [`inbox`], [`history`] and the rest).
//!
//! Pure functions of their arguments. Agents' texts become HTML here and only through [`super::text`].

pub mod account;
pub mod api;
pub mod audit;
pub mod card;
pub mod channels;
pub mod connect;
mod content;
pub mod context;
pub mod docs;
pub mod history;
mod history_notes;
pub mod inbox;
pub mod key_list;
pub mod keys;
pub mod many;
mod moment;
pub mod people;
pub mod project;
pub mod push;
pub mod second_look;

pub use card::through;
pub use content::counted;
pub use moment::{Reader, between};

use crate::domain::action::Action;

/// What a reader should know before they read what was proposed: everything that does not look like what it is.
pub fn warnings(action: &Action) -> Vec<String> {
    content::warnings(action, &action.content, None)
}
