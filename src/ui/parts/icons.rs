//! Pictures of our own, drawn with one path each on a grid of 16.

use leptos::prelude::*;

/// The logo's tick, also for yes.
pub const CHECK: &str = "M3.5 8.5l3 3 6-7";
/// For no.
pub const CROSS: &str = "M4 4l8 8M12 4l-8 8";
/// For time.
pub const CLOCK: &str = "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2.2 1.6";
/// For caution.
pub const CAUTION: &str = "M8 2.2l6.2 11.3H1.8zM8 6.5v3.4M8 11.6v.2";
/// For what failed.
pub const FAILED: &str = "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.6M8 11v.2";
/// For a way back.
pub const BACK: &str = "M9.5 3.5L5 8l4.5 4.5";
/// For a card on a page of its own.
pub const ALONE: &str = "M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3L7.5 8.5";
/// For a text to change.
pub const PENCIL: &str = "M3 13l.6-2.8 7.2-7.2 2.2 2.2-7.2 7.2z";
/// For what nobody needs any more.
pub const WITHDRAWN: &str = "M3 8h10";
/// For looking for something.
pub const SEARCH: &str = "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2";
/// For what was there before.
pub const AGAIN: &str = "M12.5 4.5v3h-3M12.2 7.5A4.6 4.6 0 1 0 12.6 9.5";
/// For what opens below.
pub const DOWN: &str = "M4 6.5l4 4 4-4";
/// For an empty inbox.
pub const TRAY: &str = "M2 9.5l2-6h8l2 6v3.5H2zM2 9.5h3.5l1 1.8h3l1-1.8H14";

/// One picture, without meaning of its own: the text beside it says the same.
#[component]
pub fn Icon(
    /// The path.
    path: &'static str,
) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d=path></path>
        </svg>
    }
}

/// The mark: a ticked box.
#[component]
pub fn Mark() -> impl IntoView {
    view! {
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M7 3h10a4 4 0 0 1 4 4v10a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4V7a4 4 0 0 1 4-4zM8 12.5l3 3 5.5-6.5"></path>
        </svg>
    }
}
