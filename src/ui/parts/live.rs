//! The signs of the link to the server, as `live.js` tells how it stands. A page that nobody keeps up to date is still
//! right, it is just not live.

use leptos::prelude::*;

use crate::ui::alive::dom::{detail, on_window};

/// Whether the stream is up; none as long as nobody said.
fn link() -> RwSignal<Option<bool>> {
    let link = RwSignal::new(None);
    Effect::new(move |_| {
        on_window("impri:link", move |event| {
            link.set(Some(detail(&event, "online").is_some_and(|online| online.is_truthy())));
        });
    });
    link
}

/// The sign in the head of the page. The script that holds the stream starts only where this is.
#[island]
pub fn LiveSign() -> impl IntoView {
    let link = link();
    let state = move || match link.get() {
        None => "unknown",
        Some(true) => "online",
        Some(false) => "offline",
    };
    let word = move || if link.get() == Some(false) { "Offline" } else { "Live" };
    view! { <span class="live" data-live="" data-link=state>{word}</span> }
}

/// A line above the page while the server is out of reach. It is there from the start, so that a screen reader hears it
/// change.
#[island]
pub fn Offline() -> impl IntoView {
    let link = link();
    let sentence = move || {
        (link.get() == Some(false))
            .then_some("The server is out of reach. This page may be out of date; it catches up by itself.")
    };
    view! { <p class="offline" role="status">{sentence}</p> }
}
