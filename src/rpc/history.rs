//! Reading the audit history.

use leptos::prelude::*;

use crate::wire::error::UiError;
use crate::wire::history::{HistoryFilter, HistoryView, ReportView};

/// One page of events, newest first.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_history")]
pub async fn load_history(#[server(default)] filter: HistoryFilter) -> Result<HistoryView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.history_page(&reviewer, &filter).await)
}

/// What is filtered, for paper.
///
/// # Errors
/// Without a session.
#[server(prefix = "/rpc", endpoint = "load_report")]
pub async fn load_report(#[server(default)] filter: HistoryFilter) -> Result<ReportView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.history_report(&reviewer, &filter).await)
}
