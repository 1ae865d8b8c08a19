//! Facts as a table of sentences, which a narrow screen shows as a list.

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
                    <th scope="col">"Sealed"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn row(event: HistoryEvent) -> impl IntoView {
    let who = subject(&event);
    let note = event.note.map(|note| match event.kind.as_str() {
        "action.expired" | "action.cancelled" => format!(": {note}"),
        _ => format!(" {note}"),
    });
    let place = event.place.map(|place| format!(", {place}"));
    // `action.approved` looks like the status `approved`.
    let did = match event.kind.strip_prefix("action.") {
        Some(state) if state != "expired" => {
            view! { <Badge state=state.to_owned() label=event.did /> }.into_any()
        }
        _ => event.did.into_any(),
    };
    let action = event.action.map(|action| {
        view! {
            " "
            <a class="history-action" href=format!("/inbox/{}", action.id)>
                {action.title}
            </a>
        }
    });
    let seal = match event.seal {
        Some(seq) => view! { <span class="history-seal">"✓ "{seq}</span> }.into_any(),
        None => view! { <span class="history-seal">"not yet"</span> }.into_any(),
    };
    view! {
        <tr data-event=event.kind>
            <td class="history-when">
                <FullTime moment=event.at />
            </td>
            <td class="history-what">
                <p class="history-sentence">
                    <strong class="history-who" data-who=event.who_kind>
                        {who}
                    </strong>
                    " "
                    {did}
                    {action}
                    {note}
                    {place}
                    "."
                </p>
                {event.step.map(|step| view! { <p class="history-step">{capital(&step)}"."</p> })}
                {event.quote.map(|quote| view! { <Html html=quote class="quote" /> })}
                <ChangeList changes=event.changes />
            </td>
            <td class="history-sealed">
                <span class="history-label">"Sealed "</span>
                {seal}
            </td>
        </tr>
    }
}

/// Who, as a sentence begins.
fn subject(event: &HistoryEvent) -> String {
    match event.who_kind.as_str() {
        "clock" if event.kind == "action.expired" => "Time".to_owned(),
        "clock" => "Impri".to_owned(),
        "operator" => "The operator".to_owned(),
        "anonymous" => "Somebody".to_owned(),
        _ => event.who.clone(),
    }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}
