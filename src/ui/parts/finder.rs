//! What is looked for in the inbox: one field for words, the rest folded away, and what is set as chips.

use leptos::prelude::*;

use super::chips::{Chip, Chips};
use super::icons::{self, Icon};
use super::inbox_address::address;
use crate::wire::inbox::InboxFilter;

/// The search. It loads a new page, which works without a script and leaves an address to share.
#[component]
pub fn Finder(
    /// What is set.
    filter: InboxFilter,
    /// Kinds to choose from.
    kinds: Vec<String>,
    /// Agents to choose from.
    agents: Vec<String>,
) -> impl IntoView {
    let chips = chips(&filter);
    let InboxFilter { status, q, kind, agent, since, until, order, .. } = filter;
    let status = status.map(|status| view! { <input type="hidden" name="status" value=status /> });
    let order = order.map(|order| view! { <input type="hidden" name="order" value=order /> });
    view! {
        <form class="finder" method="get" action="/inbox" role="search" aria-label="Actions" autocomplete="off">
            {status}
            {order}
            <label class="visually-hidden" for="q">
                "Search title and text"
            </label>
            <input
                class="finder-words"
                type="search"
                id="q"
                name="q"
                value=q
                placeholder="Search title and text"
                maxlength="200"
                enterkeyhint="search"
            />
            <button class="finder-go" type="submit" aria-label="Search">
                <Icon path=icons::SEARCH />
            </button>
            <details class="finder-more">
                <summary>"Filters"</summary>
                <div class="finder-fields">
                    <div class="field">
                        <label for="kind">"Kind"</label>
                        <input type="text" id="kind" name="kind" value=kind list="kinds" maxlength="100" />
                        {datalist("kinds", kinds)}
                    </div>
                    <div class="field">
                        <label for="agent">"Agent"</label>
                        <input type="text" id="agent" name="agent" value=agent list="agents" maxlength="100" />
                        {datalist("agents", agents)}
                    </div>
                    <div class="field">
                        <label for="since">"From"</label>
                        <input type="date" id="since" name="since" value=since />
                    </div>
                    <div class="field">
                        <label for="until">"To"</label>
                        <input type="date" id="until" name="until" value=until />
                    </div>
                    <button class="button" type="submit">
                        "Show"
                    </button>
                </div>
            </details>
        </form>
        <Chips chips=chips />
    }
}

fn datalist(id: &'static str, choices: Vec<String>) -> impl IntoView {
    let options = choices.into_iter().map(|choice| view! { <option value=choice></option> }).collect_view();
    view! { <datalist id=id>{options}</datalist> }
}

fn chips(filter: &InboxFilter) -> Vec<Chip> {
    // Another filter is another list: it begins at its beginning.
    let base = InboxFilter { cursor: None, ..filter.clone() };
    let without = |change: fn(&mut InboxFilter)| {
        let mut rest = base.clone();
        change(&mut rest);
        address(&rest)
    };
    let set = [
        Chip::of("Words", filter.q.as_ref(), || without(|rest| rest.q = None)),
        Chip::of("Kind", filter.kind.as_ref(), || without(|rest| rest.kind = None)),
        Chip::of("Agent", filter.agent.as_ref(), || without(|rest| rest.agent = None)),
        Chip::of("From", filter.since.as_ref(), || without(|rest| rest.since = None)),
        Chip::of("To", filter.until.as_ref(), || without(|rest| rest.until = None)),
    ];
    set.into_iter().flatten().collect()
}
