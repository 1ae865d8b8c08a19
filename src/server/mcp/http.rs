//! The tools at `/mcp` of the server (Streamable HTTP), for hosts that reach it over the network.
//!
//! Nothing is kept between two requests, so that any server on the same database can answer any of them. A host that
//! waits gets a stream of events; closing it ends the wait and nothing else.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::handler::Handler;
use super::road::Road;
use crate::server::http::HttpState;
use crate::server::http::body::{BODY_MAX_BYTES, read};
use crate::server::http::caller::Bearer;
use crate::server::http::problem::Problem;

/// Where hosts find the tools.
pub const PATH: &str = "/mcp";

/// The route. `api` is the REST API, which the tools call with the key of whoever calls them.
pub fn router(api: Router, state: &HttpState) -> Router {
    let road = Road::Inside { api, stop: state.stop.clone() };
    // Hosts and origins are checked by the guard, which says what is wrong. The library's own token stays unused: it
    // would cut streams off at the server's end, while the tools hear of it and answer.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(false)
        .with_max_request_body_bytes(BODY_MAX_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let tools = StreamableHttpService::new(
        move || Ok(Handler::callers(road.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service(PATH, tools.clone())
        .route_service("/mcp/", tools)
        .layer(middleware::from_fn_with_state(state.clone(), guard))
}

/// Lets in whoever has a key and is no page of another site.
async fn guard(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if let Err(problem) = is_own_ground(&parts.headers, state.services.public_url()) {
        tracing::warn!("a request for the tools came by way of another site and was refused");
        return problem.into_response();
    }
    if let Err(problem) = Bearer::from_request_parts(&mut parts, &state).await {
        return problem.into_response();
    }
    accept_all(&mut parts.headers);
    // The library keeps the headers with the request, and shows in traces what is not marked.
    if let Some(key) = parts.headers.get_mut(header::AUTHORIZATION) {
        key.set_sensitive(true);
    }
    if parts.method != Method::POST {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let bytes = match read(Request::from_parts(parts.clone(), body)).await {
        Ok(bytes) => bytes,
        Err(problem) => return problem.into_response(),
    };
    if let Err(refusal) = read_message(&bytes) {
        return (StatusCode::BAD_REQUEST, Json(refusal)).into_response();
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// Refuses what is no message of the protocol with the answers of JSON-RPC 2.0, §5.1; the library would complain about its
/// Content-Type.
fn read_message(bytes: &[u8]) -> Result<(), Value> {
    let answer = |id: Value, code: i32, message: String| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(|error| {
        answer(Value::Null, -32_700, format!("The body is not JSON: {error}. Nothing was done."))
    })?;
    serde_json::from_slice::<ClientJsonRpcMessage>(bytes).map(|_| ()).map_err(|_| {
        let id = serde_json::from_slice::<Named>(bytes).unwrap_or_default().id;
        let id = Some(id).filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
        let message = "The body is no JSON-RPC 2.0 message of this protocol: an object with jsonrpc, method and, where there \
                       are some, id and params; one to a request. Nothing was done.";
        answer(id, -32_600, message.to_owned())
    })
}

/// What a refusal answers to, as far as that can be read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    id: Value,
}

/// A program that takes anything takes both kinds of answers, which the protocol wants to have said.
fn accept_all(headers: &mut HeaderMap) {
    let takes_all = headers.get(header::ACCEPT).is_none_or(|accept| accept.as_bytes() == b"*/*");
    if takes_all {
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// Keeps pages of other sites out, also those that point a name of theirs at this machine (DNS rebinding).
///
/// Such a page calls by its own name, so names are refused that are not ours: the public one is, addresses are no
/// names, and a name without a dot is none that a stranger can own. And it sends its origin, as pages do.
fn is_own_ground(headers: &HeaderMap, public_url: &str) -> Result<(), Problem> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("no text"));
    let host = text(header::HOST).unwrap_or_default();
    let public_host = public_url.split_once("://").map_or(public_url, |(_, host)| host);
    if !host.is_empty() && !host.eq_ignore_ascii_case(public_host) && !is_no_strangers(host) {
        let message = format!(
            "This server does not go by the name that was called ({host:?}). Call it by {public_url}, or set \
             IMPRI_PUBLIC_URL to the address that it is reached at."
        );
        return Err(Problem::new(StatusCode::FORBIDDEN, message));
    }
    let is_own = |origin: &str| {
        let of = |host: &str| {
            origin.split_once("://").is_some_and(|(scheme, rest)| {
                matches!(scheme, "http" | "https") && rest.eq_ignore_ascii_case(host)
            })
        };
        origin.eq_ignore_ascii_case(public_url) || (!host.is_empty() && of(host))
    };
    match text(header::ORIGIN) {
        Some(origin) if !is_own(origin) => {
            let message = format!(
                "Requests from pages of other sites are refused; the Origin header says {origin:?}. MCP hosts send none."
            );
            Err(Problem::new(StatusCode::FORBIDDEN, message))
        }
        _ => Ok(()),
    }
}

/// Whether a `Host` header names a machine by its address, or by a name that only its own network knows.
fn is_no_strangers(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.parse::<IpAddr>().is_ok() || !name.contains('.') || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "https://impri.example.org";

    fn is_let_in(pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value)));
        is_own_ground(&headers.collect(), PUBLIC).is_ok()
    }

    #[test]
    fn hosts_call_by_the_public_name_or_by_address() {
        for host in [
            "impri.example.org",
            "IMPRI.example.org",
            "127.0.0.1:8484",
            "localhost:8484",
            "[::1]:8484",
            "192.168.1.5:8484",
            "impri:8484",
        ] {
            assert!(is_let_in(&[("host", host)]), "{host}");
        }
        for host in
            ["evil.example", "impri.example.org.evil.example", "127.0.0.1.evil.example:8484", "a.b:80"]
        {
            assert!(!is_let_in(&[("host", host)]), "{host}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_kept_out() {
        let ours = ("host", "impri.example.org");
        assert!(is_let_in(&[ours, ("origin", PUBLIC)]));
        assert!(is_let_in(&[("host", "127.0.0.1:8484"), ("origin", "http://127.0.0.1:8484")]));
        for origin in ["https://evil.example", "null", "http://localhost:3000", "", "vscode://x"] {
            assert!(!is_let_in(&[ours, ("origin", origin)]), "{origin}");
        }
        assert!(!is_let_in(&[("host", "evil.example"), ("origin", "http://evil.example")]), "rebinding");
        assert!(!is_let_in(&[("host", "127.0.0.1:8484"), ("origin", "http://127.0.0.1:9999")]));
    }
}
