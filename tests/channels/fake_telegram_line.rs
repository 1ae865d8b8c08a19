//! Telegram's line: questions that are held until there is news
//! (<https://core.telegram.org/bots/api#getupdates>), and connections that are cut.

use std::sync::Mutex;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::fake_telegram::{FakeTelegram, Shared};

/// Where a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Before anything was done.
    Before,
    /// In the middle of the answer.
    After,
}

/// How many ask for news at once, now and at most.
#[derive(Default)]
pub(super) struct Asking {
    now: usize,
    most: usize,
}

impl FakeTelegram {
    /// Cuts the next connection on which a method is called.
    pub(super) fn cut(&self, method: &'static str, cut: Cut) {
        self.lock().cuts.push((method, cut));
    }

    /// Forgets what it was to refuse.
    pub(super) fn relent(&self) {
        self.lock().refusals.clear();
    }

    /// How many ask for news at this moment.
    pub(super) fn asking(&self) -> usize {
        self.lock().asking.now
    }

    pub(super) fn most_asking(&self) -> usize {
        self.lock().asking.most
    }
}

/// Somebody who asks, until the connection ends.
struct Question<'a>(&'a Mutex<Shared>);

impl<'a> Question<'a> {
    fn begin(shared: &'a Mutex<Shared>) -> Self {
        let asking = &mut shared.lock().expect("no panic").asking;
        asking.now += 1;
        asking.most = asking.most.max(asking.now);
        Self(shared)
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if let Ok(mut shared) = self.0.lock() {
            shared.asking.now -= 1;
        }
    }
}

/// Holds a question until there is news, or for as long as it wants.
pub(super) async fn hold(shared: &Mutex<Shared>, sent: &Value) {
    let offset = sent["offset"].as_i64().expect("a number");
    let patience = Duration::from_secs(sent["timeout"].as_u64().expect("seconds"));
    let _question = Question::begin(shared);
    let mut bell = shared.lock().expect("no panic").bell.subscribe();
    let arrived = async {
        while !shared.lock().expect("no panic").has_news(offset) {
            bell.changed().await.expect("a bell");
        }
    };
    let _ = timeout(patience, arrived).await;
}

/// An answer that begins and does not end.
pub(super) fn cut_off() -> Response {
    let parts = [Ok("{\"ok\":true,\"res"), Err(std::io::Error::other("the connection is cut"))];
    let body = Body::from_stream(futures::stream::iter(parts));
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
