//! Refuses changes that another site asks a signed-in browser for.
//!
//! Server functions accept form posts of any origin, and the session cookie is `SameSite=Lax`, so that a link from a
//! chat arrives signed in. So every unsafe request to a cookie-authenticated path must say that it comes from us: by
//! `Sec-Fetch-Site`, or by an `Origin` that is ours (Fetch standard; OWASP CSRF sheet, "Fetch Metadata"). The API is
//! exempt: it takes no cookies.

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Middleware around every route that reads the session cookie. `own_origin` is the public one.
pub async fn guard(own_origin: std::sync::Arc<str>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_own(request.headers(), &own_origin) {
        return next.run(request).await;
    }
    tracing::warn!(path = request.uri().path(), "a change asked for by another site was refused");
    let text =
        "Another site asked for this change, so nothing was changed. Open the inbox itself and try again.\n";
    (StatusCode::FORBIDDEN, text).into_response()
}

fn is_own(headers: &HeaderMap, own_origin: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("not text"));
    match (text("sec-fetch-site"), text(ORIGIN.as_str())) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        // Older browsers send only this. The host is what the browser itself connected to.
        (None, Some(origin)) => {
            let of_host =
                |host: &str| origin == format!("http://{host}") || origin == format!("https://{host}");
            origin == own_origin || text(HOST.as_str()).is_some_and(of_host)
        }
        // No browser that is in use leaves out both.
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs.iter().map(|(name, value)| {
            (axum::http::HeaderName::from_static(name), axum::http::HeaderValue::from_static(value))
        });
        is_own(&headers.collect(), "https://impri.example.org")
    }

    #[test]
    fn only_our_own_pages_may_ask_for_changes() {
        assert!(from(&[("sec-fetch-site", "same-origin")]));
        assert!(from(&[("sec-fetch-site", "none")]));
        assert!(from(&[("origin", "https://impri.example.org")]));
        assert!(from(&[("origin", "http://127.0.0.1:8484"), ("host", "127.0.0.1:8484")]));
        assert!(!from(&[]));
        assert!(!from(&[("sec-fetch-site", "cross-site"), ("origin", "https://impri.example.org")]));
        assert!(!from(&[("sec-fetch-site", "same-site")]));
        assert!(!from(&[("origin", "null"), ("host", "impri.example.org")]));
        assert!(!from(&[("origin", "https://evil.example"), ("host", "impri.example.org")]));
    }
}
