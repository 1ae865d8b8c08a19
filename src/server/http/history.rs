//! What is filtered on the page of the history, taken away as a file or as a report to print.

use axum::Form;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use tower_sessions::Session;
use url::form_urlencoded::Serializer;

use super::HttpState;
use super::history_file::file;
use crate::server::door;
use crate::server::error::ServiceError;
use crate::wire::error::UiError;
use crate::wire::history::HistoryFilter;
use crate::wire::v1::ExportFormat;

/// What the form says.
#[derive(Debug, Deserialize)]
pub struct Asked {
    #[serde(default)]
    format: String,
    #[serde(flatten)]
    filter: HistoryFilter,
}

/// `POST /history/export`.
pub async fn export(State(state): State<HttpState>, session: Session, Form(asked): Form<Asked>) -> Response {
    let Asked { format, filter } = asked;
    let filter = HistoryFilter { cursor: None, ..filter };
    let page = address("/history", &filter);
    let member = match door::member_of(&state.services, &session).await {
        Ok(Some(member)) => member,
        Ok(None) => {
            let next = Serializer::new(String::new()).append_pair("next", &page).finish();
            return Redirect::to(&format!("/sign-in?{next}")).into_response();
        }
        Err(error) => return refusal(&error),
    };
    let (name, media_type, kind) = match format.as_str() {
        "csv" => ("csv", "text/csv; charset=utf-8; header=present", Some(ExportFormat::Csv)),
        "ndjson" => ("ndjson", "application/x-ndjson", Some(ExportFormat::Json)),
        "report" => ("report", "", None),
        _ => return Redirect::to(&page).into_response(),
    };
    let read = match state.services.begin_history_export(&member, &filter, name).await {
        Ok(read) => read,
        // The page says what is wrong with the filter.
        Err(ServiceError::Invalid(_)) => return Redirect::to(&page).into_response(),
        Err(error) => {
            error.log();
            return refusal(&UiError::from(error));
        }
    };
    let Some(kind) = kind else { return Redirect::to(&address("/history/report", &filter)).into_response() };
    let day = state.services.clock().now().date();
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"history-{day}.{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, file(state.services, member.project, read, kind)).into_response()
}

fn address(path: &str, filter: &HistoryFilter) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in filter.pairs() {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            query.append_pair(name, value);
        }
    }
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

fn refusal(error: &UiError) -> Response {
    let (status, text) = match error {
        UiError::Unavailable => (
            StatusCode::SERVICE_UNAVAILABLE,
            "The history can't be read at this moment, so nothing was exported. Go back and try again.\n",
        ),
        _ => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "Something failed on the server, so nothing was exported. Go back and try again.\n",
        ),
    };
    (status, text).into_response()
}
