//! What stands where there is nothing.

use leptos::prelude::*;

use super::icons::Icon;

/// A calm sentence about nothing.
#[component]
pub fn EmptyState(
    /// A picture.
    icon: &'static str,
    /// What there is not.
    title: &'static str,
    /// What that means, or what to do.
    text: &'static str,
) -> impl IntoView {
    view! {
        <div class="empty-state">
            <Icon path=icon />
            <h2 id="card-title" tabindex="-1">{title}</h2>
            <p>{text}</p>
        </div>
    }
}
