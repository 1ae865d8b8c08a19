//! A part of a page of settings: what it is about, and what can be done there.

use leptos::prelude::*;

/// A heading with a sentence beside it, and what belongs to it.
#[component]
pub fn Section(
    /// Names the heading; also the place in the page that an address can name.
    id: &'static str,
    /// What it is about.
    title: &'static str,
    /// In a sentence.
    #[prop(optional)]
    lead: Option<&'static str>,
    /// The rest.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="settings-section" aria-labelledby=id>
            <div class="settings-about">
                <h2 id=id>{title}</h2>
                {lead.map(|lead| view! { <p class="hint">{lead}</p> })}
            </div>
            <div class="settings-body">{children()}</div>
        </section>
    }
}
