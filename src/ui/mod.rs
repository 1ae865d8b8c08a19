//! The pages: Leptos components, rendered on the server and brought to life in the browser.
//!
//! Pages read through `rpc` and render what they get; they never see the server.

pub mod app;
pub mod host;
pub mod shell;
