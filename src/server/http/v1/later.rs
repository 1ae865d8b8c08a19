//! What other servers of this contract have and this one does not, or not yet.
//!
//! Lists are empty, so that programs that look at them go on; whoever wants to make something hears that it can't be
//! done. No plan, no quota, no bill: a server of one's own has none. None of it is in the API's description, which says
//! what there is.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, any, get, post};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use utoipa_axum::router::OpenApiRouter;

use crate::domain::action::Status;
use crate::domain::scope::Scope;
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::body::JsonBody;
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;
use crate::server::service::Usage;

const WATCH: &[Scope] = &[Scope::Watch];
const ADMIN: &[Scope] = &[Scope::Admin];

const WATCHERS: &str =
    "This server runs no watchers. Let a program of yours watch, and propose to /v1/actions.";
const RULES: &str = "This server has no rules yet: somebody decides every action.";
const BILLING: &str = "There is nothing to pay on a server of one's own.";
const WEBHOOK: &str = "There is nothing to set up: this server asks Telegram for news by itself.";
const SIGN_UP: &str = "Nobody can sign up by the API. The operator makes keys: impri keys create.";

pub(super) fn router() -> OpenApiRouter<HttpState> {
    let watchers = empty(WATCH, json!({"items": [], "has_more": false}));
    OpenApiRouter::new()
        .route("/v1/watchers", watchers.merge(refuse(WATCH, WATCHERS)))
        .route("/v1/watchers/from-preset", refuse(WATCH, WATCHERS))
        .route("/v1/watchers/{id}", nothing(WATCH))
        .route("/v1/watchers/{id}/run", nothing(WATCH))
        .route("/v1/watcher-presets", empty(WATCH, json!({"presets": []})))
        .route("/v1/rules", empty(ADMIN, json!({"items": []})).merge(refuse(ADMIN, RULES)))
        .route("/v1/rules/{id}", nothing(ADMIN))
        .route("/v1/notification-channels/{id}/setup-webhook", refuse(ADMIN, WEBHOOK))
        .route("/v1/usage", get(usage))
        .route("/v1/billing", get(billing))
        .route("/v1/billing/checkout", refuse(ADMIN, BILLING))
        .route("/v1/billing/portal", refuse(ADMIN, BILLING))
        .route("/v1/signup", any(no_sign_up))
}

/// A list with nothing in it.
fn empty(scopes: &'static [Scope], answer: Value) -> MethodRouter<HttpState> {
    get(move |Bearer(caller): Bearer| async move {
        caller.require(scopes).map(|()| Json(answer)).map_err(Problem::from)
    })
}

/// Something that can't be made here.
fn refuse(scopes: &'static [Scope], why: &'static str) -> MethodRouter<HttpState> {
    post(move |Bearer(caller): Bearer, _: JsonBody<IgnoredAny>| async move {
        match caller.require(scopes) {
            Ok(()) => Problem::new(StatusCode::NOT_IMPLEMENTED, why),
            Err(error) => error.into(),
        }
    })
}

/// One of a list with nothing in it.
fn nothing(scopes: &'static [Scope]) -> MethodRouter<HttpState> {
    any(move |Bearer(caller): Bearer, _: JsonBody<IgnoredAny>| async move {
        match caller.require(scopes) {
            Ok(()) => Problem::from(ServiceError::NotFound),
            Err(error) => error.into(),
        }
    })
}

async fn no_sign_up() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, SIGN_UP)
}

/// How much the project did this month, in counts that are real and limits that are none.
async fn usage(State(state): State<HttpState>, Bearer(caller): Bearer) -> Result<Json<Value>, Problem> {
    caller.require(ADMIN)?;
    let usage = state.services.usage(caller.project).await?;
    let mut actions = Map::new();
    actions.insert("created_this_period".to_owned(), proposed(&usage).into());
    actions.extend(usage.actions.iter().map(|(status, count)| (status.as_str().to_owned(), (*count).into())));
    Ok(Json(json!({
        "project_id": caller.project,
        "has_recovery_code": false,
        "billing_active": false,
        "tier": "self_host",
        "subscription_status": null,
        "current_period_end": null,
        "period": {"start": usage.start.unix_timestamp(), "end": usage.end.unix_timestamp()},
        "actions": actions,
        "approvals": {"used": proposed(&usage), "limit": null, "remaining": null},
        "watchers": {"active": 0, "degraded": 0, "paused": 0, "total": 0, "limit": null, "remaining": null},
        "limits": {"approvals_per_month": null, "watchers": null, "min_watcher_interval_sec": null},
        "webhook_delivery": {
            "dlq_size": usage.undelivered.dead,
            "pending": usage.undelivered.pending,
            "in_retry": usage.undelivered.in_retry,
        },
        "ts": state.services.clock().now().unix_timestamp(),
    })))
}

async fn billing(State(state): State<HttpState>, Bearer(caller): Bearer) -> Result<Json<Value>, Problem> {
    caller.require(ADMIN)?;
    let usage = state.services.usage(caller.project).await?;
    Ok(Json(json!({
        "tier": "self_host",
        "status": "self_host",
        "usage": {
            "watchers": {"used": 0, "limit": null},
            "approvals": {"used": proposed(&usage), "limit": null},
        },
        "billing_enabled": false,
    })))
}

/// What was proposed this month, whatever became of it.
fn proposed(usage: &Usage) -> i64 {
    usage.actions.iter().map(|(_, count): &(Status, i64)| count).sum()
}
