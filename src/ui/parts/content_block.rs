//! What runs when it is approved, and how it could be walked back.

use leptos::prelude::*;

use super::payload::Payload;
use super::preview::Preview;
use super::safe_html::Html;
use crate::wire::card::ContentView;
use crate::wire::safe_html::SafeHtml;

/// How it could be walked back.
#[component]
pub fn UndoNote(
    /// In the agent's words.
    undo: SafeHtml,
) -> impl IntoView {
    view! {
        <figure class="undo">
            <figcaption>"How to undo it, says the agent"</figcaption>
            <Html html=undo class="quote" />
        </figure>
    }
}

/// The preview and the payload.
#[component]
pub fn ContentBlock(
    /// Both.
    content: ContentView,
) -> impl IntoView {
    view! {
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
