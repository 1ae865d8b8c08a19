//! The agent API, version 1: one file per noun, each a thin door to a service.
//!
//! A handler carries its description, and routes are made from it, so that `/v1/openapi.json` can't leave one out.

mod actions;
mod audit;
mod channels;
mod describe;
mod discord;
mod keys;
mod later;
mod project;
mod push;
mod query;
mod receipts;
mod slack;

use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{any, get, post};
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;

use super::HttpState;
use super::problem::Problem;

/// Every route under `/v1`.
pub fn router() -> Router<HttpState> {
    let (router, api) = described().split_for_parts();
    let api: Arc<str> = api.to_json().unwrap_or_default().into();
    router
        .route("/v1/openapi.json", get(move || async move { openapi(&api) }))
        // For Slack alone, and so in no description of what agents may ask.
        .route("/v1/integrations/slack/interactions/{channel}", post(slack::interactions))
        .route("/v1", any(unknown))
        .route("/v1/", any(unknown))
        .route("/v1/{*rest}", any(unknown))
        .method_not_allowed_fallback(wrong_method)
}

/// The API's description.
pub fn description() -> Value {
    serde_json::to_value(described().into_openapi()).unwrap_or_default()
}

fn described() -> OpenApiRouter<HttpState> {
    OpenApiRouter::with_openapi(describe::base())
        .merge(actions::router())
        .merge(keys::router())
        .merge(channels::router())
        .merge(discord::router())
        .merge(push::router())
        .merge(project::router())
        .merge(audit::router())
        .merge(later::router())
        .merge(receipts::router())
}

/// `GET /v1/openapi.json`: OpenAPI 3.1.
fn openapi(api: &str) -> impl IntoResponse + use<> {
    ([(header::CONTENT_TYPE, "application/json")], api.to_owned())
}

async fn unknown() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "There is no such endpoint. GET /v1/openapi.json lists them.")
}

async fn wrong_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "This endpoint does not answer to this method.")
}
