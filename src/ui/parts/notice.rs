//! What came of the last form: done, or why not.

use leptos::prelude::*;

use super::alert::Alert;
use super::icons::{self, Icon};
use crate::wire::error::UiError;

/// A calm sentence about what was done, or an alert about what was not.
#[component]
pub fn Notice(
    /// What was done.
    done: Option<&'static str>,
    /// Why nothing was.
    refusal: Option<UiError>,
) -> impl IntoView {
    if let Some(refusal) = refusal {
        return view! { <Alert sentence=refusal.to_string() /> }.into_any();
    }
    done.map(|sentence| {
        view! {
            <p class="notice" role="status">
                <Icon path=icons::CHECK />
                {sentence}
            </p>
        }
    })
    .into_any()
}
