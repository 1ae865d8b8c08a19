//! Where Discord calls: interactions, signed by it. No program of anybody else's has a use for it, so it is not in the
//! API's description.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use utoipa_axum::router::OpenApiRouter;

use crate::server::http::HttpState;
use crate::server::http::body;
use crate::server::notify::discord::callback::{Answer, Call, Calls};

/// Most bytes of a call: an interaction carries the whole message that was pressed.
const BODY_MAX: usize = 256 * 1024;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    let calls = Arc::new(Calls::default());
    OpenApiRouter::new().route(
        "/v1/integrations/discord/interactions/{channel}",
        post(move |state: State<HttpState>, path: Path<String>, request: Request| {
            take(calls, state, path, request)
        }),
    )
}

async fn take(
    calls: Arc<Calls>,
    State(state): State<HttpState>,
    Path(channel): Path<String>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let body = match body::read_within(request, BODY_MAX).await {
        Ok(body) => body,
        Err(problem) => return problem.into_response(),
    };
    let call = Call {
        signature: text(&headers, "x-signature-ed25519"),
        timestamp: text(&headers, "x-signature-timestamp"),
        body: &body,
    };
    match calls.take(&state.services, &channel, &call).await {
        Answer::Said(answer) => Json(answer).into_response(),
        // One answer for a channel that is not there and a signature that is wrong: nobody learns which channels there are.
        Answer::Unknown => {
            (StatusCode::UNAUTHORIZED, "This call is not signed as it must be.").into_response()
        }
        Answer::Busy => {
            (StatusCode::SERVICE_UNAVAILABLE, "This server can't see to it now. Press again.").into_response()
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
