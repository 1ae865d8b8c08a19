//! Slack's Web API: a method, its arguments as JSON, and `ok` with what it answers or `error` with a word for what is wrong
//! (<https://docs.slack.dev/apis/web-api/>).

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::Value;

use crate::server::notify::outbound::{Answer, Outbound, header};
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::platforms::Platforms;

/// The API with a token. It holds a secret, so it does not show itself.
#[derive(Clone)]
pub(super) struct Api {
    token: String,
    base: String,
    outbound: Outbound,
}

/// What Slack did not do.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Slack's word for it; empty if there was no answer.
    pub(super) code: String,
    /// The same for people.
    pub(super) failure: Failure,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { code: String::new(), failure }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        refusal.failure
    }
}

impl Api {
    /// The API as the bot or the app with this token.
    pub(super) fn new(token: &str, platforms: &Platforms) -> Self {
        let (base, outbound) = platforms.slack();
        Self { token: token.to_owned(), base: base.to_owned(), outbound: outbound.clone() }
    }

    /// The client that the API is reached by.
    pub(super) fn outbound(&self) -> &Outbound {
        &self.outbound
    }

    /// Calls a method.
    pub(super) async fn call(&self, method: &str, arguments: &Value) -> Result<Value, Refusal> {
        self.post(method, "application/json; charset=utf-8", arguments.to_string()).await
    }

    /// Calls a method that only reads: these take no JSON.
    pub(super) async fn read(&self, method: &str, arguments: &[(&str, &str)]) -> Result<Value, Refusal> {
        let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(arguments).finish();
        self.post(method, "application/x-www-form-urlencoded", form).await
    }

    async fn post(&self, method: &str, content: &str, body: String) -> Result<Value, Refusal> {
        let address = format!("{}/api/{method}", self.base);
        let mut headers = HeaderMap::from_iter([header("content-type", content)]);
        if let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", self.token)) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let answer = self.outbound.call(&address, headers, body).await?;
        let said = answer.json();
        match said["ok"].as_bool() {
            Some(true) => Ok(said),
            _ if answer.status == 429 => Err(limited(&answer)),
            Some(false) => Err(refusal(&answer, &said)),
            None => {
                let reason = format!("HTTP {} without an answer of Slack's API", answer.status);
                Err(Failure::again(Some(answer.status), reason).into())
            }
        }
    }
}

/// Too much was sent (<https://docs.slack.dev/apis/web-api/rate-limits/>).
fn limited(answer: &Answer) -> Refusal {
    let after = answer.retry_after();
    let reason = format!("Slack asks to wait {} s", after.as_secs());
    let failure = Failure { status: Some(429), reason, remedy: Remedy::After(after) };
    Refusal { code: "ratelimited".to_owned(), failure }
}

fn refusal(answer: &Answer, said: &Value) -> Refusal {
    let code: String = said["error"].as_str().unwrap_or("unknown").chars().take(100).collect();
    if code == "ratelimited" || code == "rate_limited" {
        return limited(answer);
    }
    let (remedy, reason) = explain(&code, said);
    Refusal { failure: Failure { status: Some(answer.status), reason, remedy }, code }
}

/// What a code means and what helps. The codes are those of `chat.postMessage`, `chat.update`, `auth.test`,
/// `conversations.info`, `views.open` and `apps.connections.open`
/// (<https://docs.slack.dev/reference/methods/chat.postMessage/#errors> and beside it).
fn explain(code: &str, said: &Value) -> (Remedy, String) {
    let never = |text: &str| (Remedy::Never, format!("{text} ({code})"));
    match code {
        "invalid_auth" | "not_authed" | "token_revoked" | "token_expired" | "account_inactive" => {
            never("Slack does not accept the token: install the app again and paste its new token")
        }
        "not_allowed_token_type" => {
            never("this token is of the wrong sort: the bot's is xoxb-, the app's xapp-")
        }
        "missing_scope" | "no_permission" => {
            let needed = said["needed"].as_str().unwrap_or("chat:write");
            let needed: String = needed.chars().take(100).collect();
            never(&format!(
                "the app lacks the scope {needed}: add it under OAuth & Permissions and install the app again"
            ))
        }
        "channel_not_found" => never(
            "the channel is not there for the app: check its ID, and write /invite @ and the app's name in it",
        ),
        "not_in_channel" => never("the app is not in the channel: write /invite @ and the app's name in it"),
        "is_archived" => never("the channel is archived"),
        "restricted_action" | "restricted_action_read_only_channel" => {
            never("the workspace does not let the app write in this channel: ask who runs it")
        }
        "msg_too_long" | "msg_blocks_too_long" => never("the message is too long for Slack"),
        "cant_update_message" => {
            never("the message was sent by another app and can't be changed by this one")
        }
        "edit_window_closed" => never("the workspace does not let messages be changed after so long"),
        "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        | "team_added_to_org" => (Remedy::Again, format!("Slack has a problem of its own ({code})")),
        _ => {
            let more = said["response_metadata"]["messages"][0].as_str().unwrap_or_default();
            let reason = format!("Slack says {code} {more}");
            (Remedy::Never, reason.trim_end().to_owned())
        }
    }
}
