//! Pages that a form was sent on to, because it could not be taken as it was: they show it again with what was typed.
//!
//! Nothing of it is kept anywhere. The browser posts the same fields to the page (RFC 9110, 15.4.8), which is rendered as
//! for GET with them in its context; what is secret is left out there.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::Response;
use leptos::prelude::provide_context;

use crate::domain::channel::{ChannelKind, fields};
use crate::ui::shell::shell;
use crate::wire::typed::Typed;

/// The pages that show a form again.
pub const PATHS: [&str; 9] =
    ["/account", "/channels", "/connect", "/inbox/{id}", "/join", "/keys", "/people", "/setup", "/sign-in"];

/// Largest form that is shown again, in bytes. An action's values can be edited, and escaped they are thrice as long.
const MAX_BYTES: usize = 2 * 1_024 * 1_024;

/// Answers with the page, as for GET, with what was posted in its context.
pub async fn answer(context: impl Fn() + Clone + Send + Sync + 'static, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // A body that can't be read is a page without what was typed.
    let bytes = to_bytes(body, MAX_BYTES).await.unwrap_or_default();
    let typed = Typed::new(url::form_urlencoded::parse(&bytes).into_owned(), is_secret);
    let context = move || {
        context();
        provide_context(typed.clone());
    };
    as_page(parts, context).await
}

/// Renders the page of an address that something was posted to.
pub async fn as_page(mut parts: Parts, context: impl Fn() + Clone + Send + Sync + 'static) -> Response {
    parts.method = Method::GET;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONTENT_TYPE);
    let page = leptos_axum::render_app_async_with_context(context, shell);
    page(Request::from_parts(parts, Body::empty())).await
}

/// Whether a field's text is never written into a page.
fn is_secret(name: &str) -> bool {
    let setting = name.strip_prefix("settings[").and_then(|name| name.strip_suffix(']'));
    match setting {
        Some(setting) => {
            let all = ChannelKind::ALL.into_iter().flat_map(fields);
            all.filter(|field| field.name == setting).any(|field| field.is_secret)
        }
        None => matches!(name, "password" | "current" | "token"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn secrets_of_every_sort_are_known_by_their_names() {
        for name in ["password", "current", "settings[bot_token]", "settings[hmac_secret]", "settings[url]"] {
            assert!(is_secret(name), "{name}");
        }
        for name in
            ["name", "email", "kinds", "settings[chat_id]", "settings[address]", "edits[0]", "comment"]
        {
            assert!(!is_secret(name), "{name}");
        }
    }
}
