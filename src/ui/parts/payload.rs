//! The data that the agent will work with, complete.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use super::preview::Switch;
use super::safe_html::Html;
use crate::wire::card::PayloadView;

/// A payload, open whatever its size: nobody approves what they were not shown. The fold says how much it holds.
#[component]
pub fn Payload(
    /// As a tree and as JSON.
    payload: PayloadView,
) -> impl IntoView {
    let shown = view! { <Html html=payload.json class="raw" /> };
    // What is copied is the data, not the marks that were put into it for the reader.
    let copied = match payload.exact {
        Some(exact) => view! {
            {shown}
            <span data-copy="" hidden>
                {exact}
            </span>
        }
        .into_any(),
        None => view! { <div data-copy="">{shown}</div> }.into_any(),
    };
    view! {
        <details class="fold payload" open>
            <summary>
                "Payload "
                <span class="fold-size">{payload.size}</span>
            </summary>
            <div class="payload-body">
                <Switch name="payload-as" first="Tree" second="JSON" />
                <div data-part="first" tabindex="0">
                    <Html html=payload.tree class="payload-tree" />
                </div>
                <div data-part="second" class="command">
                    {copied}
                    <CopyButton />
                </div>
            </div>
        </details>
    }
}
