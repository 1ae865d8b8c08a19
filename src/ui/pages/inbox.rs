//! The inbox: the actions that wait, and one of them beside the list.
//!
//! The address says which card is shown (`?at=`), where the list begins (`?cursor=`), and what came of the last
//! decision (`?done=`, `?refused=`). A phone shows the list without `at` and the card with it; a desk shows both.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::rpc::actions::{load_card, load_inbox};
use crate::ui::parts::card_pane::{CardPane, NoCard};
use crate::ui::parts::empty_state::EmptyState;
use crate::ui::parts::header::count;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_list::InboxList;
use crate::ui::parts::links::with_query;
use crate::ui::parts::problem::problem;
use crate::ui::parts::welcome::WelcomePane;
use crate::wire::card::Card;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxView;

/// What the address asks for.
#[derive(Debug, Clone)]
struct Place {
    at: Option<String>,
    cursor: Option<String>,
    done: Option<String>,
    refusal: Option<UiError>,
}

impl Place {
    fn of(query: &ParamsMap) -> Self {
        let get = |name| query.get(name).filter(|value| !value.is_empty());
        let refusal = query.get_str("refused").and_then(UiError::from_code);
        Self { at: get("at"), cursor: get("cursor"), done: get("done"), refusal }
    }
}

/// The list, the card that was asked for or else the newest, and the card that was decided just before.
struct Loaded {
    view: InboxView,
    card: Option<Result<Card, UiError>>,
    decided: Option<Card>,
}

async fn load(place: &Place) -> Result<Loaded, UiError> {
    let view = load_inbox(place.cursor.clone()).await?;
    let card = match place.at.clone().or_else(|| view.first_id.clone()) {
        Some(id) => Some(load_card(id).await),
        None => None,
    };
    let decided = match place.done.clone() {
        Some(id) => load_card(id).await.ok(),
        None => None,
    };
    Ok(Loaded { view, card, decided })
}

/// The inbox.
#[component]
pub fn InboxPage() -> impl IntoView {
    let place = use_query_map().with_untracked(Place::of);
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
}

#[component]
fn Inbox(place: Place, loaded: Loaded) -> impl IntoView {
    let Loaded { view, card, decided } = loaded;
    let title = match view.pending {
        0 => "Inbox".to_owned(),
        pending => format!("({}) Inbox", count(pending)),
    };
    let body = match (view.welcome.clone(), &card) {
        (Some(welcome), None) if view.rows.is_empty() => view! { <WelcomePane welcome=welcome /> }.into_any(),
        _ => view! { <Split place=place view=view card=card decided=decided /> }.into_any(),
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
    decided: Option<Card>,
) -> impl IntoView {
    let shown = if place.at.is_some() { "card" } else { "list" };
    let is_empty = view.rows.is_empty().then_some("");
    let back = with_query("/inbox", &[("cursor", place.cursor.as_deref())]);
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
                <EmptyState
                    icon=icons::TRAY
                    title="Nothing waits for you"
                    text="New actions show up here as agents propose them. What was decided is in the history."
                />
            </NoCard>
        }
        .into_any(),
    };
    view! {
        <div class="inbox" data-shape="inbox" data-shown=shown data-empty=is_empty>
            <div class="inbox-side">
                <InboxList list=view selected=selected cursor=place.cursor />
            </div>
            <div class="inbox-detail">
                <div id="back">
                    <a class="back" href=back data-swap="">
                        <Icon path=icons::BACK />
                        "Inbox"
                    </a>
                </div>
                {pane}
            </div>
        </div>
    }
}
