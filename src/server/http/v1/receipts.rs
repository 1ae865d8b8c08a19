//! The public keys of receipts, for everybody.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::describe::Unavailable;
use crate::server::http::HttpState;
use crate::server::http::problem::Problem;
use crate::wire::v1;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new().routes(routes!(keys))
}

/// Get the keys of receipts
///
/// The public keys that verify receipts, as a JWK Set. A key that signs no more stays in it. Who meets a receipt with a
/// `kid` that is not in a kept copy asks again.
#[utoipa::path(
    get, path = "/.well-known/jwks.json", operation_id = "receipt_keys", tag = "receipts",
    responses(
        (status = 200, body = v1::ReceiptKeySet, content_type = "application/jwk-set+json", description = "The keys."),
        Unavailable,
    ),
)]
async fn keys(State(state): State<HttpState>) -> Result<Response, Problem> {
    let keys = state.services.receipt_keys().await?;
    let headers = [
        (header::CONTENT_TYPE, "application/jwk-set+json"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        // Public keys are no secret; a page may verify with them.
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    Ok((headers, Json(keys.set().to_jwks())).into_response())
}
