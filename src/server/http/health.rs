//! Whether this server is alive and whether it can work.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::HttpState;

/// `GET /healthz`: the process answers.
pub async fn alive(State(state): State<HttpState>) -> Json<Value> {
    Json(json!({"status": "ok", "ts": state.services.clock().now().unix_timestamp()}))
}

/// `GET /readyz`: the database answers too; 503 if not, and while the server is stopping.
pub async fn ready(State(state): State<HttpState>) -> (StatusCode, Json<Value>) {
    let ts = state.services.clock().now().unix_timestamp();
    let answer = |status: StatusCode, body| (status, Json(body));
    if state.stop.is_cancelled() {
        return answer(StatusCode::SERVICE_UNAVAILABLE, json!({"status": "stopping", "ts": ts}));
    }
    match state.services.ping().await {
        Ok(()) => answer(StatusCode::OK, json!({"status": "ok", "checks": {"db_reachable": "ok"}, "ts": ts})),
        Err(error) => {
            error.log();
            let checks = json!({"db_reachable": "error"});
            answer(StatusCode::SERVICE_UNAVAILABLE, json!({"status": "error", "checks": checks, "ts": ts}))
        }
    }
}
