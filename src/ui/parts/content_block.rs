//! What runs when it is approved, in the order in which a decider reads it.

use leptos::prelude::*;

use super::payload::Payload;
use super::preview::Preview;
use super::safe_html::Html;
use crate::wire::card::ContentView;
use crate::wire::safe_html::SafeHtml;

/// How it could be walked back, the preview and the payload.
#[component]
pub fn ContentBlock(
    /// The undo note, in the agent's words.
    undo: Option<SafeHtml>,
    /// The preview and the payload.
    content: ContentView,
) -> impl IntoView {
    let undo = undo.map(|undo| {
        view! {
            <figure class="undo">
                <figcaption>"How to undo it, says the agent"</figcaption>
                <Html html=undo class="quote" />
            </figure>
        }
    });
    view! {
        {undo}
        <Preview
            format=content.format
            rendered=content.preview
            raw=content.raw
            size=content.size
            digest=content.digest_short
            full_digest=content.digest
        />
        {content.payload.map(|payload| view! { <Payload payload=payload /> })}
    }
}
