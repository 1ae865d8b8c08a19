//! The history: pages of it, and all of it as a file.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::Refused;
use super::query::QueryPairs;
use crate::domain::decision::Channel;
use crate::domain::scope::Scope;
use crate::server::http::HttpState;
use crate::server::http::caller::Bearer;
use crate::server::http::history_file::file;
use crate::server::http::problem::Problem;
use crate::server::service::AuditQuery;
use crate::server::view::audit::event;
use crate::wire::v1;
use crate::wire::v1::ExportFormat;

/// Facts on one page, if the caller does not say.
const PAGE: i64 = 50;
/// Most facts on one page.
const PAGE_MAX: u8 = 200;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(export))
}

/// The text of the query and of the file's name, and the media type.
fn names(format: ExportFormat) -> (&'static str, &'static str) {
    match format {
        ExportFormat::Json => ("json", "application/x-ndjson"),
        ExportFormat::Csv => ("csv", "text/csv; charset=utf-8; header=present"),
    }
}

/// Read the history
///
/// The newest facts first. Pages don't shift when more happens meanwhile. A page of several conditions may hold fewer
/// facts than asked for, or none, and still have a next one: each page looks at so many facts and no more.
#[utoipa::path(
    get, path = "/v1/audit", operation_id = "list_audit", tag = "audit",
    security(("key" = ["audit"]), ("key" = ["admin"])),
    params(
        ("type" = Option<String>, Query, max_length = 100,
            description = "Only this event (`action.approved`), or all that begin so (`action.`)."),
        ("actor" = Option<String>, Query, max_length = 100,
            description = "Only by this key (`key_…`) or person (`rev_…`), or by `clock`, `operator` or `anonymous`."),
        ("entity_id" = Option<String>, Query, max_length = 100,
            description = "Only about this action (`act_…`), key (`key_…`) or person (`rev_…`)."),
        ("since" = Option<i64>, Query, description = "At this Unix second or later.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("until" = Option<i64>, Query, description = "At this Unix second or earlier.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("kind" = Option<String>, Query, max_length = 100, description = "Only about actions of exactly this kind."),
        ("agent" = Option<String>, Query, max_length = 100,
            description = "Only about actions that a key of exactly this name proposed."),
        ("channel" = Option<String>, Query, max_length = 64,
            description = "Only through this door: `web`, `api`, `mcp`, `cli`, `clock`, …"),
        ("verdict" = Option<String>, Query, max_length = 10, description = "Only decisions: `approve` or `reject`."),
        ("edited" = Option<bool>, Query, description = "With `true` only decisions that changed what was proposed."),
        ("limit" = Option<u8>, Query, description = "Facts on a page; 50 if absent.", minimum = 1, maximum = 200),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before."),
    ),
    responses((status = 200, body = v1::AuditList, description = "A page."), Refused),
)]
async fn list(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    mut query: QueryPairs,
) -> Result<Json<v1::AuditList>, Problem> {
    caller.require(&[Scope::Audit])?;
    let wanted = read(&mut query);
    let limit = query.number("limit", 1, PAGE_MAX.into()).unwrap_or(PAGE);
    let cursor = query.text("cursor", 100);
    query.finish()?;
    let limit = u32::try_from(limit).unwrap_or(PAGE_MAX.into());
    let page = state.services.audit_page(caller.project, &wanted, cursor.as_deref(), limit).await?;
    Ok(Json(v1::AuditList {
        items: page.events.into_iter().map(event).collect(),
        has_more: page.next_cursor.is_some(),
        next_cursor: page.next_cursor,
    }))
}

fn read(query: &mut QueryPairs) -> AuditQuery {
    AuditQuery {
        kind: query.text("type", 100),
        actor: query.text("actor", 100),
        entity_id: query.text("entity_id", 100),
        since: query.instant("since"),
        until: query.instant("until"),
        action_kind: query.text("kind", 100),
        agent: query.text("agent", 100),
        channel: query.text("channel", 64),
        verdict: query.text("verdict", 10),
        is_edited: query.switch("edited"),
    }
}

/// Export the history
///
/// The newest facts first, one JSON object in each line, or a table. It is written while it is read, and is itself a
/// fact of the history.
#[utoipa::path(
    get, path = "/v1/audit/export", operation_id = "export_audit", tag = "audit",
    security(("key" = ["audit"]), ("key" = ["admin"])),
    params(
        ("format" = inline(Option<ExportFormat>), Query, description = "`json` if absent."),
        ("type" = Option<String>, Query, max_length = 100, description = "As for reading."),
        ("actor" = Option<String>, Query, max_length = 100, description = "As for reading."),
        ("entity_id" = Option<String>, Query, max_length = 100, description = "As for reading."),
        ("since" = Option<i64>, Query, description = "As for reading.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("until" = Option<i64>, Query, description = "As for reading.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("kind" = Option<String>, Query, max_length = 100, description = "As for reading."),
        ("agent" = Option<String>, Query, max_length = 100, description = "As for reading."),
        ("channel" = Option<String>, Query, max_length = 64, description = "As for reading."),
        ("verdict" = Option<String>, Query, max_length = 10, description = "As for reading."),
        ("edited" = Option<bool>, Query, description = "As for reading."),
    ),
    responses(
        (status = 200, description = "The file.", content(
            (v1::AuditEvent = "application/x-ndjson"),
            (String = "text/csv"),
        )),
        Refused,
    ),
)]
async fn export(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    mut query: QueryPairs,
) -> Result<Response, Problem> {
    caller.require(&[Scope::Audit])?;
    let wanted = read(&mut query);
    let format = match query.text("format", 100).as_deref() {
        None | Some("json") => ExportFormat::Json,
        Some("csv") => ExportFormat::Csv,
        Some(other) => {
            query.wrong("format", format!("must be json or csv; {other:?} was sent."));
            ExportFormat::Json
        }
    };
    query.finish()?;
    let (name, media_type) = names(format);
    let filter = state.services.begin_audit_export(&caller, &wanted, name, Channel::api()).await?;
    let day = state.services.clock().now().date();
    let name = format!("audit-export-{}-{day}.{name}", caller.project);
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, file(state.services, caller.project, filter, format)).into_response())
}
