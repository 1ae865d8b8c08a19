//! The Bot API: a method, its arguments as JSON, and what it answers (<https://core.telegram.org/bots/api#making-requests>).

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::server::notify::outbound::{Outbound, header};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::platforms::Platforms;

/// Longest time that Telegram can ask to wait.
const PATIENCE_MAX: Duration = Duration::from_hours(1);

/// A bot. It holds a secret, so it does not show itself.
#[derive(Clone)]
pub struct Bot {
    token: String,
    base: String,
    outbound: Outbound,
}

impl Bot {
    /// The bot with this token.
    pub fn new(token: &str, platforms: &Platforms) -> Self {
        let (base, outbound) = platforms.telegram();
        Self { token: token.to_owned(), base: base.to_owned(), outbound: outbound.clone() }
    }

    /// The bot's number: what stands before the colon of its token.
    pub fn id(&self) -> &str {
        self.token.split(':').next().unwrap_or_default()
    }

    /// Calls a method.
    ///
    /// # Errors
    /// What Telegram says, or that it says nothing.
    pub async fn call(&self, method: &str, arguments: &Value) -> Result<Value, Failure> {
        self.call_within(method, arguments, Duration::from_secs(10)).await
    }

    /// The same for an answer that takes its time.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_within(
        &self,
        method: &str,
        arguments: &Value,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        let address = format!("{}/bot{}/{method}", self.base, self.token);
        let headers = HeaderMap::from_iter([header("content-type", "application/json")]);
        let answer = self.outbound.call_within(&address, headers, arguments.to_string(), timeout).await?;
        let mut body = answer.json();
        match body["ok"].as_bool() {
            Some(true) => Ok(body["result"].take()),
            Some(false) => Err(refusal(answer.status, &body)),
            None => Err(Failure::again(
                Some(answer.status),
                format!("HTTP {} without an answer of the Bot API", answer.status),
            )),
        }
    }
}

/// An error as the API answers it: `error_code`, `description`, and `parameters` that help to go on.
fn refusal(status: u16, body: &Value) -> Failure {
    let code = body["error_code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(status);
    let said = body["description"].as_str().unwrap_or("no description");
    let said =
        said.strip_prefix("Bad Request: ").or_else(|| said.strip_prefix("Forbidden: ")).unwrap_or(said);
    let reason = match (code, body["parameters"]["migrate_to_chat_id"].as_i64()) {
        (_, Some(chat)) => format!("{said}; the chat's number is {chat} now"),
        (401 | 404, None) => format!("Telegram does not know the bot token ({said})"),
        (_, None) => said.to_owned(),
    };
    let remedy = match code {
        429 => {
            let after = Duration::from_secs(body["parameters"]["retry_after"].as_u64().unwrap_or(30));
            Remedy::After(after.clamp(Duration::from_secs(1), PATIENCE_MAX))
        }
        // Somebody else listens as the same bot; that ends when they do.
        409 | 500.. => Remedy::Again,
        _ => Remedy::Never,
    };
    Failure { status: Some(code), reason, remedy }
}
