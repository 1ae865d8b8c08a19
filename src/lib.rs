//! Impri: an approval inbox for AI agents.
//!
//! An agent proposes an action and waits; a person approves, rejects, or edits and approves; the agent goes on with
//! the approved version only; the history says who decided what.
//!
//! # The house
//!
//! | room | owns | must not know |
//! | --- | --- | --- |
//! | [`domain`] | the rules, as pure values and functions | I/O, clocks, every crate that does I/O |
//! | [`wire`] | the types that cross the wire | behaviour |
//! | [`rpc`] | what the pages call: authenticate, call a service, map the error | SQL, rules |
//! | [`ui`] | pages and their parts | the server |
//! | `server` | services, database, doors, workers (server build only) | Leptos pages |
//! | `boot` | composition: command line, router, start and stop (server build only) | rules |
//!
//! Arrows point one way: `domain` ← `wire` ← `server` ← `rpc` ← `ui`; only `boot` sees everything. Inside `server`,
//! `service` is the only code that opens transactions and `db` the only code with SQL.

#![recursion_limit = "512"]

pub mod domain;
pub mod rpc;
pub mod ui;
pub mod wire;

#[cfg(feature = "ssr")]
pub mod boot;
#[cfg(feature = "ssr")]
pub mod server;

/// Prepares the islands; the starter then calls each with its element.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}

/// Brings the rest of the page to life, after its islands.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn begin() {
    ui::alive::begin();
}
