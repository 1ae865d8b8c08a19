//! What the history is filtered by: a plain form, and what is set as chips to take off.

use leptos::prelude::*;

use super::chips::{Chip, Chips};
use super::links::with_query;
use crate::wire::history::{Choice, HistoryFilter};

/// The page of the history that a filter stands for.
pub fn address(filter: &HistoryFilter) -> String {
    let HistoryFilter { action, person, event, since, until, cursor } = filter;
    let pairs = [
        ("action", action.as_deref()),
        ("person", person.as_deref()),
        ("event", event.as_deref()),
        ("since", since.as_deref()),
        ("until", until.as_deref()),
        ("cursor", cursor.as_deref()),
    ];
    with_query("/history", &pairs)
}

/// The filters. They load a new page, which works without a script and leaves an address to share.
#[component]
pub fn HistoryFilters(
    /// What is set.
    filter: HistoryFilter,
    /// Who can be chosen.
    people: Vec<Choice>,
    /// Which kinds of events can be chosen.
    kinds: Vec<Choice>,
) -> impl IntoView {
    let chips = chips(&filter, &people, &kinds);
    let person = options("Anyone", people, filter.person.as_deref());
    let event = options("Everything", kinds, filter.event.as_deref());
    let action = filter.action.map(|action| view! { <input type="hidden" name="action" value=action /> });
    view! {
        <form class="history-filters" method="get" action="/history" aria-label="Filter">
            {action}
            <div class="field">
                <label for="person">"Who"</label>
                <select id="person" name="person">
                    {person}
                </select>
            </div>
            <div class="field">
                <label for="event">"What"</label>
                <select id="event" name="event">
                    {event}
                </select>
            </div>
            <div class="field">
                <label for="since">"From"</label>
                <input type="date" id="since" name="since" value=filter.since />
            </div>
            <div class="field">
                <label for="until">"To"</label>
                <input type="date" id="until" name="until" value=filter.until />
            </div>
            <button class="button" type="submit">
                "Filter"
            </button>
        </form>
        <Chips chips=chips />
    }
}

fn options(any: &'static str, choices: Vec<Choice>, chosen: Option<&str>) -> Vec<impl IntoView + use<>> {
    let any = Choice { value: String::new(), label: any.to_owned() };
    std::iter::once(any)
        .chain(choices)
        .map(|choice| {
            let is_chosen = chosen.unwrap_or_default() == choice.value;
            view! { <option value=choice.value selected=is_chosen>{choice.label}</option> }
        })
        .collect()
}

fn chips(filter: &HistoryFilter, people: &[Choice], kinds: &[Choice]) -> Vec<Chip> {
    let named = |choices: &[Choice], value: Option<&String>| {
        let label =
            |value: &String| choices.iter().find(|choice| choice.value == *value).map(|choice| &choice.label);
        value.map(|value| label(value).unwrap_or(value).clone())
    };
    // Another filter is another list: it begins at its beginning.
    let base = HistoryFilter { cursor: None, ..filter.clone() };
    let without = |change: fn(&mut HistoryFilter)| {
        let mut rest = base.clone();
        change(&mut rest);
        address(&rest)
    };
    let person = named(people, filter.person.as_ref());
    let event = named(kinds, filter.event.as_ref());
    let set = [
        Chip::of("Action", filter.action.as_ref(), || without(|rest| rest.action = None)),
        Chip::of("Who", person.as_ref(), || without(|rest| rest.person = None)),
        Chip::of("What", event.as_ref(), || without(|rest| rest.event = None)),
        Chip::of("From", filter.since.as_ref(), || without(|rest| rest.since = None)),
        Chip::of("To", filter.until.as_ref(), || without(|rest| rest.until = None)),
    ];
    set.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_holds_what_is_set() {
        let filter = HistoryFilter {
            event: Some("action.approved".into()),
            since: Some("2026-11-29".into()),
            ..HistoryFilter::default()
        };
        assert_eq!(address(&filter), "/history?event=action.approved&since=2026-11-29");
        assert_eq!(address(&HistoryFilter::default()), "/history");
    }
}
