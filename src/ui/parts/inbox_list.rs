//! The actions of a tab, one row each.

use leptos::prelude::*;

use super::bulk_bar;
use super::icons::{self, Icon};
use super::inbox_address::{address, with_card};
use super::marked::Marked;
use super::status_badge::{Badge, status_label};
use super::time::{Remaining, Time};
use crate::wire::inbox::{InboxFilter, InboxRow, InboxView};

/// The list. In the browser a row stays the same element for as long as it is in the list, so that focus and scroll
/// stay where they are.
#[component]
pub fn InboxList(
    /// The page of the list.
    list: InboxView,
    /// The card beside it.
    selected: Option<String>,
    /// What is looked for, and where this page of the list begins.
    filter: InboxFilter,
    /// Every row is ticked.
    is_picked: bool,
) -> impl IntoView {
    let label = match filter.tab() {
        "pending" => "Waiting for a decision".to_owned(),
        status => format!("{} actions", status_label(status)),
    };
    let older = list.next_cursor.map(|next| {
        let address = address(&InboxFilter { cursor: Some(next), ..filter.clone() });
        view! { <a class="more" href=address>"Older"</a> }
    });
    let newer = newer(list.newer, &filter);
    let pick = list.may_decide.then_some(is_picked);
    let rows = list.rows.into_iter().map(|row| {
        let is_selected = selected.as_deref() == Some(&row.id);
        let address = with_card(&filter, Some(&row.id));
        view! { <Row row=row address=address words=filter.q.clone() is_selected=is_selected pick=pick /> }
    });
    view! {
        <section class="inbox-list" aria-label=label data-seen=list.seen>
            <div id="newer" role="status">{newer}</div>
            <ol class="rows">{rows.collect_view()}</ol>
            <div id="older">{older}</div>
        </section>
    }
}

/// The way to what came after the rows that are shown.
fn newer(count: u32, filter: &InboxFilter) -> Option<impl IntoView + use<>> {
    let words = match (count, filter.cursor.is_some()) {
        (0, false) => return None,
        (0, true) if filter.tab() == "pending" && filter.is_by_due() => {
            "Back to what runs out first".to_owned()
        }
        (0, true) => "Back to the newest".to_owned(),
        (InboxView::NEWER_CAP.., _) => format!("{}+ new", InboxView::NEWER_CAP - 1),
        (count, _) => format!("{count} new"),
    };
    let newest = address(&InboxFilter { cursor: None, ..filter.clone() });
    let is_new = (count > 0).then_some("");
    Some(view! { <a class="more" href=newest data-newest=is_new>{words}</a> })
}

#[component]
fn Row(
    row: InboxRow,
    address: String,
    words: Option<String>,
    is_selected: bool,
    /// Whether it is ticked; none for who can't decide it.
    pick: Option<bool>,
) -> impl IntoView {
    let InboxRow {
        id,
        status,
        kind,
        title,
        agent,
        excerpt,
        created,
        expires,
        ended,
        by,
        edits,
        not_idempotent,
        editable,
    } = row;
    let pick = pick.filter(|_| status == "pending").map(|is_picked| {
        let label = format!("Select {title}");
        view! {
            <label class="row-pick">
                <input type="checkbox" name="pick" value=id.clone() form=bulk_bar::FORM checked=is_picked aria-label=label />
            </label>
        }
    });
    // What waits has two times: what is left stands where the others say when they ended, and says that it is left.
    let (time, age) = match ended {
        None => {
            let age = view! { <span class="row-age"><span class="visually-hidden">"proposed "</span><Time moment=created /></span> };
            (view! { <Remaining moment=expires after=" left" over="time is over" /> }.into_any(), Some(age))
        }
        Some(ended) => (view! { <Time moment=ended /> }.into_any(), None),
    };
    let badge = (status != "pending").then(|| {
        let label = status_label(&status).to_owned();
        view! { <Badge state=status.clone() label=label /> }
    });
    let by = by.map(|by| {
        let edits = match edits {
            0 => String::new(),
            1 => " with 1 edit".to_owned(),
            count => format!(" with {count} edits"),
        };
        view! { <span>"by " {by} {edits}</span> }
    });
    // What a decider should know before they open it is of no use afterwards.
    let is_pending = badge.is_none();
    view! {
        <li data-key=id>
            <a
                class="row"
                href=address
                data-swap=""
                data-state=status
                aria-current=is_selected.then_some("true")
            >
                <span class="row-title"><Marked text=title words=words.clone() /></span>
                <span class="row-time">{time}</span>
                <span class="row-excerpt"><Marked text=excerpt words=words /></span>
                <span class="row-facts">
                    {badge}
                    <code>{kind}</code>
                    <span>{agent}</span>
                    {age}
                    {by}
                    {(not_idempotent && is_pending).then(|| view! { <span class="flag">"Not idempotent"</span> })}
                    {(editable && is_pending).then(|| {
                        view! {
                            <span class="editable" title="Parts of it can be edited">
                                <Icon path=icons::PENCIL />
                                <span class="visually-hidden">"editable"</span>
                            </span>
                        }
                    })}
                </span>
            </a>
            {pick}
        </li>
    }
}
