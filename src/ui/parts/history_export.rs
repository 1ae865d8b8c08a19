//! Taking away exactly what is filtered: as a table, as lines of JSON, or as a report for paper.

use leptos::prelude::*;

use crate::wire::history::HistoryFilter;

/// The ways, each a button of one plain form.
#[component]
pub fn HistoryExport(
    /// What is shown, and so what is taken.
    filter: HistoryFilter,
) -> impl IntoView {
    let filter = HistoryFilter { cursor: None, ..filter };
    let fields = filter
        .pairs()
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?.to_owned())))
        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
        .collect_view();
    view! {
        <details class="history-more history-export">
            <summary>"Export what is shown"</summary>
            <form method="post" action="/history/export" aria-label="Export">
                {fields}
                <p id="export-what">"All pages of it, as the filters are set. That it was exported is an event, too."</p>
                <button class="button" type="submit" name="format" value="csv" aria-describedby="export-what">
                    "CSV"
                </button>
                <button class="button" type="submit" name="format" value="ndjson" aria-describedby="export-what">
                    "NDJSON"
                </button>
                <button class="button" type="submit" name="format" value="report" aria-describedby="export-what">
                    "Report to print"
                </button>
            </form>
        </details>
    }
}
