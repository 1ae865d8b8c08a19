//! What crosses the wire, as plain serde types without behaviour.
//!
//! [`v1`] is the public JSON of the agent API. Everything else is what the pages and the server functions exchange:
//! flat, owned and already formatted, so that the browser renders exactly what the server rendered.

pub mod account;
pub mod card;
pub mod channels;
pub mod connect;
pub mod context;
pub mod docs;
pub mod error;
mod field;
pub mod history;
pub mod inbox;
pub mod keys;
pub mod many;
pub mod people;
pub mod push;
pub mod safe_html;
pub mod session;
pub mod typed;
pub mod v1;

use serde::{Deserialize, Serialize};

/// An instant for a reader: formatted on the server, so that both sides render the same text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Unix seconds.
    pub unix: i64,
    /// Seconds from when the page was made to this instant; negative in the past. Countdowns start here, so that a
    /// browser whose clock is wrong still counts right.
    pub from_now: i64,
    /// RFC 3339, for `<time datetime>`.
    pub iso: String,
    /// For people, in their time zone: `29 Nov 2026, 13:40:07 CET`.
    pub text: String,
    /// Relative to when the page was made: `2 min ago`, `in 27 min`.
    pub relative: String,
}
