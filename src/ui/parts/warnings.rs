//! What a decider has to know before reading the content.

use leptos::prelude::*;

use super::icons::{self, Icon};
use crate::domain::decision::NOT_IDEMPOTENT;

/// Warnings, in sentences.
#[component]
pub fn Warnings(
    /// The agent said that running it twice is not the same as once.
    not_idempotent: bool,
    /// What the server found in the text.
    found: Vec<String>,
) -> impl IntoView {
    let twice = not_idempotent.then(|| {
        view! {
            <p class="warning">
                <Icon path=icons::CAUTION />
                <strong>{NOT_IDEMPOTENT}</strong>
            </p>
        }
    });
    let found = (!found.is_empty()).then(|| {
        let sentences = found.into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view();
        view! {
            <div class="warning">
                <Icon path=icons::CAUTION />
                <strong>"Look closely"</strong>
                <ul>{sentences}</ul>
            </div>
        }
    });
    view! { <div class="warnings">{twice}{found}</div> }
}
