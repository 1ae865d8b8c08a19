//! Everything that exists only in the server build.
//!
//! Nothing in here may name `ui`, `rpc` or `boot`.

pub mod config;
pub mod postgres;
