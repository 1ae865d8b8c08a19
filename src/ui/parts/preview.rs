//! What will happen: the content, rendered and exactly as text.

use leptos::prelude::*;

use super::safe_html::Html;
use crate::wire::safe_html::SafeHtml;

/// The content of an action.
#[component]
pub fn Preview(
    /// `markdown`, `plain`, `diff` or `code`.
    format: String,
    /// As a reader sees it.
    rendered: SafeHtml,
    /// Exactly as text, where that is something else.
    raw: Option<SafeHtml>,
    /// How long it is.
    size: String,
    /// The first digits of the content's digest.
    digest: String,
    /// All of them.
    full_digest: String,
) -> impl IntoView {
    let name = match format.as_str() {
        "markdown" => "Markdown",
        "diff" => "Diff",
        "code" => "Code",
        _ => "Plain text",
    };
    let switch = if raw.is_some() {
        view! { <Switch name="preview-as" first=name second="Raw" /> }.into_any()
    } else {
        view! { <span>{name}</span> }.into_any()
    };
    view! {
        <section class="preview" aria-label="Content">
            <div class="preview-bar">
                {switch}
                <span>{size}</span>
                <code class="digest" title=format!("SHA-256 of everything on this card: {full_digest}")>
                    "sha256 "
                    {digest}
                </code>
            </div>
            // It scrolls sideways where it is too wide, by keyboard too.
            <div data-part="first" data-format=format tabindex="0">
                <Html html=rendered class="preview-body prose" />
            </div>
            {raw.map(|raw| view! { <div data-part="second" tabindex="0"><Html html=raw class="preview-body raw" /></div> })}
        </section>
    }
}

/// Chooses between two parts of the element around it. Works without a script: the style sheet looks at what is
/// checked. It belongs to no form.
#[component]
pub fn Switch(
    /// Unique on the page.
    name: &'static str,
    /// The part shown first.
    first: &'static str,
    /// The other one.
    second: &'static str,
) -> impl IntoView {
    view! {
        <fieldset class="switch">
            <legend class="visually-hidden">"Show as"</legend>
            <label>
                <input type="radio" name=name form="none" value="first" checked />
                <span>{first}</span>
            </label>
            <label>
                <input type="radio" name=name form="none" value="second" />
                <span>{second}</span>
            </label>
        </fieldset>
    }
}
