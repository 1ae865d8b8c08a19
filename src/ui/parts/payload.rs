//! The data that the agent will work with, complete.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use super::preview::Switch;
use super::safe_html::Html;
use crate::wire::card::PayloadView;

/// A payload up to this length is open from the start.
const SMALL: usize = 1_200;

/// A payload, folded when it is large; the fold says how much it holds.
#[component]
pub fn Payload(
    /// As a tree and as JSON.
    payload: PayloadView,
) -> impl IntoView {
    let is_small = payload.json.as_str().len() <= SMALL;
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
        <details class="fold payload" open=is_small>
            <summary>
                "Payload "
                <span class="fold-size">{payload.size}</span>
            </summary>
            <div class="payload-body">
                <Switch name="payload-as" first="Tree" second="JSON" />
                <div data-part="first">
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
