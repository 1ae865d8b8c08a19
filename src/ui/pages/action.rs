//! One action on a page of its own: where a link from elsewhere leads, and where a plain form post ends.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_location, use_params_map};

use crate::rpc::actions::load_card;
use crate::ui::desk::Desk;
use crate::ui::parts::card_pane::CardPane;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::live::on_changes;
use crate::ui::parts::outcome_line::outcome_of;
use crate::ui::parts::problem::problem;
use crate::wire::card::Outcome;
use crate::wire::error::UiError;

/// The card alone.
#[component]
pub fn ActionPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let query = use_location().query;
    let first = Resource::new(move || id.get(), load_card);
    let desk = Desk::new();
    on_changes(move |changes| {
        if changes.iter().any(|change| change.concerns(id.try_get_untracked().as_deref())) {
            desk.refresh();
        }
    });
    desk.on_decided(Callback::new(move |_: (Outcome,)| desk.refresh()));

    // Counted, because the head is written after the rest of the page, whose other signals may be gone by then.
    let title = ArcRwSignal::new("Action".to_owned());
    let loaded = title.clone();
    view! {
        <Title text=move || title.get() />
        <h1 class="visually-hidden">"Action"</h1>
        <div class="alone">
            <a class="back" href="/inbox">
                <Icon path=icons::BACK />
                "Inbox"
            </a>
            <Suspense>
                {
                    let title = loaded.clone();
                    Suspend::new(async move {
                    match first.await {
                        Err(error) => problem(&error),
                        Ok(card) => {
                            title.set(card.title.clone());
                            let (refusal, outcome) = query
                                .with_untracked(|query| {
                                    let refusal = query.get_str("refused").and_then(UiError::from_code);
                                    (refusal, query.get_str("done").and_then(|_| outcome_of(&card)))
                                });
                            desk.place(Some(Ok(card)));
                            desk.tell(refusal, outcome);
                            view! { <CardPane desk=desk /> }.into_any()
                        }
                    }
                    })
                }
            </Suspense>
        </div>
    }
}
