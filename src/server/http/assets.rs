//! The site that the binary carries: scripts, styles, icons. Files under `/pkg/` have their content's hash in their
//! name and never change; the rest is asked for again by its tag.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "$IMPRI_SITE_DIR"]
struct Site;

/// Where the pages find their script and style, by the names that the build gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteNames {
    /// The module that starts the wasm.
    pub start_js: String,
    /// The generated glue.
    pub glue_js: String,
    /// The wasm itself.
    pub wasm: String,
    /// The style sheet.
    pub css: String,
}

/// The files that load others: the page for no connection, and the worker that keeps it. Every other file may load
/// nothing, as its answer says where all answers get their headers.
const LOADING: [&str; 2] = ["offline.html", "sw.js"];
/// What they may load: files of this server.
const LOADING_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Deserialize)]
struct Named {
    path: String,
}

impl SiteNames {
    /// Reads the names from the embedded site; empty names if the binary was built without one.
    pub fn embedded() -> Self {
        let names: serde_json::Map<String, serde_json::Value> = Site::get("assets.json")
            .and_then(|file| serde_json::from_slice(&file.data).ok())
            .unwrap_or_default();
        let path = |name: &str| {
            let entry =
                names.get(name).cloned().and_then(|entry| serde_json::from_value::<Named>(entry).ok());
            entry.map(|entry| entry.path).unwrap_or_default()
        };
        Self {
            start_js: path("start.js"),
            glue_js: path("impri.js"),
            wasm: path("impri.wasm"),
            css: path("impri.css"),
        }
    }
}

/// The file that a request names, in the smallest form that the browser takes; nothing if there is no such file.
pub fn serve(request: &Request) -> Option<Response> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return None;
    }
    let path = request.uri().path().strip_prefix('/').filter(|path| !path.is_empty())?;
    if path == "assets.json" {
        return None;
    }
    let plain = Site::get(path)?;
    let (file, encoding) = smallest(path, plain, request.headers());
    let etag = format!("\"{}\"", hex::encode(&file.metadata.sha256_hash()[..16]));
    let is_known =
        request.headers().get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(file.data).into_response()
    };
    let cache = if path.starts_with("pkg/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    if let Ok(kind) = HeaderValue::from_str(&with_charset(kind.as_ref())) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if LOADING.contains(&path) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(LOADING_POLICY));
    }
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

fn with_charset(kind: &str) -> String {
    let is_text = kind.starts_with("text/") || kind.ends_with("javascript") || kind.ends_with("json");
    if is_text { format!("{kind}; charset=utf-8") } else { kind.to_owned() }
}

fn smallest(path: &str, plain: EmbeddedFile, headers: &HeaderMap) -> (EmbeddedFile, Option<&'static str>) {
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = |coding: &str| {
        accepted.split(',').any(|part| {
            let mut words = part.trim().split(';');
            words.next() == Some(coding) && !words.any(|word| word.trim() == "q=0")
        })
    };
    for (coding, suffix) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(coding)
            && let Some(file) = Site::get(&format!("{path}{suffix}"))
        {
            return (file, Some(coding));
        }
    }
    (plain, None)
}
