//! The way on from a card that is past deciding, where its decision was.

use leptos::prelude::*;

use super::inbox_address::with_card;
use crate::wire::inbox::{InboxFilter, NextCard};

/// The bar; empty if there is nothing to go on with.
#[component]
pub fn NextBar(
    /// What waits next.
    next: Option<NextCard>,
    /// The list that it is next in.
    filter: InboxFilter,
    /// Whether the list is on this page, so that going on changes only the card.
    #[prop(optional)]
    is_beside: bool,
) -> impl IntoView {
    let link = next.map(|NextCard { id, title }| {
        let waiting =
            InboxFilter { status: None, cursor: filter.cursor.clone().filter(|_| is_beside), ..filter };
        let href = with_card(&waiting, Some(&id));
        view! {
            <a class="button" href=href data-next=id data-swap=is_beside.then_some("")>
                "Next"
            </a>
            <span class="next-title">{title}</span>
        }
    });
    view! {
        <div id="next" class="next-bar">
            {link}
        </div>
    }
}
