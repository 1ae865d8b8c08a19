//! The tabs of the inbox: one for each status, with how many there are.

use leptos::prelude::*;

use super::inbox_address::address;
use super::status_badge::status_label;
use crate::wire::inbox::{InboxFilter, Tab};

/// The tabs. They keep what is looked for.
#[component]
pub fn InboxTabs(
    /// What is looked for, and the present tab.
    filter: InboxFilter,
    /// Every tab.
    tabs: Vec<Tab>,
) -> impl IntoView {
    let links = tabs
        .into_iter()
        .map(|Tab { status, count }| {
            let is_current = filter.tab() == status;
            let there = Some(status.clone()).filter(|status| status != "pending");
            let href = address(&InboxFilter { status: there, cursor: None, ..filter.clone() });
            view! {
                <a class="tab" href=href data-tab=status.clone() aria-current=is_current.then_some("page")>
                    {status_label(&status)}
                    " "
                    <span class="tab-count">{count}</span>
                </a>
            }
        })
        .collect_view();
    view! {
        <nav class="tabs" aria-label="Status">
            {links}
        </nav>
    }
}
