//! Impri: an approval inbox for AI agents.
#![recursion_limit = "512"]

#[cfg(feature = "ssr")]
pub mod boot;
#[cfg(feature = "ssr")]
pub mod server;
