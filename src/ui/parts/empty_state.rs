//! What stands where there is nothing.

use leptos::prelude::*;

use super::icons::Icon;

/// A calm sentence about nothing.
#[component]
pub fn EmptyState(
    /// A picture.
    icon: &'static str,
    /// What there is not.
    #[prop(into)]
    title: String,
    /// What that means, or what to do.
    text: &'static str,
    /// Where to go from here: an address and what it is called.
    link: Option<(String, &'static str)>,
) -> impl IntoView {
    view! {
        <div class="empty-state">
            <Icon path=icon />
            <h2 id="card-title" tabindex="-1">{title}</h2>
            <p>{text}</p>
            {link.map(|(href, words)| view! { <a class="button" href=href>{words}</a> })}
        </div>
    }
}
