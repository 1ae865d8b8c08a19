//! The rules of the approval loop, as plain values and pure functions.
//!
//! Owns what an action, a decision, an edit and an audit event are, and which transitions exist. Knows nothing of
//! HTTP, SQL, Leptos or async; never reads a clock or a random source (both are arguments). It compiles for the
//! server and for the browser.

pub mod action;
pub mod audit;
pub mod channel;
pub mod content;
pub mod decision;
pub mod delivery;
pub mod editable;
pub mod ids;
pub mod likeness;
pub mod payload;
pub mod policy;
pub mod preferences;
pub mod proposal;
pub mod receipt;
pub mod role;
pub mod scope;
pub mod seal;
pub mod span;
pub mod text;

/// An instant. The wire speaks whole Unix seconds, the database microseconds.
pub type Instant = time::OffsetDateTime;
