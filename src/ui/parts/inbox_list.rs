//! The actions that wait, one row each.

use leptos::prelude::*;

use super::links::with_query;
use super::time::Remaining;
use crate::wire::inbox::{InboxRow, InboxView};

/// The list. Rows stay the same elements while they are in it, so that focus and scroll stay where they are.
#[component]
pub fn InboxList(
    /// The page of the list.
    list: RwSignal<Option<InboxView>>,
    /// The card on the table.
    selected: Signal<Option<String>>,
    /// Where this page of the list begins.
    cursor: Memo<Option<String>>,
) -> impl IntoView {
    let rows = move || list.with(|list| list.as_ref().map(|list| list.rows.clone()).unwrap_or_default());
    let older = move || {
        let next = list.with(|list| list.as_ref()?.next_cursor.clone())?;
        let address = with_query("/inbox", &[("cursor", Some(&next))]);
        Some(view! { <a class="more" href=address>"Older"</a> })
    };
    let newest =
        move || cursor.get().map(|_| view! { <a class="more" href="/inbox">"Back to the newest"</a> });
    view! {
        <section class="inbox-list" aria-label="Waiting for a decision">
            {newest}
            <ol class="rows">
                <For each=rows key=|row| row.id.clone() let:row>
                    <Row row=row selected=selected cursor=cursor />
                </For>
            </ol>
            {older}
        </section>
    }
}

#[component]
fn Row(row: InboxRow, selected: Signal<Option<String>>, cursor: Memo<Option<String>>) -> impl IntoView {
    let InboxRow { id, status, kind, title, agent, excerpt, expires, not_idempotent, editable, .. } = row;
    let own_id = id.clone();
    let current = move || selected.with(|selected| selected.as_ref() == Some(&own_id)).then_some("true");
    let address = move || with_query("/inbox", &[("cursor", cursor.get().as_deref()), ("at", Some(&id))]);
    view! {
        <li>
            <a class="row" href=address data-state=status aria-current=current>
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
