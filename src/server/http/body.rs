//! JSON bodies, read whatever the Content-Type says: `curl -d` calls everything a form.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use super::HttpState;
use super::problem::Problem;
use crate::domain::text::FieldError;

/// Most bytes of a request's body.
pub const BODY_MAX_BYTES: usize = 1024 * 1024;

/// A JSON body; an empty one is `{}`.
pub struct JsonBody<T>(pub T);

/// The same, and the paths of the members that nothing read, such as `preview.lang`.
pub struct JsonBodyAndRest<T>(pub T, pub Vec<String>);

impl<T: DeserializeOwned> FromRequest<HttpState> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &HttpState) -> Result<Self, Problem> {
        let bytes = read(request).await?;
        parse(&bytes, |_| {}).map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<HttpState> for JsonBodyAndRest<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &HttpState) -> Result<Self, Problem> {
        let bytes = read(request).await?;
        let mut rest = Vec::new();
        let value = parse(&bytes, |path| {
            // A question mark stands for what may be absent, which is nothing to whoever sent it.
            rest.push(path.to_string().split('.').filter(|part| *part != "?").collect::<Vec<_>>().join("."));
        })?;
        Ok(Self(value, rest))
    }
}

/// The whole body of a request.
///
/// # Errors
/// If it is larger than [`BODY_MAX_BYTES`] or breaks off.
pub async fn read(request: Request) -> Result<Bytes, Problem> {
    read_within(request, BODY_MAX_BYTES).await
}

/// The same with another limit.
///
/// # Errors
/// As [`read`].
pub async fn read_within(request: Request, most: usize) -> Result<Bytes, Problem> {
    let body = Limited::new(request.into_body(), most).collect().await.map_err(|error| {
        if error.downcast_ref::<LengthLimitError>().is_some() {
            let text = format!("The body is larger than {most} bytes. Nothing was stored.");
            return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text);
        }
        Problem::new(StatusCode::BAD_REQUEST, "The body broke off. Nothing was stored; send it again.")
    })?;
    Ok(body.to_bytes())
}

fn parse<T: DeserializeOwned>(
    bytes: &[u8],
    mut unread: impl FnMut(serde_ignored::Path<'_>),
) -> Result<T, Problem> {
    let bytes = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
    // A list would be read as the members in their order, which nobody means.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "The body is a list; this expects a JSON object."));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut reader, &mut track);
    let value = serde_ignored::deserialize(tracked, &mut unread).map_err(|inner: serde_json::Error| {
        let path = track.path().to_string();
        if inner.is_data() && path != "." {
            return Problem::invalid(&[FieldError::invalid(path, format!("{inner}."))]);
        }
        malformed(&inner)
    })?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        format!("The body is not the JSON object that this expects: {error}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::v1::CreateAction;
    use axum::response::IntoResponse as _;

    async fn refusal(body: &str) -> (StatusCode, String) {
        let response = parse::<CreateAction>(body.as_bytes(), |_| {}).unwrap_err().into_response();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn what_is_wrong_is_named_with_its_place() {
        let (status, text) = refusal("{\"kind\": }").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(text.contains("line 1 column 10"), "{text}");
        let (_, text) = refusal("{\"preview\": {\"body\": 5}}").await;
        assert!(text.contains("[\"preview\",\"body\"]") && text.contains("expected a string"), "{text}");
        let (_, text) = refusal("{} {}").await;
        assert!(text.contains("trailing characters"), "{text}");
        assert!(refusal("[]").await.1.contains("JSON object"));
    }

    #[test]
    fn nothing_and_null_are_absent() {
        assert!(parse::<CreateAction>(b" ", |_| {}).unwrap().kind.is_none());
        assert!(
            parse::<CreateAction>(b"{\"undo\":null,\"payload\":null,\"else\":1}", |_| {})
                .unwrap()
                .payload
                .is_none()
        );
    }
}
