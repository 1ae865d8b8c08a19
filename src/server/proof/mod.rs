//! Proving the history: the lines of a sealed export, and the check of them.
//!
//! Owns the format of the file and every sentence about what is wrong with one. It knows no database and no network: the
//! live history is written as the same lines and checked by the same code.

mod check;
mod finding;
mod line;
mod trail;

pub use check::{Check, Outcome, Source};
pub use finding::Finding;
pub use line::{CheckpointLine, Erasure, EventLine, FORMAT, Head, Line, read_lines};
pub use trail::{Continued, Trail};
