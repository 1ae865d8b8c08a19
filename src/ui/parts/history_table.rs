//! Facts as a table, which a narrow screen shows as a list.

use leptos::prelude::*;

use super::change_list::ChangeList;
use super::safe_html::Html;
use super::status_badge::Badge;
use super::time::FullTime;
use crate::wire::history::HistoryEvent;

/// The facts.
#[component]
pub fn HistoryTable(
    /// Newest first.
    events: Vec<HistoryEvent>,
) -> impl IntoView {
    let rows = events.into_iter().map(row).collect_view();
    view! {
        <table class="history-table">
            <thead>
                <tr>
                    <th scope="col">"When"</th>
                    <th scope="col">"What happened"</th>
                    <th scope="col">"Who"</th>
                    <th scope="col">"Through"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn row(event: HistoryEvent) -> impl IntoView {
    // `action.approved` looks like the status `approved`.
    let state = event.kind.strip_prefix("action.").unwrap_or_default().to_owned();
    let action = event.action.map(|action| {
        view! {
            <a class="history-action" href=format!("/inbox/{}", action.id)>
                {action.title}
            </a>
        }
    });
    view! {
        <tr data-event=event.kind>
            <td class="history-when">
                <FullTime moment=event.at />
            </td>
            <td class="history-what">
                <p class="facts">
                    <Badge state=state label=event.label />
                    {action}
                    {event.note.map(|note| view! { <span>{note}</span> })}
                </p>
                {event.quote.map(|quote| view! { <Html html=quote class="quote" /> })}
                <ChangeList changes=event.changes />
            </td>
            <td class="history-who" data-who=event.who_kind>
                {event.who}
            </td>
            <td class="history-through">{event.through}</td>
        </tr>
    }
}
