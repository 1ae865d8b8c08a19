//! Reading one action, waiting for it, and finding many.

use std::time::Duration;

use axum::Json;
use axum::extract::State;

use super::super::describe::{NotFound, Refused};
use super::super::query::QueryPairs;
use super::{InPath, show};
use crate::domain::action::Status;
use crate::domain::ids::ActionId;
use crate::domain::scope::Scope;
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::{ActionSearch, Caller, Viewed};
use crate::wire::v1;

/// Longest wait of one request, in seconds.
const WAIT_MAX_SECS: i64 = 60;
/// Most actions on a page, and most ids of one request.
const PAGE_MAX: u16 = 100;
/// Actions on a page if the caller does not say.
const PAGE: i64 = 50;

/// Read an action
///
/// With `wait`, answers as soon as it leaves `pending`; that it still waits then is a success too. Giving up the call
/// withdraws nothing.
#[utoipa::path(
    get, path = "/v1/actions/{id}", operation_id = "read", tag = "actions",
    security(("key" = ["actions"]), ("key" = ["decide"])),
    params(
        ("id" = String, Path, description = "`act_…`"),
        ("wait" = Option<u8>, Query, description = "Seconds to wait for it to leave `pending`.", maximum = 60),
    ),
    responses((status = 200, body = v1::Action, description = "The action."), Refused, NotFound),
)]
pub(super) async fn read(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    InPath(id): InPath,
    mut query: QueryPairs,
) -> Result<Json<v1::Action>, Problem> {
    caller.require(&[Scope::Actions, Scope::Decide])?;
    let wait = wait(&mut query);
    query.finish()?;
    let viewed = match wait {
        Duration::ZERO => state.services.action(caller.project, id).await?,
        wait => {
            let viewed = state.services.action_when_decided(caller.project, id, wait, &state.stop).await?;
            state.services.caller_again(&caller).await?;
            viewed
        }
    };
    Ok(Json(show(&state, viewed)))
}

fn wait(query: &mut QueryPairs) -> Duration {
    let secs = query.number("wait", 0, WAIT_MAX_SECS).unwrap_or_default();
    Duration::from_secs(secs.unsigned_abs())
}

/// Find actions, or wait for any of several
///
/// The newest first. Pages don't shift when actions are proposed meanwhile.
#[utoipa::path(
    get, path = "/v1/actions", operation_id = "find", tag = "actions",
    security(("key" = ["actions"]), ("key" = ["decide"])),
    params(
        ("status" = Option<Vec<v1::Status>>, Query,
            description = "Only in this status; several times, or with commas, for any of several."),
        ("kind" = Option<String>, Query, description = "Only of exactly this kind.", max_length = 100),
        ("since" = Option<i64>, Query, description = "Proposed at this Unix second or later.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("until" = Option<i64>, Query, description = "Proposed at this Unix second or earlier.",
            minimum = 0, maximum = 253_402_300_799_i64),
        ("q" = Option<String>, Query, max_length = 200,
            description = "Only with words that begin like each of these, in the proposed title or body."),
        ("limit" = Option<u8>, Query, description = "Actions on a page; 50 if absent.", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before."),
        ("ids" = Option<String>, Query,
            description = "Just these actions, up to 100, with commas; of the others only `wait` goes with it."),
        ("wait" = Option<u8>, Query, maximum = 60,
            description = "With `ids`: seconds to wait until one of them is not `pending`."),
    ),
    responses((status = 200, body = v1::ActionPage, description = "A page."), Refused, NotFound),
)]
pub(super) async fn list(
    State(state): State<HttpState>,
    Bearer(caller): Bearer,
    mut query: QueryPairs,
) -> Result<Json<v1::ActionPage>, Problem> {
    caller.require(&[Scope::Actions, Scope::Decide])?;
    let ids = query.list("ids");
    if !ids.is_empty() {
        return wait_for_any(&state, &caller, ids, query).await.map(Json);
    }
    let limit = query.number("limit", 1, PAGE_MAX.into()).unwrap_or(PAGE);
    let search = ActionSearch {
        statuses: statuses(&mut query),
        kind: query.text("kind", 100),
        since: query.instant("since"),
        until: query.instant("until"),
        words: query.text("q", 200),
        cursor: query.text("cursor", 100),
    };
    if query.number("wait", 0, WAIT_MAX_SECS).is_some() {
        query.wrong("wait", "goes with ids only. Name the actions to wait for, or leave it out.");
    }
    query.finish()?;
    let limit = u32::try_from(limit).unwrap_or(u32::from(PAGE_MAX));
    let found = state.services.find_actions(caller.project, search, limit).await?;
    let items = found.items.into_iter().map(|action| show(&state, Viewed { action, delivery: None }));
    Ok(Json(v1::ActionPage {
        items: items.collect(),
        has_more: found.next_cursor.is_some(),
        next_cursor: found.next_cursor,
    }))
}

fn statuses(query: &mut QueryPairs) -> Vec<Status> {
    let mut found = Vec::new();
    for text in query.list("status") {
        match Status::from_text(&text) {
            Some(status) if found.contains(&status) => {}
            Some(status) => found.push(status),
            None => {
                let known: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
                query.wrong("status", format!("must be of {}; {text:?} was sent.", known.join(", ")));
            }
        }
    }
    found
}

async fn wait_for_any(
    state: &HttpState,
    caller: &Caller,
    texts: Vec<String>,
    mut query: QueryPairs,
) -> Result<v1::ActionPage, Problem> {
    let wait = wait(&mut query);
    if texts.len() > usize::from(PAGE_MAX) {
        query.wrong("ids", format!("at most {PAGE_MAX} at once; {} were sent.", texts.len()));
    }
    query.finish()?;
    // What is no id names nothing, as an unknown id does.
    let mut ids: Vec<ActionId> = texts
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| ServiceError::NotFound)?;
    ids.sort_unstable();
    ids.dedup();
    let found = state.services.any_decided(caller.project, &ids, wait, &state.stop).await?;
    state.services.caller_again(caller).await?;
    if found.len() != ids.len() {
        return Err(ServiceError::NotFound.into());
    }
    let items = found.into_iter().map(|action| show(state, Viewed { action, delivery: None })).collect();
    Ok(v1::ActionPage { items, has_more: false, next_cursor: None })
}
