//! A part of the history for paper: what it is, who made it and when, how far it is sealed, and the facts.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::history::filter_of;
use crate::rpc::history::load_report;
use crate::ui::parts::alert::Alert;
use crate::ui::parts::history_filters::{Choices, address, named_parts};
use crate::ui::parts::history_table::HistoryTable;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::problem::problem;
use crate::ui::parts::seal_line::SealLine;
use crate::ui::parts::time::FullTime;
use crate::wire::history::{HistoryFilter, ReportView};

/// The report.
#[component]
pub fn ReportPage() -> impl IntoView {
    let filter = use_query_map().with_untracked(filter_of);
    view! {
        <Title text="Report from the history" />
        <div class="page report" data-shape="report">
            <Suspense>
                {
                    let filter = filter.clone();
                    Suspend::new(async move {
                        match load_report(filter.clone()).await {
                            Err(error) => problem(&error),
                            Ok(report) => view! { <Report filter=filter report=report /> }.into_any(),
                        }
                    })
                }
            </Suspense>
        </div>
    }
}

#[component]
fn Report(filter: HistoryFilter, report: ReportView) -> impl IntoView {
    let ReportView { page, by, at, project } = report;
    let back = address(&HistoryFilter { cursor: None, ..filter.clone() });
    let parts = named_parts(&filter, &Choices::of(&page));
    let what = if parts.is_empty() {
        "Everything".to_owned()
    } else {
        let parts: Vec<String> = parts.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        parts.join(" · ")
    };
    let number = match (page.events.len(), page.next_cursor.is_some()) {
        (1, false) => "1 event, all that fit".to_owned(),
        (number, false) => format!("{number} events, all that fit"),
        (number, true) => {
            format!(
                "The newest {number} events; older ones are not in it. For all of them export CSV or NDJSON."
            )
        }
    };
    let is_empty = page.events.is_empty();
    view! {
        <a class="back" href=back>
            <Icon path=icons::BACK />
            "History"
        </a>
        <header class="report-head">
            <h1>"Report from the history"</h1>
            <p class="hint report-how">"Print this page with your browser, or save it as a PDF."</p>
            <dl>
                <dt>"Project"</dt>
                <dd>{project}</dd>
                <dt>"Shows"</dt>
                <dd>{what}</dd>
                <dt>"Holds"</dt>
                <dd>{number}</dd>
                <dt>"Made by"</dt>
                <dd>{by} ", " <FullTime moment=at /></dd>
                <dt>"Seal"</dt>
                <dd>
                    {match page.seal {
                        Some(seal) => view! { <SealLine seal=seal /> }.into_any(),
                        None => "Nothing is sealed yet.".into_any(),
                    }}
                </dd>
            </dl>
        </header>
        {page.problem.map(|problem| view! { <Alert sentence=problem /> })}
        {if is_empty {
            view! { <p class="nothing">"Nothing in the history fits."</p> }.into_any()
        } else {
            view! { <HistoryTable events=page.events /> }.into_any()
        }}
    }
}
