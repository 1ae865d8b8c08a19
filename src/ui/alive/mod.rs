//! What keeps a page up to date in the browser, besides its islands.
//!
//! The server renders everything, once; there is no second rendering here that could differ. To show something new, the
//! page is asked for again and its new parts are put in place of the old ones: rows by their key, the card by its
//! version. The one invariant: what a person reads or types is replaced only by their own doing.

mod badge;
pub mod changes;
pub mod checks;
pub mod clock;
pub mod controls;
pub mod dom;
mod drafts;
mod fetch;
mod keys;
pub mod late;
pub mod look;
mod news;
mod picks;
mod reader;
mod swap;
mod visit;
pub mod wait;

use std::time::Duration;

use leptos::prelude::set_timeout;

/// Brings the page to life, after its islands.
pub fn begin() {
    clock::follow();
    visit::follow_links();
    visit::follow_decisions();
    visit::follow_refusals();
    news::follow();
    changes::follow();
    drafts::follow();
    keys::follow();
    keys::follow_reasons();
    badge::show();
    picks::follow();
    // The script that holds the event stream tells how things stand, when the islands listen: their effects run after
    // this.
    set_timeout(|| dom::tell("impri:hello"), Duration::ZERO);
}
