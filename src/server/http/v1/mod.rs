//! The agent API, version 1: one file per noun, each a thin door to a service.

mod actions;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{any, get, post};

use super::HttpState;
use super::problem::Problem;

/// Every route under `/v1`.
pub fn router() -> Router<HttpState> {
    Router::new()
        .route("/v1/actions", post(actions::create))
        .route("/v1/actions/{id}", get(actions::read))
        .route("/v1/actions/{id}/decision", post(actions::decide))
        .route("/v1/actions/{id}/claim", post(actions::claim))
        .route("/v1/actions/{id}/cancel", post(actions::cancel))
        .route("/v1/actions/{id}/result", post(actions::report))
        .route("/v1", any(unknown))
        .route("/v1/", any(unknown))
        .route("/v1/{*rest}", any(unknown))
        .method_not_allowed_fallback(wrong_method)
}

async fn unknown() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "There is no such endpoint. The actions are at /v1/actions.")
}

async fn wrong_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "This endpoint does not answer to this method.")
}
