//! What to do with the rows that are ticked: a form at the foot of the list that leads to a page which shows them.

use leptos::prelude::*;

use super::icons::{self, Icon};
use super::inbox_address::{hidden, with_card};
use crate::wire::inbox::InboxFilter;

/// The id of the form, which the boxes in the rows belong to.
pub const FORM: &str = "bulk";

/// The bar. The style sheet shows it while something is ticked, and counts; so it works without a script.
#[component]
pub fn BulkBar(
    /// The list.
    filter: InboxFilter,
    /// The card beside it.
    at: Option<String>,
) -> impl IntoView {
    let here = with_card(&filter, at.as_deref());
    let all = format!("{here}{}picked=all", if here.contains('?') { '&' } else { '?' });
    view! {
        <form id=FORM class="bulk-bar" method="get" action="/inbox/decide" autocomplete="off" aria-label="Selected">
            {hidden(&filter, None, str::to_owned)}
            // Enter on a box presses the first submit button of its form. This one closes a dialog, and there is none.
            <button type="submit" formmethod="dialog" hidden></button>
            <p class="bulk-line">
                <strong class="bulk-count">"selected"</strong>
                <a href=all data-pick-all="">
                    "Select all shown"
                </a>
                <button class="link-button" type="reset">
                    "Clear"
                </button>
            </p>
            <div class="bulk-buttons">
                <button class="button" name="verdict" value="approve">
                    <Icon path=icons::CHECK />
                    "Approve…"
                </button>
                <button class="button" name="verdict" value="reject">
                    <Icon path=icons::CROSS />
                    "Reject…"
                </button>
            </div>
        </form>
    }
}
