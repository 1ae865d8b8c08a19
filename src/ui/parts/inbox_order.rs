//! How the list of what waits is ordered, and what of it runs out soon.

use leptos::prelude::*;

use super::inbox_address::address;
use crate::wire::inbox::{InboxFilter, InboxView};

/// The orders to choose from, and a line about what runs out, whatever the order.
#[component]
pub fn InboxOrder(
    /// The list.
    filter: InboxFilter,
    /// How many run out soon.
    running_out: u32,
    /// In how many seconds there will be one more of them.
    more_in: Option<i64>,
) -> impl IntoView {
    let links =
        [("Newest first", None), ("Running out first", Some(InboxFilter::DUE))].map(|(label, order)| {
            let is_current = filter.is_by_due() == order.is_some();
            let there = InboxFilter { order: order.map(str::to_owned), cursor: None, ..filter.clone() };
            view! {
                <a class="order-link" href=address(&there) aria-current=is_current.then_some("true")>
                    {label}
                </a>
            }
        });
    view! {
        <div class="order">
            <nav class="order-links" aria-label="Order">
                {links}
            </nav>
            <div id="due" class="due">
                <Due filter=filter count=running_out more_in=more_in />
            </div>
        </div>
    }
}

/// What runs out soon of everything that waits: a search hides nothing of it.
#[component]
fn Due(filter: InboxFilter, count: u32, more_in: Option<i64>) -> impl IntoView {
    let minutes = InboxView::SOON;
    let words = match count {
        0 => None,
        1 => Some(format!("1 runs out within {minutes} minutes")),
        InboxView::NEWER_CAP.. => {
            Some(format!("{}+ run out within {minutes} minutes", InboxView::NEWER_CAP - 1))
        }
        count => Some(format!("{count} run out within {minutes} minutes")),
    };
    let all = InboxFilter { order: Some(InboxFilter::DUE.to_owned()), ..InboxFilter::default() };
    let line = words.map(|words| {
        // Who is there already needs no way.
        if filter == all {
            view! { <p>{words}</p> }.into_any()
        } else {
            view! { <p><a href=address(&all)>{words}</a></p> }.into_any()
        }
    });
    view! {
        {line}
        {more_in.map(|secs| view! { <span hidden data-more-in=secs></span> })}
    }
}
