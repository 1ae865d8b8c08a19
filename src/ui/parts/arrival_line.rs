//! Whether an agent's first action has arrived. News put a new line in place of the old one.

use leptos::prelude::*;

use super::time::Time;
use crate::wire::connect::Arrival;

/// A line that waits, and turns green.
#[component]
pub fn ArrivalLine(
    /// What has arrived.
    arrival: Arrival,
) -> impl IntoView {
    let state = if arrival.newest.is_some() { "arrived" } else { "waiting" };
    let words = match (arrival.newest, arrival.of) {
        (Some(action), of) => {
            let before = if of.is_some() { "It works. " } else { "The newest action: " };
            view! {
                {before}
                <a href=format!("/inbox/{}", action.id)>{action.title}</a>
                " came from "
                {action.agent}
                ", "
                <Time moment=action.at />
                "."
            }
            .into_any()
        }
        (None, Some(name)) => view! {
            "Waiting for the first action of "
            {name}
            ". This line turns green when it is there."
        }
        .into_any(),
        (None, None) => "Waiting for the first action. This line turns green when it is there.".into_any(),
    };
    view! {
        <div id="arrival" role="status">
            <p class="arrival" data-arrival=state>
                {words}
            </p>
        </div>
    }
}
