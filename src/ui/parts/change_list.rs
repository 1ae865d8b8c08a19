//! What was edited, before and after.

use leptos::prelude::*;

use super::safe_html::Html;
use crate::wire::card::ChangeView;

/// Edited values, each with its diff.
#[component]
pub fn ChangeList(
    /// In the order of the action's editable list.
    changes: Vec<ChangeView>,
) -> impl IntoView {
    changes
        .into_iter()
        .map(|change| {
            view! {
                <figure class="change">
                    <figcaption>
                        <code>{change.path}</code>
                    </figcaption>
                    <Html html=change.diff class="change-diff" />
                </figure>
            }
        })
        .collect_view()
}
