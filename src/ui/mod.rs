//! The pages: Leptos components, rendered on the server and brought to life in the browser.
//!
//! Pages read through `rpc` and render what they get; they never see the server. Every page is whole as HTML alone:
//! each change is a plain form with real names. In the browser the same markup gets live updates and changes in
//! place.

pub mod app;
pub mod desk;
pub mod host;
pub mod pages;
pub mod parts;
pub mod shell;
