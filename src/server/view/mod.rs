//! How domain values look: to the API ([`api`]) and to a reader ([`card`], [`inbox`], [`history`]).
//!
//! Pure functions of their arguments. Agents' texts become HTML here and only through [`super::text`].

pub mod api;
pub mod card;
pub mod context;
pub mod docs;
pub mod history;
pub mod inbox;
pub mod many;
mod moment;

pub use moment::{between, moment};
