//! Everything that happened to one action.

use leptos::prelude::*;

use super::time::FullTime;
use crate::wire::history::HistoryEvent;

/// The facts about one action, oldest first.
#[component]
pub fn Timeline(
    /// The facts.
    events: Vec<HistoryEvent>,
    /// The action, for the way to its part of the history.
    id: String,
) -> impl IntoView {
    let items = events
        .into_iter()
        .map(|event| {
            view! {
                <li data-event=event.kind>
                    <FullTime moment=event.at />
                    <span>
                        <strong>{event.label}</strong>
                        " by "
                        {event.who}
                        {event.note.map(|note| format!(", {note}"))}
                        {event.step.map(|step| view! { <span class="timeline-step">" · "{step}</span> })}
                    </span>
                    <span class="timeline-through">{event.through}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="timeline" aria-labelledby="timeline-title">
            <h3 id="timeline-title">"What happened"</h3>
            <ol>{items}</ol>
            <p>
                <a href=format!("/history?action={id}")>"In the history"</a>
            </p>
        </section>
    }
}
