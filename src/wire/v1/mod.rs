//! The public JSON of the agent API, version 1.
//!
//! Times are whole Unix seconds. Absent values are left out of answers, except `color`, which clients of this
//! contract expect as `null`. Unknown members of requests are ignored; `null` counts as absent.

mod actions;

pub use actions::*;
