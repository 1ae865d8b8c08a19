//! How a request gets to the REST API and its answer back: over the network, or straight into this process's router.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;
use url::Url;

use crate::server::config::BaseUrl;
use crate::server::http::observe::REQUEST_ID;
use crate::server::trouble::Trouble;

/// What a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// The way to the REST API.
#[derive(Clone)]
pub(super) enum Road {
    /// To a server at this address.
    Network { http: reqwest::Client, base: BaseUrl },
    /// To the routes of this process; `stop` is cancelled when it ends.
    Inside { api: Router, stop: CancellationToken },
}

/// What came back.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Null where the answer is no JSON.
    pub(super) body: Value,
    /// How long the server asks to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// What the server's log calls the request.
    pub(super) request_id: Option<String>,
}

/// No answer came.
#[derive(Debug, Clone)]
pub(super) enum Lost {
    /// The server was not reached, so it heard nothing.
    Unheard(String),
    /// The server may have heard and done it.
    Unanswered(String),
}

impl Lost {
    pub(super) fn why(&self) -> &str {
        let (Self::Unheard(why) | Self::Unanswered(why)) = self;
        why
    }
}

impl Road {
    /// # Errors
    /// When the system's TLS or resolver can't be set up.
    pub(super) fn to(base: BaseUrl) -> Result<Self, reqwest::Error> {
        // A redirect is no answer of the API, and the key must not follow it.
        let mut http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .user_agent(concat!("impri-mcp/", env!("CARGO_PKG_VERSION")));
        if base.is_loopback() {
            // A proxy in the environment knows nothing of this machine.
            http = http.no_proxy();
        }
        Ok(Self::Network { http: http.build()?, base })
    }

    /// Where it leads, for sentences.
    pub(super) fn place(&self) -> &str {
        match self {
            Self::Network { base, .. } => base.as_str(),
            Self::Inside { .. } => "this server",
        }
    }

    /// Cancelled when it is no use to wait on.
    pub(super) fn stop(&self) -> Option<&CancellationToken> {
        match self {
            Self::Network { .. } => None,
            Self::Inside { stop, .. } => Some(stop),
        }
    }

    /// # Errors
    /// When no whole answer came within `patience`.
    pub(super) async fn travel(
        &self,
        authorization: &HeaderValue,
        method: Method,
        path: &str,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<Answer, Lost> {
        match self {
            Self::Network { http, base } => {
                let mut request = http
                    .request(method, format!("{}{path}", base.as_str()))
                    .header(header::AUTHORIZATION, authorization)
                    .timeout(patience);
                if let Some(body) = body {
                    request = request.json(body);
                }
                let response = request.send().await.map_err(|error| lost(&error))?;
                let (status, headers) = (response.status().as_u16(), response.headers().clone());
                let bytes = response.bytes().await.map_err(|error| Lost::Unanswered(reason(&error)))?;
                Ok(answer(status, &headers, &bytes))
            }
            Self::Inside { api, .. } => {
                let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
                let request = Request::builder()
                    .method(method)
                    .uri(path)
                    .header(header::AUTHORIZATION, authorization)
                    .header(header::CONTENT_TYPE, "application/json")
                    .body(body)
                    .map_err(|error| Lost::Unheard(error.to_string()))?;
                let response = match api.clone().oneshot(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                };
                let (parts, body) = response.into_parts();
                let bytes =
                    body.collect().await.map_err(|error| Lost::Unanswered(error.to_string()))?.to_bytes();
                Ok(answer(parts.status.as_u16(), &parts.headers, &bytes))
            }
        }
    }
}

fn answer(status: u16, headers: &HeaderMap, bytes: &[u8]) -> Answer {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    Answer {
        status,
        body: serde_json::from_slice(bytes).unwrap_or_default(),
        retry_after: text(header::RETRY_AFTER).and_then(|secs| secs.parse().ok()).map(Duration::from_secs),
        request_id: text(REQUEST_ID).map(str::to_owned),
    }
}

fn lost(error: &reqwest::Error) -> Lost {
    match error.is_connect() || error.is_builder() {
        true => Lost::Unheard(reason(error)),
        false => Lost::Unanswered(reason(error)),
    }
}

fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let host = error.url().and_then(Url::host_str).unwrap_or_default();
    Trouble::of(host, error).to_string()
}
