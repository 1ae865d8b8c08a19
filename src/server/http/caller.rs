//! The API key of a request, and whether it may ask once more.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::problem::Problem;
use super::{HttpState, limit};
use crate::server::error::ServiceError;
use crate::server::service::{Caller, CallerError};

/// Whoever holds the key that the request carries. Cookies count for nothing here.
pub struct Bearer(pub Arc<Caller>);

impl FromRequestParts<HttpState> for Bearer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        let key =
            parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
        match key {
            Some(key) => {
                let caller = state.services.caller(key).await?;
                let class = limit::class_of(parts);
                state.limits.take(caller.key, class).map_err(|retry_after_secs| {
                    state.services.metrics().limited(class.as_str());
                    ServiceError::Throttled { retry_after_secs }
                })?;
                Ok(Self(caller))
            }
            None => Err(CallerError::Missing.into()),
        }
    }
}

/// The token of `Bearer <token>`; the scheme's case does not matter (RFC 9110 §11.1).
pub(super) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.trim().split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::bearer;

    #[test]
    fn only_a_bearer_token_is_a_key() {
        assert_eq!(bearer("Bearer im_x"), Some("im_x"));
        assert_eq!(bearer("bearer  im_x "), Some("im_x"));
        for value in ["", "im_x", "Basic im_x", "Bearer", "Bearer  "] {
            assert_eq!(bearer(value), None, "{value}");
        }
    }
}
