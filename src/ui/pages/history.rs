//! The audit history: every fact, newest first, filtered by the address.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::history::load_history;
use crate::ui::parts::alert::Alert;
use crate::ui::parts::history_filters::{HistoryFilters, address};
use crate::ui::parts::history_table::HistoryTable;
use crate::ui::parts::problem::problem;
use crate::wire::history::{HistoryFilter, HistoryView};

/// The history.
#[component]
pub fn HistoryPage() -> impl IntoView {
    let query = use_query_map();
    let filter = Memo::new(move |_| {
        query.with(|query| {
            let get = |name| query.get(name).filter(|value| !value.is_empty());
            HistoryFilter {
                action: get("action"),
                person: get("person"),
                event: get("event"),
                since: get("since"),
                until: get("until"),
                cursor: get("cursor"),
            }
        })
    });
    let first = Resource::new(move || filter.get(), load_history);
    view! {
        <Title text="History" />
        <div class="page history">
            <h1>"History"</h1>
            <Suspense>
                {move || Suspend::new(async move {
                    match first.await {
                        Err(error) => problem(&error),
                        Ok(view) => view! { <Events filter=filter.get_untracked() view=view /> }.into_any(),
                    }
                })}
            </Suspense>
        </div>
    }
}

#[component]
fn Events(filter: HistoryFilter, view: HistoryView) -> impl IntoView {
    let is_first_page = filter.cursor.is_none();
    let newest = (!is_first_page).then(|| {
        let address = address(&HistoryFilter { cursor: None, ..filter.clone() });
        view! { <a class="button" href=address>"Back to the newest"</a> }
    });
    let older = view.next_cursor.map(|cursor| {
        let address = address(&HistoryFilter { cursor: Some(cursor), ..filter.clone() });
        view! { <a class="button" href=address rel="next">"Older"</a> }
    });
    let is_empty = view.events.is_empty();
    view! {
        <HistoryFilters filter=filter people=view.people kinds=view.kinds />
        {view.problem.map(|problem| view! { <Alert sentence=problem /> })}
        {if is_empty {
            view! { <p class="nothing">"Nothing in the history fits."</p> }.into_any()
        } else {
            view! { <HistoryTable events=view.events /> }.into_any()
        }}
        <nav class="pager" aria-label="Pages">{newest}{older}</nav>
    }
}
