//! Says when the server is out of reach.

use leptos::prelude::*;

use super::live::{Link, use_link};

/// A line above the page. It is there from the start, so that a screen reader hears it change.
#[component]
pub fn Offline() -> impl IntoView {
    let link = use_link();
    let sentence = move || {
        (link.get() == Link::Offline)
            .then_some("The server is out of reach. This page may be out of date; it catches up by itself.")
    };
    view! { <p class="offline" role="status">{sentence}</p> }
}
