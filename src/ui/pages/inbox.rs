//! The inbox: the actions of a tab, and one of them beside the list.
//!
//! The address says which tab it is and what is looked for in it (`?status=`, `?q=`, …), how what waits is ordered
//! (`?order=`), where the list begins (`?cursor=`), which card is shown (`?at=`), and what came of the last decision (`?done=`, `?refused=`). `?picked=all`
//! ticks every row, and `?seen=` is what a page in the browser asks for while its reader is within the list. A phone shows
//! the list without `at` and the card with it; a desk shows both.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::rpc::actions::{load_card, load_inbox, load_next};
use crate::ui::parts::alert::Alert;
use crate::ui::parts::bulk_bar::BulkBar;
use crate::ui::parts::card_pane::{CardPane, NoCard};
use crate::ui::parts::decision_bar;
use crate::ui::parts::empty_state::EmptyState;
use crate::ui::parts::finder::Finder;
use crate::ui::parts::header::count;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_address::{address, filter_of, hidden_list, with_card};
use crate::ui::parts::inbox_list::InboxList;
use crate::ui::parts::inbox_order::InboxOrder;
use crate::ui::parts::inbox_tabs::InboxTabs;
use crate::ui::parts::next_bar::NextBar;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::refusal_in;
use crate::ui::parts::status_badge::status_label;
use crate::ui::parts::welcome::WelcomePane;
use crate::wire::card::Card;
use crate::wire::error::UiError;
use crate::wire::inbox::{InboxFilter, InboxView, NextCard};

/// What the address asks for.
#[derive(Debug, Clone)]
struct Place {
    filter: InboxFilter,
    at: Option<String>,
    seen: Option<String>,
    is_picked: bool,
    done: Option<String>,
    refusal: Option<UiError>,
    /// The form was sent with empty fields, which say nothing and make an address long.
    is_untidy: bool,
}

impl Place {
    fn of(query: &ParamsMap) -> Self {
        let get = |name| query.get(name).filter(|value| !value.is_empty());
        let refusal = refusal_in(query);
        let is_empty = |name: &&str| query.get_str(name).is_some_and(|value| value.trim().is_empty());
        Self {
            filter: filter_of(query),
            at: get("at"),
            seen: get("seen"),
            is_picked: query.get_str("picked") == Some("all"),
            done: get("done"),
            refusal,
            is_untidy: ["q", "kind", "agent", "since", "until"].iter().any(is_empty),
        }
    }
}

/// The list, the card that was asked for or else the first, what comes after it if it does not wait any more, and the card
/// that was decided just before.
struct Loaded {
    view: InboxView,
    card: Option<Result<Card, UiError>>,
    next: Option<NextCard>,
    decided: Option<Card>,
}

async fn load(place: &Place) -> Result<Loaded, UiError> {
    let view = load_inbox(place.filter.clone(), place.seen.clone()).await?;
    let card = match place.at.clone().or_else(|| view.first_id.clone()) {
        Some(id) => Some(load_card(id).await),
        None => None,
    };
    let next = match &card {
        // In another tab the card has its row, and the rows go on.
        Some(Ok(card)) if place.filter.tab() == "pending" && card.status != "pending" => {
            load_next(card.id.clone(), place.filter.clone()).await?
        }
        _ => None,
    };
    let decided = match place.done.clone() {
        Some(id) => load_card(id).await.ok(),
        None => None,
    };
    Ok(Loaded { view, card, next, decided })
}

/// The inbox.
#[component]
pub fn InboxPage() -> impl IntoView {
    let place = use_query_map().with_untracked(Place::of);
    if place.is_untidy {
        let address = with_card(&place.filter, place.at.as_deref());
        return view! { <Redirect path=address /> }.into_any();
    }
    view! {
        <h1 class="visually-hidden">"Inbox"</h1>
        <Suspense>
            {
                let place = place.clone();
                Suspend::new(async move {
                    match load(&place).await {
                        Err(error) => problem(&error),
                        Ok(loaded) => view! { <Inbox place=place loaded=loaded /> }.into_any(),
                    }
                })
            }
        </Suspense>
    }
    .into_any()
}

