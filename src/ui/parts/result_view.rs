//! What came of running an action, as the agent reports it.

use leptos::prelude::*;

use super::safe_html::Html;
use super::status_badge::Badge;
use super::time::Time;
use crate::wire::card::ResultView;

/// The result.
#[component]
pub fn ResultBlock(
    /// As reported.
    result: ResultView,
) -> impl IntoView {
    let (state, label) =
        if result.succeeded { ("executed", "Executed") } else { ("execute_failed", "Failed") };
    view! {
        <section class="result-view" aria-label="Result" data-state=state>
            <p class="facts">
                <Badge state=state.to_owned() label=label.to_owned() />
                <span>"as the agent reports, "<Time moment=result.at /></span>
            </p>
            {result.detail.map(|detail| view! { <Html html=detail class="quote" /> })}
            {result.payload.map(|payload| view! { <Html html=payload class="payload-tree" /> })}
        </section>
    }
}
