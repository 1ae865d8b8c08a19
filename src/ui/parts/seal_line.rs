//! How far the history is sealed, as one quiet line.

use leptos::prelude::*;

use super::time::FullTime;
use crate::wire::history::{ReceiverView, SealView};

/// `Sealed up to event 1204 at …; last checkpoint ….`
#[component]
pub fn SealLine(
    /// How far.
    seal: SealView,
) -> impl IntoView {
    let signed =
        seal.signed.map(|moment| view! { <span>"; last checkpoint "<FullTime moment=moment /></span> });
    let receivers = seal.receivers.into_iter().map(receiver).collect_view();
    view! {
        <p class="seal-state">
            {format!("Sealed up to event {} at ", seal.event)}
            <FullTime moment=seal.at />
            {signed}
            "."
            {receivers}
        </p>
    }
}

/// Where checkpoints are sent, too.
fn receiver(receiver: ReceiverView) -> impl IntoView {
    let ReceiverView { host, took, failing } = receiver;
    match (failing, took) {
        (Some((since, why)), _) => view! {
            <span class="seal-failing">
                {format!(" {host} takes no checkpoints since ")}
                <FullTime moment=since />
                {format!(": {why}. They are sent again.")}
            </span>
        }
        .into_any(),
        (None, Some(took)) => view! {
            <span>{format!(" {host} took the last one at ")} <FullTime moment=took /> "."</span>
        }
        .into_any(),
        (None, None) => view! { <span>{format!(" {host} has none yet.")}</span> }.into_any(),
    }
}
