//! Pages that a form was sent on to, because it could not be taken as it was: they show it again with what was typed.
//!
//! Nothing of it is kept anywhere. The browser posts the same fields to the page (RFC 9110, 15.4.8), which is rendered as
//! for GET with them in its context; what is secret is left out there.

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::Response;
use futures::StreamExt as _;
use leptos::prelude::provide_context;

use crate::domain::channel::{ChannelKind, Field, Rule, fields};
use crate::ui::shell::shell;
use crate::wire::typed::{MAX_MIB, Typed};

/// The pages that show a form again.
pub const PATHS: [&str; 9] =
    ["/account", "/channels", "/connect", "/inbox/{id}", "/join", "/keys", "/people", "/setup", "/sign-in"];

const MIB: usize = 1_024 * 1_024;
/// Most of a form that is read, in bytes. A browser shows no answer to a form that nobody takes off it.
const TAKEN_MAX: usize = 64 * MIB;
/// Largest form of whoever is not signed in that is shown again, in bytes.
const OPEN_MAX: usize = 64 * 1_024;

/// Answers with the page, as for GET, with what was posted in its context.
pub async fn answer(context: impl Fn() + Clone + Send + Sync + 'static, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // Forms of whoever is not signed in are short, and anybody may send one.
    let is_open = matches!(parts.uri.path(), "/join" | "/setup" | "/sign-in");
    let most = if is_open { OPEN_MAX } else { MAX_MIB * MIB };
    let typed = read(body, most).await.map_or_else(Typed::lost, |form| typed(&form));
    let context = move || {
        context();
        provide_context(typed.clone());
    };
    as_page(parts, context).await
}

/// What was sent, unless it is too long to be shown again. What breaks off has nobody who looks.
async fn read(body: Body, most: usize) -> Option<Vec<u8>> {
    let (mut kept, mut size) = (Vec::new(), 0);
    let mut chunks = body.into_data_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        size += chunk.len();
        if size > TAKEN_MAX {
            break;
        }
        if size <= most {
            kept.extend_from_slice(&chunk);
        }
    }
    (size <= most).then_some(kept)
}

fn typed(form: &[u8]) -> Typed {
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(form).into_owned().collect();
    let kind =
        pairs.iter().find(|(name, _)| name == "kind").and_then(|(_, kind)| ChannelKind::from_text(kind));
    Typed::new(pairs, |name| is_secret(kind, name))
}

/// Renders the page of an address that something was posted to.
pub async fn as_page(mut parts: Parts, context: impl Fn() + Clone + Send + Sync + 'static) -> Response {
    parts.method = Method::GET;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONTENT_TYPE);
    let page = leptos_axum::render_app_async_with_context(context, shell);
    page(Request::from_parts(parts, Body::empty())).await
}

/// Whether a field's text is never written into a page. Sorts of channels share names, and `kind` says which one's a
/// setting is, where the form does.
fn is_secret(kind: Option<ChannelKind>, name: &str) -> bool {
    let setting = name.strip_prefix("settings[").and_then(|name| name.strip_suffix(']'));
    let Some(setting) = setting else { return matches!(name, "password" | "current" | "token") };
    let has_it = |kind: &ChannelKind| fields(*kind).iter().any(|field| field.name == setting);
    let is_hidden = |kind: ChannelKind| {
        // An address is sealed at rest, but whoever typed it wrong has to see what is wrong with it; those of chats are
        // secrets in whole.
        let is_shown = |field: &Field| {
            field.rule == Rule::Url && matches!(kind, ChannelKind::Webhook | ChannelKind::Ntfy)
        };
        fields(kind).iter().any(|field| field.name == setting && field.is_secret && !is_shown(field))
    };
    match kind.filter(has_it) {
        Some(kind) => is_hidden(kind),
        None => ChannelKind::ALL.into_iter().any(is_hidden),
    }
}

#[cfg(test)]
mod tests {
    use super::is_secret;
    use crate::domain::channel::ChannelKind;

    #[test]
    fn secrets_of_every_sort_are_known_by_their_names() {
        let sorts = ChannelKind::ALL.map(Some);
        for kind in sorts.into_iter().chain([None]) {
            for name in ["password", "current", "settings[bot_token]", "settings[hmac_secret]"] {
                assert!(is_secret(kind, name), "{kind:?} {name}");
            }
            for name in
                ["name", "email", "kinds", "settings[chat_id]", "settings[address]", "edits[0]", "comment"]
            {
                assert!(!is_secret(kind, name), "{kind:?} {name}");
            }
        }
    }

    #[test]
    fn an_address_is_shown_again_unless_it_is_a_secret_in_whole() {
        for (kind, is) in [("webhook", false), ("ntfy", false), ("slack", true), ("discord", true)] {
            assert_eq!(is_secret(ChannelKind::from_text(kind), "settings[url]"), is, "{kind}");
        }
        assert!(is_secret(None, "settings[url]"));
    }
}
