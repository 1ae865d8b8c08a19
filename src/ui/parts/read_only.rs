//! Stands where the decision would be, for who may read and not decide.

use leptos::prelude::*;

/// Why there are no buttons.
#[component]
pub fn ReadOnly() -> impl IntoView {
    view! {
        <p class="read-only">
            "You can read this. Your role is viewer, so somebody else decides it."
        </p>
    }
}
