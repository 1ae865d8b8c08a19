//! The one place that puts HTML into a page as it is.

use leptos::prelude::*;

use crate::wire::safe_html::SafeHtml;

/// A block of sanitised HTML.
#[component]
pub fn Html(
    /// What the server rendered.
    html: SafeHtml,
    /// The style's name.
    class: &'static str,
) -> impl IntoView {
    view! { <div class=class inner_html=html.as_str().to_owned()></div> }
}

/// A run of sanitised HTML within a line.
#[component]
pub fn InlineHtml(
    /// What the server rendered.
    html: SafeHtml,
) -> impl IntoView {
    view! { <span inner_html=html.as_str().to_owned()></span> }
}
