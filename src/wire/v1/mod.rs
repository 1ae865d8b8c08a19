//! The public JSON of the agent API, version 1: one file per noun.
//!
//! Times are whole Unix seconds. Absent values are left out of answers, except `color`, which clients of this
//! contract expect as `null`. Unknown members of requests are ignored, except in decisions; `null` counts as absent.

mod actions;
mod audit;
mod channels;
mod exact;
mod keys;
mod problem;
mod project;
mod push;
mod receipts;
mod requests;
mod words;

pub use actions::*;
pub use audit::*;
pub use channels::*;
pub use keys::*;
pub use problem::*;
pub use project::*;
pub use push::*;
pub use receipts::*;
pub use requests::*;
pub use words::*;