#[component]
fn Inbox(place: Place, loaded: Loaded) -> impl IntoView {
    let Loaded { view, card, next, decided } = loaded;
    let title = match view.pending {
        0 => "Inbox".to_owned(),
        pending => format!("({}) Inbox", count(pending)),
    };
    let body = match (view.welcome.clone(), &card) {
        (Some(welcome), None) if view.rows.is_empty() => view! { <WelcomePane welcome=welcome /> }.into_any(),
        _ => view! { <Split place=place view=view card=card next=next decided=decided /> }.into_any(),
    };
    view! {
        <Title text=title />
        {body}
    }
}

#[component]
fn Split(
    place: Place,
    view: InboxView,
    card: Option<Result<Card, UiError>>,
    next: Option<NextCard>,
    decided: Option<Card>,
) -> impl IntoView {
    let shown = if place.at.is_some() { "card" } else { "list" };
    let is_empty = view.rows.is_empty().then_some("");
    let filter = place.filter;
    let wanted = filter.clone();
    let back = address(&filter);
    let selected = card.as_ref().and_then(|card| card.as_ref().ok()).map(|card| card.id.clone());
    let refusal = place.refusal;
    let pane = match card {
        Some(Ok(card)) => view! { <CardPane card=card decided=decided refusal=refusal /> }.into_any(),
        Some(Err(error)) => view! {
            <NoCard decided=decided key="problem">
                {problem(&error)}
            </NoCard>
        }
        .into_any(),
        None => view! {
            <NoCard decided=decided key="done">
                <Nothing filter=wanted />
            </NoCard>
        }
        .into_any(),
    };
    let bulk = (view.may_decide && filter.tab() == "pending")
        .then(|| view! { <BulkBar filter=filter.clone() at=place.at.clone() /> });
    let order = (filter.tab() == "pending").then(|| {
        let (running_out, more_in) = (view.running_out, view.more_run_out_in);
        view! { <InboxOrder filter=filter.clone() running_out=running_out more_in=more_in /> }
    });
    let (list, here) = (hidden_list(&filter, Some(decision_bar::FORM)), filter.clone());
    view! {
        <div class="inbox" data-shape="inbox" data-shown=shown data-empty=is_empty>
            <div class="inbox-side">
                <Finder filter=filter.clone() kinds=view.kinds.clone() agents=view.agents.clone() />
                <InboxTabs filter=filter.clone() tabs=view.tabs.clone() />
                <Trouble sentences=view.trouble.clone() may_mend=view.may_manage />
                {view.problem.clone().map(|sentence| view! { <Alert sentence=sentence /> })}
                {order}
                <InboxList list=view selected=selected filter=filter is_picked=place.is_picked />
                {bulk}
            </div>
            <div class="inbox-detail">
                <div id="back">
                    <a class="back" href=back data-swap="">
                        <Icon path=icons::BACK />
                        "Inbox"
                    </a>
                </div>
                {pane}
                <NextBar next=next filter=here is_beside=true />
                {list}
            </div>
        </div>
    }
}

/// Channels that do not deliver, in one line; administrators find out why on the page of channels.
#[component]
fn Trouble(sentences: Vec<String>, may_mend: bool) -> impl IntoView {
    let sentence = match sentences.len() {
        0 => return ().into_any(),
        1 => sentences.into_iter().next().unwrap_or_default(),
        count => format!("{count} channels do not deliver."),
    };
    let mend = if may_mend {
        view! { <a href="/channels">"Channels"</a> }.into_any()
    } else {
        "An administrator can mend that.".into_any()
    };
    view! { <p class="not-delivered">{sentence} " " {mend}</p> }.into_any()
}

/// What stands where no action fits.
#[component]
fn Nothing(filter: InboxFilter) -> impl IntoView {
    let tab = filter.tab().to_owned();
    let word = status_label(&tab).to_lowercase();
    let clear = (
        address(&InboxFilter {
            status: filter.status.clone(),
            order: filter.order.clone(),
            ..InboxFilter::default()
        }),
        "Clear the search",
    );
    let (icon, title, text, link) = match (tab.as_str(), filter.is_narrow()) {
        (_, true) => (
            icons::SEARCH,
            format!("No {word} actions fit"),
            "The search looks for beginnings of words in the title and the text. The other tabs may have what you look for.",
            Some(clear),
        ),
        ("pending", false) => (
            icons::TRAY,
            "Nothing waits for you".to_owned(),
            "New actions show up here as agents propose them. What was decided is in the history.",
            None,
        ),
        (_, false) => {
            (icons::TRAY, format!("No {word} actions"), "There are none of these in this project yet.", None)
        }
    };
    view! { <EmptyState icon=icon title=title text=text link=link /> }
}
