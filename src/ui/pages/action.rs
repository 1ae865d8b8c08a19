//! One action on a page of its own: where a link from elsewhere leads, and where a plain form post ends.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::rpc::actions::load_card;
use crate::ui::host;
use crate::ui::parts::card_pane::CardPane;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::refusal_in;
use crate::wire::card::Card;
use crate::wire::error::UiError;
use crate::wire::typed::Typed;

/// The card alone.
#[component]
pub fn ActionPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let (refusal, is_done) =
        use_query_map().with_untracked(|query| (refusal_in(query), query.get_str("done").is_some()));
    let typed = use_context::<Typed>();
    view! {
        <h1 class="visually-hidden">"Action"</h1>
        <Suspense>
            {
                let (id, refusal, typed) = (id.clone(), refusal.clone(), typed.clone().unwrap_or_default());
                Suspend::new(async move {
                    match load_card(id).await {
                        Err(error) => problem(&error),
                        Ok(card) => view! { <Alone card=card refusal=refusal is_done=is_done typed=typed /> }.into_any(),
                    }
                })
            }
        </Suspense>
    }
}

#[component]
fn Alone(card: Card, refusal: Option<UiError>, is_done: bool, typed: Typed) -> impl IntoView {
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
            <a class="back" href="/inbox">
                <Icon path=icons::BACK />
                "Inbox"
            </a>
            <CardPane card=card decided=decided refusal=refusal typed=typed />
        </div>
    }
}
