//! The audit history: every fact, newest first, filtered by the address.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::rpc::history::load_history;
use crate::ui::parts::alert::Alert;
use crate::ui::parts::history_export::HistoryExport;
use crate::ui::parts::history_filters::{Choices, HistoryFilters, address};
use crate::ui::parts::history_table::HistoryTable;
use crate::ui::parts::problem::problem;
use crate::ui::parts::seal_line::SealLine;
use crate::ui::parts::time::FullTime;
use crate::wire::history::{HistoryFilter, HistoryView};

/// The history.
#[component]
pub fn HistoryPage() -> impl IntoView {
    let filter = use_query_map().with_untracked(filter_of);
    view! {
        <Title text="History" />
        <div class="page history" data-shape="history">
            <h1>"History"</h1>
            <Suspense>
                {
                    let filter = filter.clone();
                    Suspend::new(async move {
                        match load_history(filter.clone()).await {
                            Err(error) => problem(&error),
                            Ok(view) => view! { <Events filter=filter view=view /> }.into_any(),
                        }
                    })
                }
            </Suspense>
        </div>
    }
}

/// The filter that an address holds.
pub fn filter_of(query: &ParamsMap) -> HistoryFilter {
    let get = |name| query.get(name).filter(|value| !value.is_empty());
    HistoryFilter {
        action: get("action"),
        person: get("person"),
        event: get("event"),
        kind: get("kind"),
        agent: get("agent"),
        channel: get("channel"),
        verdict: get("verdict"),
        edited: get("edited"),
        since: get("since"),
        until: get("until"),
        cursor: get("cursor"),
    }
}

#[component]
fn Events(filter: HistoryFilter, view: HistoryView) -> impl IntoView {
    let is_first_page = filter.cursor.is_none();
    let choices = Choices::of(&view);
    let newest = (!is_first_page).then(|| {
        let address = address(&HistoryFilter { cursor: None, ..filter.clone() });
        view! { <a class="button" href=address>"Back to the newest"</a> }
    });
    let is_cut = view.looked_back_to.is_some();
    let older = view.next_cursor.map(|cursor| {
        let address = address(&HistoryFilter { cursor: Some(cursor), ..filter.clone() });
        let label = if is_cut { "Look further back" } else { "Older" };
        view! { <a class="button" href=address rel="next">{label}</a> }
    });
    let cut = view.looked_back_to.map(|moment| {
        view! {
            <p class="history-cut">
                "Looked back to " <FullTime moment=moment /> ". What is older may fit, too."
            </p>
        }
    });
    let export = view.problem.is_none().then(|| view! { <HistoryExport filter=filter.clone() /> });
    let is_empty = view.events.is_empty();
    view! {
        <HistoryFilters filter=filter choices=choices />
        {export}
        <div id="events">
            {view.problem.map(|problem| view! { <Alert sentence=problem /> })}
            {if is_empty {
                view! { <p class="nothing">"Nothing in the history fits."</p> }.into_any()
            } else {
                view! { <HistoryTable events=view.events /> }.into_any()
            }}
            {cut}
            {view.seal.map(|seal| view! { <SealLine seal=seal /> })}
            <nav class="pager" aria-label="Pages">{newest}{older}</nav>
        </div>
    }
}
