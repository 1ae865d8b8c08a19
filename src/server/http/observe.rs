//! Around every request: an id that log lines and the answer share, one log line, and the headers that browsers obey.
//!
//! The id is ours, never the caller's. Nothing of a request is logged but method, path, status and time: no query, no
//! header, no body.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;

use crate::server::metrics::Metrics;
use crate::server::random;

/// The header that carries the id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Middleware that names, logs and finishes a request. With https, browsers are told to stay with it.
///
/// With `counts`, it is counted too.
pub async fn observe(is_https: bool, counts: Option<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let id = format!("req-{}", hex::encode(random::bytes::<8>()));
    let method = request.method().clone();
    let path: Arc<str> = request.uri().path().into();
    let span = tracing::info_span!("request", id = %id, %method, path = %path);
    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let _in_span = span.enter();
    let status = response.status();
    let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    if status.is_server_error() {
        tracing::warn!(status = status.as_u16(), took_ms, "answered with a failure");
    } else {
        tracing::debug!(status = status.as_u16(), took_ms, "answered");
    }
    if let Some(counts) = counts {
        let route = route.as_ref().map_or("other", MatchedPath::as_str);
        counts.answered(route, method_name(&method), status.as_u16(), started.elapsed());
    }
    finish(response.headers_mut(), &id, is_https);
    response
}

/// A method as a label: callers may send any.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        _ => "other",
    }
}

fn finish(headers: &mut axum::http::HeaderMap, id: &str, is_https: bool) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    let always = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), payment=()",
        ),
    ];
    for (name, value) in always {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Pages bring their own policy; whatever else is opened in a browser may do nothing.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
