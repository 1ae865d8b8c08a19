//! `/metrics`, for Prometheus: there only if the operator asked for it.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use super::HttpState;
use super::problem::Problem;
use crate::domain::Instant;
use crate::server::config::MetricsAccess;

/// What [`metrics`] needs besides.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Who may read.
    pub access: MetricsAccess,
    /// When this server started.
    pub since: Instant,
}

/// `GET /metrics`.
///
/// # Errors
/// Without the token, if one is asked for; if the database can't be reached.
pub async fn metrics(
    State(state): State<HttpState>,
    measured: axum::Extension<Measured>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let MetricsAccess::Token(token) = &measured.access
        && !sent.and_then(super::caller::bearer).is_some_and(|sent| is_same(sent, token.expose()))
    {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "Send the token of IMPRI_METRICS_TOKEN as the header Authorization: Bearer …",
        ));
    }
    let levels = state.services.levels().await?;
    let up = state.services.clock().now() - measured.since;
    let text = state.services.metrics().text(&levels, up.try_into().unwrap_or_default());
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// Compares digests, so that the time it takes tells nothing about the token.
fn is_same(sent: &str, token: &str) -> bool {
    Sha256::digest(sent) == Sha256::digest(token)
}
