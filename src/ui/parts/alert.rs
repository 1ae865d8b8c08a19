//! A sentence that has to be read now.

use leptos::prelude::*;

use super::icons::{self, Icon};

/// What happened, that nothing was approved, and what to do.
#[component]
pub fn Alert(
    /// In a sentence or two.
    sentence: String,
) -> impl IntoView {
    view! {
        <div class="alert" role="alert">
            <Icon path=icons::CAUTION />
            <p>{sentence}</p>
        </div>
    }
}
