//! The pages: Leptos components, rendered on the server and brought to life in the browser.
//!
//! Pages read through `rpc` and render what they get; they never see the server. Every page is whole as HTML alone:
//! each change is a plain form with real names.
//!
//! Components run on the server only. What reacts in the browser is an island: the decide form, the copy button, the
//! signs of the link to the server. [`alive`] keeps the rest up to date. So the program that the browser loads is a
//! quarter of what it would be if it could render every page itself, and there is one rendering of everything.

pub mod alive;
pub mod app;
pub mod host;
pub mod pages;
pub mod parts;
pub mod shell;
