//! Something that is shown once.

use leptos::prelude::*;

use super::copy_button::CopyButton;

/// A key or a link that was just made, to copy. There is at most one on a page.
#[component]
pub fn Secret(
    /// What it is.
    title: String,
    /// The text to copy.
    text: String,
    /// What to do with it, and that it is shown once.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="secret" aria-labelledby="secret-title">
            <h2 id="secret-title">{title}</h2>
            <div class="command">
                <pre tabindex="0"><code data-copy="">{text}</code></pre>
                <CopyButton />
            </div>
            <p>{children()}</p>
        </section>
    }
}
