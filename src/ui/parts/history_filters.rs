//! What the history is filtered by: a plain form, and what is set as chips to take off.

use leptos::prelude::*;

use super::chips::{Chip, Chips};
use super::links::with_query;
use crate::wire::history::{Choice, HistoryFilter, HistoryView};

/// The page of the history that a filter stands for.
pub fn address(filter: &HistoryFilter) -> String {
    with_query("/history", &filter.pairs())
}

/// What can be chosen.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    people: Vec<Choice>,
    events: Vec<Choice>,
    channels: Vec<Choice>,
    verdicts: Vec<Choice>,
    kinds: Vec<String>,
    agents: Vec<String>,
}

impl Choices {
    /// Those of a page.
    pub fn of(view: &HistoryView) -> Self {
        let verdict = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
        Self {
            people: view.people.clone(),
            events: view.kinds.clone(),
            channels: view.channels.clone(),
            verdicts: vec![verdict("approve", "Approved"), verdict("reject", "Rejected")],
            kinds: view.action_kinds.clone(),
            agents: view.agents.clone(),
        }
    }
}

/// The filters. They load a new page, which works without a script and leaves an address to share.
#[component]
pub fn HistoryFilters(
    /// What is set.
    filter: HistoryFilter,
    /// What can be.
    choices: Choices,
) -> impl IntoView {
    let chips = chips(&filter, &choices);
    let HistoryFilter { action, person, event, kind, agent, channel, verdict, edited, since, until, .. } =
        filter;
    let has_more = [&kind, &agent, &channel, &verdict, &edited].into_iter().any(Option::is_some);
    let action = action.map(|action| view! { <input type="hidden" name="action" value=action /> });
    view! {
        <form class="history-filters" method="get" action="/history" aria-label="Filter" autocomplete="off">
            {action}
            <div class="history-fields">
                {select("person", "Who", "Anyone", choices.people, person.as_deref())}
                {select("event", "What", "Everything", choices.events, event.as_deref())}
                {date("since", "From", since)} {date("until", "To", until)}
                <button class="button" type="submit">
                    "Filter"
                </button>
            </div>
            <details class="history-more" open=has_more>
                <summary>"More filters"</summary>
                <div class="history-fields">
                    {named("agent", "Agent", agent, choices.agents)}
                    {named("kind", "Kind of action", kind, choices.kinds)}
                    {select("channel", "Channel", "Any", choices.channels, channel.as_deref())}
                    {select("verdict", "Verdict", "Any", choices.verdicts, verdict.as_deref())}
                    <div class="history-box">
                        <input type="checkbox" id="edited" name="edited" value="yes" checked=edited.is_some() />
                        <label for="edited">"Edited only"</label>
                    </div>
                </div>
            </details>
        </form>
        <Chips chips=chips />
    }
}

fn select(
    name: &'static str,
    label: &'static str,
    any: &'static str,
    choices: Vec<Choice>,
    chosen: Option<&str>,
) -> impl IntoView + use<> {
    let any = Choice { value: String::new(), label: any.to_owned() };
    let options = std::iter::once(any)
        .chain(choices)
        .map(|choice| {
            let is_chosen = chosen.unwrap_or_default() == choice.value;
            view! { <option value=choice.value selected=is_chosen>{choice.label}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <select id=name name=name>
                {options}
            </select>
        </div>
    }
}

fn date(name: &'static str, label: &'static str, value: Option<String>) -> impl IntoView {
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input type="date" id=name name=name value=value />
        </div>
    }
}

fn named(
    name: &'static str,
    label: &'static str,
    value: Option<String>,
    known: Vec<String>,
) -> impl IntoView {
    let list = format!("{name}s");
    let options = known.into_iter().map(|choice| view! { <option value=choice></option> }).collect_view();
    view! {
        <div class="field">
            <label for=name>{label}</label>
            <input type="text" id=name name=name value=value list=list.clone() maxlength="100" />
            <datalist id=list>{options}</datalist>
        </div>
    }
}

/// What is set, part by part, in words.
pub fn named_parts(filter: &HistoryFilter, choices: &Choices) -> Vec<(&'static str, String)> {
    chips(filter, choices).into_iter().map(|chip| (chip.name, chip.value)).collect()
}

fn chips(filter: &HistoryFilter, choices: &Choices) -> Vec<Chip> {
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
    let person = named(&choices.people, filter.person.as_ref());
    let event = named(&choices.events, filter.event.as_ref());
    let channel = named(&choices.channels, filter.channel.as_ref());
    let verdict = named(&choices.verdicts, filter.verdict.as_ref());
    let edited = filter.edited.as_ref().map(|_| "only".to_owned());
    let set = [
        Chip::of("Action", filter.action.as_ref(), || without(|rest| rest.action = None)),
        Chip::of("Who", person.as_ref(), || without(|rest| rest.person = None)),
        Chip::of("What", event.as_ref(), || without(|rest| rest.event = None)),
        Chip::of("Agent", filter.agent.as_ref(), || without(|rest| rest.agent = None)),
        Chip::of("Kind", filter.kind.as_ref(), || without(|rest| rest.kind = None)),
        Chip::of("Channel", channel.as_ref(), || without(|rest| rest.channel = None)),
        Chip::of("Verdict", verdict.as_ref(), || without(|rest| rest.verdict = None)),
        Chip::of("Edited", edited.as_ref(), || without(|rest| rest.edited = None)),
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
            agent: Some("deploy bot".into()),
            since: Some("2026-11-29".into()),
            ..HistoryFilter::default()
        };
        assert_eq!(address(&filter), "/history?event=action.approved&agent=deploy%20bot&since=2026-11-29");
        assert_eq!(address(&HistoryFilter::default()), "/history");
    }

    #[test]
    fn a_filter_is_told_in_words() {
        let choices = Choices {
            people: vec![Choice { value: "rev_1".into(), label: "Ada".into() }],
            ..Choices::default()
        };
        let filter = HistoryFilter {
            person: Some("rev_1".into()),
            edited: Some("yes".into()),
            ..HistoryFilter::default()
        };
        let words = named_parts(&filter, &choices);
        assert_eq!(words, [("Who", "Ada".to_owned()), ("Edited", "only".to_owned())]);
    }
}
