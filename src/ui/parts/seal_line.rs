//! How far the history is sealed, as one quiet line.

use leptos::prelude::*;

use super::time::FullTime;
use crate::wire::history::SealView;

/// `Sealed up to event 1204 at …; last checkpoint ….`
#[component]
pub fn SealLine(
    /// How far.
    seal: SealView,
) -> impl IntoView {
    let signed =
        seal.signed.map(|moment| view! { <span>"; last checkpoint "<FullTime moment=moment /></span> });
    view! {
        <p class="seal-state">
            {format!("Sealed up to event {} at ", seal.event)}
            <FullTime moment=seal.at />
            {signed}
            "."
        </p>
    }
}
