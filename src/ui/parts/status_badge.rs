//! A status in a word and a picture, so that colour says nothing alone.

use leptos::prelude::*;

use super::icons::{self, Icon};

/// What a reader calls a status.
pub fn status_label(status: &str) -> &'static str {
    match status {
        "approved" => "Approved",
        "rejected" => "Rejected",
        "expired" => "Expired",
        "cancelled" => "Cancelled",
        "executed" => "Executed",
        "execute_failed" => "Failed",
        _ => "Pending",
    }
}

/// A word with the look of a status; for events, whose kinds end with one.
#[component]
pub fn Badge(
    /// Which look.
    state: String,
    /// The word.
    label: String,
) -> impl IntoView {
    let path = match state.as_str() {
        "approved" | "executed" => Some(icons::CHECK),
        "rejected" => Some(icons::CROSS),
        "expired" => Some(icons::CLOCK),
        "cancelled" => Some(icons::WITHDRAWN),
        "execute_failed" => Some(icons::FAILED),
        _ => None,
    };
    view! {
        <span class="status-badge" data-state=state>
            {path.map(|path| view! { <Icon path=path /> })}
            {label}
        </span>
    }
}
