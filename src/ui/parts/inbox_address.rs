//! The addresses of the inbox: a tab, what is looked for in it, a place in the list, a card.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;

use super::links::with_query;
use crate::wire::inbox::InboxFilter;

/// What an address looks for. Empty fields of the form are none.
pub fn filter_of(query: &ParamsMap) -> InboxFilter {
    let get = |name| query.get(name).filter(|value| !value.trim().is_empty());
    InboxFilter {
        status: get("status").filter(|status| status != "pending"),
        q: get("q"),
        kind: get("kind"),
        agent: get("agent"),
        since: get("since"),
        until: get("until"),
        order: get("order"),
        cursor: get("cursor"),
    }
}

/// The page of the list that a filter stands for.
pub fn address(filter: &InboxFilter) -> String {
    with_card(filter, None)
}

/// The same with a card beside the list.
pub fn with_card(filter: &InboxFilter, id: Option<&str>) -> String {
    let mut pairs = vec![("status", filter.status.as_deref())];
    pairs.extend(filter.kept());
    pairs.extend([("cursor", filter.cursor.as_deref()), ("at", id)]);
    with_query("/inbox", &pairs)
}

/// A card on a page of its own, which knows the list that it was opened from.
pub fn alone(filter: &InboxFilter, id: &str) -> String {
    with_query(&format!("/inbox/{id}"), &filter.kept())
}

/// What narrows the list and its order, as hidden fields of a form; `name` makes a field's name from the parameter's.
/// `form` is the form's id, for fields that stand outside of it.
pub fn hidden(
    filter: &InboxFilter,
    form: Option<&'static str>,
    name: fn(&str) -> String,
) -> impl IntoView + use<> {
    let fields =
        filter.kept().into_iter().filter_map(|(field, value)| Some((name(field), value?.to_owned())));
    fields
        .map(|(name, value)| view! { <input type="hidden" form=form name=name value=value /> })
        .collect_view()
}

/// As [`hidden`], for a form that is about something else and only leads back to the list.
pub fn hidden_list(filter: &InboxFilter, form: Option<&'static str>) -> impl IntoView + use<> {
    hidden(filter, form, |field| format!("filter[{field}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_what_it_was_read_from() {
        let address_of =
            "/inbox?status=rejected&q=a%20b&kind=pay&agent=bot&since=2026-11-29&order=due&cursor=1.x";
        let pairs = [
            ("status", "rejected"),
            ("q", "a b"),
            ("kind", "pay"),
            ("agent", "bot"),
            ("since", "2026-11-29"),
            ("until", ""),
            ("order", "due"),
            ("cursor", "1.x"),
        ];
        let query: ParamsMap =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(address(&filter_of(&query)), address_of);
        assert_eq!(address(&InboxFilter::default()), "/inbox");
        assert_eq!(with_card(&InboxFilter::default(), Some("act_x")), "/inbox?at=act_x");
    }
}
