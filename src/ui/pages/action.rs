//! One action on a page of its own: where a link from elsewhere leads, and where a plain form post ends.
//!
//! Its address may name the list that the card was opened from (`?q=`, `?order=`, …): that is where it leads back to, and
//! where what comes next is looked for.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::rpc::actions::{load_card, load_next};
use crate::ui::host;
use crate::ui::parts::card_pane::CardPane;
use crate::ui::parts::decision_bar;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_address::{address, filter_of, hidden_list};
use crate::ui::parts::next_bar::NextBar;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::refusal_in;
use crate::wire::card::Card;
use crate::wire::error::UiError;
use crate::wire::inbox::{InboxFilter, NextCard};
use crate::wire::typed::Typed;

/// What the address asks for.
#[derive(Clone)]
struct Place {
    id: String,
    /// Without a tab and a place in it: what comes next waits.
    list: InboxFilter,
    refusal: Option<UiError>,
    is_done: bool,
}

async fn load(place: &Place) -> Result<(Card, Option<NextCard>), UiError> {
    let card = load_card(place.id.clone()).await?;
    let next = match card.status.as_str() {
        "pending" => None,
        _ => load_next(card.id.clone(), place.list.clone()).await?,
    };
    Ok((card, next))
}

/// The card alone.
#[component]
pub fn ActionPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let place = use_query_map().with_untracked(|query| Place {
        id,
        list: InboxFilter { status: None, cursor: None, ..filter_of(query) },
        refusal: refusal_in(query),
        is_done: query.get_str("done").is_some(),
    });
    let typed = use_context::<Typed>();
    view! {
        <h1 class="visually-hidden">"Action"</h1>
        <Suspense>
            {
                let (place, typed) = (place.clone(), typed.clone().unwrap_or_default());
                Suspend::new(async move {
                    match load(&place).await {
                        Err(error) => problem(&error),
                        Ok((card, next)) => {
                            view! { <Alone card=card next=next place=place typed=typed /> }.into_any()
                        }
                    }
                })
            }
        </Suspense>
    }
}

#[component]
fn Alone(card: Card, next: Option<NextCard>, place: Place, typed: Typed) -> impl IntoView {
    let Place { list, refusal, is_done, .. } = place;
    let decided = is_done.then(|| card.clone());
    let (typed, refusal) = match typed.for_action(&card.id, &card.content.digest) {
        Ok(typed) => (typed, refusal),
        // What is decided shows what was approved, and takes nothing any more.
        Err(UiError::Stale) if card.status != "pending" => (Typed::default(), refusal),
        Err(error) => {
            host::set_status(if error == UiError::TooMuch { 413 } else { 409 });
            (Typed::default(), Some(error))
        }
    };
    view! {
        <Title text=card.title.clone() />
        <div class="alone" data-shape="alone">
            <a class="back" href=address(&list)>
                <Icon path=icons::BACK />
                "Inbox"
            </a>
            <CardPane card=card decided=decided refusal=refusal typed=typed />
            {hidden_list(&list, Some(decision_bar::FORM))}
            <NextBar next=next filter=list />
        </div>
    }
}
