//! A list of things to manage: each with its name, what is known of it, and what can be done.

use leptos::prelude::*;

/// The list.
#[component]
pub fn Entries(
    /// What is listed.
    label: &'static str,
    /// Each an [`Entry`].
    children: Children,
) -> impl IntoView {
    view! { <ul class="entries" aria-label=label>{children()}</ul> }
}

/// One thing.
#[component]
pub fn Entry(
    /// Its name.
    name: AnyView,
    /// What stands beside the name: a word, or a button.
    #[prop(optional)]
    side: Option<AnyView>,
    /// What is known of it, each a `<span>`.
    facts: AnyView,
    /// Whether it is over.
    #[prop(optional)]
    is_over: bool,
    /// What can be done with it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <li class="entry" data-over=is_over.then_some("")>
            <div class="entry-main">
                <h3 class="entry-name">{name}</h3>
                <p class="facts">{facts}</p>
            </div>
            {side.map(|side| view! { <div class="entry-side">{side}</div> })}
            {children.map(|children| children())}
        </li>
    }
}

/// What has to be opened before it can be pressed.
#[component]
pub fn Fold(
    /// What is inside.
    summary: &'static str,
    /// To what it belongs, for who hears the summary alone.
    of: String,
    /// The inside.
    children: Children,
) -> impl IntoView {
    view! {
        <details class="entry-fold">
            <summary>
                {summary}
                <span class="visually-hidden">": " {of}</span>
            </summary>
            <div class="entry-inside">{children()}</div>
        </details>
    }
}
