//! The REST API, version 10: a method, a path and JSON (<https://docs.discord.com/developers/reference>), and what its
//! errors mean (<https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes>).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::server::notify::outbound::{Answer, Outbound, header};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::platforms::Platforms;

/// What Discord wants to know of a program (<https://docs.discord.com/developers/reference#user-agent>).
const USER_AGENT: &str = concat!("DiscordBot (https://impri.example.org, ", env!("CARGO_PKG_VERSION"), ")");
/// Longest time that Discord can ask to wait.
const PATIENCE_MAX: Duration = Duration::from_hours(1);
/// Shortest time, so that a platform that says nothing useful is not asked without end.
const PATIENCE_MIN: Duration = Duration::from_millis(50);

/// A client and who it says to be.
pub(super) struct Door<'a> {
    outbound: &'a Outbound,
    authorization: Option<String>,
}

impl<'a> Door<'a> {
    /// Without a token: what is called is secret itself.
    pub(super) fn open(outbound: &'a Outbound) -> Self {
        Self { outbound, authorization: None }
    }

    pub(super) async fn call(
        &self,
        method: Method,
        address: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let mut headers = HeaderMap::from_iter([header("user-agent", USER_AGENT)]);
        headers.extend(self.authorization.as_deref().map(|token| header("authorization", token)));
        headers.extend(body.map(|_| header("content-type", "application/json")));
        let url = self.outbound.check(address).map_err(|reason| Failure::never(None, reason))?;
        let request = self.outbound.client.request(method, url).headers(headers);
        let request = match body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        let answer = self.outbound.read(request.send().await).await?;
        if (200..300).contains(&answer.status) { Ok(answer.json()) } else { Err(refusal(&answer)) }
    }
}

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
        let (base, outbound) = platforms.discord();
        Self { token: token.to_owned(), base: format!("{base}/api/v10"), outbound: outbound.clone() }
    }

    /// What tells bots and their tokens apart without telling the token.
    pub(super) fn key(&self) -> String {
        let digest = hex::encode(&Sha256::digest(self.token.as_bytes())[..8]);
        // A token begins with the bot's number (https://docs.discord.com/developers/reference#authentication).
        let first = self.token.split('.').next().unwrap_or_default();
        let number = URL_SAFE_NO_PAD.decode(first).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        match number.filter(|number| path_is_number(number)) {
            Some(number) => format!("{number}:{digest}"),
            None => digest,
        }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn outbound(&self) -> &Outbound {
        &self.outbound
    }

    /// Calls an endpoint as the bot.
    ///
    /// # Errors
    /// What Discord says, or that it says nothing.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let door = Door { outbound: &self.outbound, authorization: Some(format!("Bot {}", self.token)) };
        door.call(method, &format!("{}{path}", self.base), body).await
    }
}

/// Where answers to interactions go: their token is all that is needed
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#endpoints>).
pub(super) async fn answer(
    platforms: &Platforms,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<Value, Failure> {
    let (base, outbound) = platforms.discord();
    Door::open(outbound).call(method, &format!("{base}/api/v10{path}"), Some(body)).await
}

/// Whether a text may stand in a path as a number.
pub(super) fn path_is_number(text: &str) -> bool {
    (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a failure is the error with this number.
pub(super) fn says(failure: &Failure, code: u64) -> bool {
    failure.reason.ends_with(&numbered(code))
}

fn numbered(code: u64) -> String {
    format!("(Discord's error {code})")
}

/// An error as the API answers it: `code` and `message`, and for 429 how long to wait.
fn refusal(answer: &Answer) -> Failure {
    let (status, body) = (answer.status, answer.json());
    let code = body["code"].as_u64().unwrap_or_default();
    if status == 429 {
        let whole = if body["global"] == true { " over all" } else { "" };
        let after = body["retry_after"].as_f64().and_then(|secs| Duration::try_from_secs_f64(secs).ok());
        let after = after.unwrap_or_else(|| answer.retry_after()).clamp(PATIENCE_MIN, PATIENCE_MAX);
        let reason = format!("Discord takes no more messages{whole} for {} s", after.as_secs_f32());
        return Failure { status: Some(status), reason, remedy: Remedy::After(after) };
    }
    let said: String = body["message"].as_str().unwrap_or("no reason was given").chars().take(200).collect();
    let sentence = match (code, status) {
        (10_003, _) => "Discord knows no such channel, or the bot is not in its server: check the channel's number".to_owned(),
        (10_015 | 50_027, _) => "the webhook is not there any more: make a new one in Discord and put its address here".to_owned(),
        (50_001, _) => "the bot can't see the channel: give it the permission View Channel there".to_owned(),
        (50_013, _) => {
            "the bot may not write in the channel: give it the permissions Send Messages and Embed Links there".to_owned()
        }
        (50_083, _) => "the thread is archived: open it again in Discord".to_owned(),
        (_, 401) => "Discord does not know the bot token: reset it on the application's page Bot and put it here".to_owned(),
        (_, 500..) => format!("Discord has a failure of its own (HTTP {status})"),
        (0, _) => format!("HTTP {status}: {said}"),
        _ => said,
    };
    let reason = if code == 0 { sentence } else { format!("{sentence} {}", numbered(code)) };
    match status {
        500.. => Failure::again(Some(status), reason),
        _ => Failure::never(Some(status), reason),
    }
}
