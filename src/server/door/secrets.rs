//! Keys and links that were just made, kept in a person's session for the page that shows them.

use serde::{Deserialize, Serialize};

use super::visit::{session, session_failed};
use super::{is_fetched, services};
use crate::domain::channel::ChannelKind;
use crate::domain::role::Role;
use crate::server::db::people::Member;
use crate::server::view;
use crate::wire::account::ChatCode;
use crate::wire::channels::TestedView;
use crate::wire::connect::{ConnectView, FreshAgentKey};
use crate::wire::error::UiError;
use crate::wire::keys::FreshKey;
use crate::wire::people::FreshInvite;

const FIRST: &str = "fresh_key";
/// A first key stays in the session of the person who set the server up for this long, in seconds.
const FIRST_SECS: i64 = 3_600;
/// What is shown once waits for its page for this long at most, in seconds.
const SHOWN_SECS: i64 = 300;

/// What a page shows once.
#[derive(Debug, Clone, Copy)]
pub enum Shown {
    /// A key for an agent, on the page that connects one.
    AgentKey,
    /// A key, on the page of keys.
    Key,
    /// The link of an invitation.
    Invite,
    /// A code that links an account on a chat platform.
    ChatCode,
    /// What came of trying a channel.
    Test,
}

impl Shown {
    fn name(self) -> &'static str {
        match self {
            Self::AgentKey => "shown_agent_key",
            Self::Key => "shown_key",
            Self::Invite => "shown_invite",
            Self::ChatCode => "shown_chat_code",
            Self::Test => "shown_test",
        }
    }
}

/// A secret on its way to the page that shows it.
#[derive(Debug, Serialize, Deserialize)]
struct Secret {
    /// The id or the name of what it belongs to.
    of: String,
    text: String,
    until: i64,
}

fn now() -> Result<i64, UiError> {
    Ok(services()?.clock().now().unix_timestamp())
}

/// Keeps a secret for the page that shows it, and the id or the name of what it belongs to.
///
/// # Errors
/// If the session can't be written; nobody will ever see the secret then.
pub async fn keep_shown(what: Shown, of: String, text: String) -> Result<(), UiError> {
    let secret = Secret { of, text, until: now()? + SHOWN_SECS };
    session().await?.insert(what.name(), secret).await.map_err(session_failed)
}

/// Takes it out again: whoever asks next gets nothing.
async fn take_shown(what: Shown) -> Option<Secret> {
    if is_fetched() {
        return None;
    }
    let secret: Secret = session().await.ok()?.remove(what.name()).await.ok()??;
    (secret.until > now().ok()?).then_some(secret)
}

/// A key that was made just before, once.
pub async fn shown_key() -> Option<FreshKey> {
    take_shown(Shown::Key).await.map(|secret| FreshKey { id: secret.of, key: secret.text })
}

/// The link of an invitation that was made just before, once.
pub async fn shown_invite() -> Option<FreshInvite> {
    take_shown(Shown::Invite).await.map(|secret| FreshInvite { id: secret.of, link: secret.text })
}

/// A code that was made just before, once.
pub async fn shown_chat_code() -> Option<ChatCode> {
    let secret = take_shown(Shown::ChatCode).await?;
    Some(ChatCode { kind: ChannelKind::from_text(&secret.of)?, text: secret.text })
}

/// Keeps what came of trying a channel for the page that shows it.
///
/// # Errors
/// If the session can't be written.
pub async fn keep_test(id: String, ok: bool, answer: String) -> Result<(), UiError> {
    let text = format!("{}{answer}", if ok { '+' } else { '-' });
    keep_shown(Shown::Test, id, text).await
}

/// What came of trying a channel just before, once.
pub async fn shown_test() -> Option<TestedView> {
    let secret = take_shown(Shown::Test).await?;
    let answer = crate::server::text::reveal_text(secret.text.get(1..)?);
    Some(TestedView { id: secret.of, ok: secret.text.starts_with('+'), answer })
}

/// Keeps the first agent's key, which is shown until the first action is there.
///
/// # Errors
/// If the session can't be written.
pub(super) async fn keep_first(key: String) -> Result<(), UiError> {
    let secret = Secret { of: String::new(), text: key, until: now()? + FIRST_SECS };
    session().await?.insert(FIRST, secret).await.map_err(session_failed)
}

/// The first agent's key, while the session still holds it.
pub async fn fresh_key() -> Option<String> {
    let secret: Secret = session().await.ok()?.get(FIRST).await.ok()??;
    (secret.until > now().ok()?).then_some(secret.text)
}

/// How to connect an agent, with the key that was just made. `key` names the one whose first action is waited for.
///
/// # Errors
/// If the session can't be read.
pub async fn connect(member: &Member, key: Option<&str>) -> Result<ConnectView, UiError> {
    let arrival = services()?.arrival(member, key.and_then(|key| key.parse().ok())).await?;
    let fresh = match take_shown(Shown::AgentKey).await {
        Some(secret) => Some(FreshAgentKey { name: secret.of, key: secret.text }),
        // The first agent's stays until it is used.
        None if arrival.newest.is_some() => None,
        None => fresh_key().await.map(|key| FreshAgentKey { name: String::new(), key }),
    };
    let key = fresh.as_ref().map(|fresh| fresh.key.as_str());
    let hosts = view::connect::hosts(services()?.public_url(), key);
    Ok(ConnectView {
        may_make_keys: member.role.allows(Role::Admin),
        may_try: member.role.allows(Role::Reviewer),
        fresh,
        arrival,
        hosts,
    })
}

/// Makes a key for an agent and keeps it for the page that shows it; gives its id.
///
/// # Errors
/// If the person may not, or the name does not fit.
pub async fn make_agent_key(member: &Member, name: &str) -> Result<String, UiError> {
    let made = services()?.create_agent_key(member, name).await?;
    keep_shown(Shown::AgentKey, made.stored.name, made.key).await?;
    Ok(made.stored.id.to_string())
}
