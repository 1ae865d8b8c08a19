//! The actions that wait, one row each.

use leptos::prelude::*;

use super::links::with_query;
use super::time::Remaining;
use crate::wire::inbox::{InboxRow, InboxView};

/// The list. In the browser a row stays the same element for as long as it is in the list, so that focus and scroll
/// stay where they are.
#[component]
pub fn InboxList(
    /// The page of the list.
    list: InboxView,
    /// The card beside it.
    selected: Option<String>,
    /// Where this page of the list begins.
    cursor: Option<String>,
) -> impl IntoView {
    let older = list.next_cursor.map(|next| {
        let address = with_query("/inbox", &[("cursor", Some(&next))]);
        view! { <a class="more" href=address>"Older"</a> }
    });
    let newest = cursor.as_ref().map(|_| view! { <a class="more" href="/inbox">"Back to the newest"</a> });
    let rows = list.rows.into_iter().map(|row| {
        let is_selected = selected.as_deref() == Some(&row.id);
        let address = with_query("/inbox", &[("cursor", cursor.as_deref()), ("at", Some(&row.id))]);
        view! { <Row row=row address=address is_selected=is_selected /> }
    });
    view! {
        <section class="inbox-list" aria-label="Waiting for a decision">
            <div id="newer">{newest}</div>
            <ol class="rows">{rows.collect_view()}</ol>
            <div id="older">{older}</div>
        </section>
    }
}

#[component]
fn Row(row: InboxRow, address: String, is_selected: bool) -> impl IntoView {
    let InboxRow { id, status, kind, title, agent, excerpt, expires, not_idempotent, editable, .. } = row;
    view! {
        <li data-key=id>
            <a
                class="row"
                href=address
                data-swap=""
                data-state=status
                aria-current=is_selected.then_some("true")
            >
                <span class="row-title">{title}</span>
                <span class="row-time">
                    <span class="visually-hidden">"expires in "</span>
                    <Remaining moment=expires before="" over="time is over" />
                </span>
                <span class="row-excerpt">{excerpt}</span>
                <span class="row-facts">
                    <code>{kind}</code>
                    <span>{agent}</span>
                    {not_idempotent.then(|| view! { <span class="flag">"Not idempotent"</span> })}
                    {editable.then(|| view! { <span>"editable"</span> })}
                </span>
            </a>
        </li>
    }
}
