//! Keys that were just made, kept in a person's session for the page that shows them.

use serde::{Deserialize, Serialize};
use tower_sessions::Session;
use tower_sessions::session::Error;

use crate::wire::connect::FreshAgentKey;

const FIRST: &str = "fresh_key";
const MADE: &str = "made_key";
/// A key stays in the session for this long at most, in seconds.
const KEPT_SECS: i64 = 3_600;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    key: String,
    #[serde(default)]
    name: String,
    until: i64,
}

/// Keeps the first agent's key, which is shown until the first action is there.
///
/// # Errors
/// If the session can't be written.
pub(super) async fn keep_first(session: &Session, key: String, now: i64) -> Result<(), Error> {
    session.insert(FIRST, Kept { key, name: String::new(), until: now + KEPT_SECS }).await
}

/// The first agent's key, while the session still holds it.
pub(super) async fn first(session: &Session, now: i64) -> Option<String> {
    let kept: Kept = session.get(FIRST).await.ok()??;
    (kept.until > now).then_some(kept.key)
}

/// Keeps a key that somebody made, to be shown once.
///
/// # Errors
/// If the session can't be written.
pub(super) async fn keep_made(session: &Session, made: FreshAgentKey, now: i64) -> Result<(), Error> {
    session.insert(MADE, Kept { key: made.key, name: made.name, until: now + KEPT_SECS }).await
}

/// Takes it out again: whoever asks next gets nothing.
pub(super) async fn take_made(session: &Session, now: i64) -> Option<FreshAgentKey> {
    let kept: Kept = session.remove(MADE).await.ok()??;
    (kept.until > now).then_some(FreshAgentKey { name: kept.name, key: kept.key })
}
