//! What each tool does: read the arguments, call the REST API, put the answer into words. Knows nothing of MCP.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answers::{InboxStatus, Pushed, Reported, Standing};
use super::arguments::{self, Nothing, OneAction, Push, Report};
use super::client::Client;
use super::refusals::{self, Asked};
use super::repeats::{Repeats, likeness};
use super::road::{Answer, Lost};
use super::seen::{Seen, SeenPage};
use super::wait::{self, Waited};
use super::words;
use crate::domain::ids::ActionId;
use crate::server::random;

/// How many waiting actions are counted.
const COUNTED: u8 = 50;

/// What a tool ended with.
pub(super) enum Outcome {
    /// It did what it is for: in words, and as data.
    Done { text: String, data: Value },
    /// It did not; a sentence on why, and what to do.
    Failed(String),
}

/// A tool's way of ending early.
type Told<T> = Result<T, String>;

impl Outcome {
    /// For programs and models alike: the data itself is the text.
    fn data(answer: &impl Serialize) -> Self {
        let data = as_json(answer);
        Self::Done { text: data.to_string(), data }
    }

    fn said(text: String, answer: &impl Serialize) -> Self {
        Self::Done { text, data: as_json(answer) }
    }
}

impl From<Told<Outcome>> for Outcome {
    fn from(told: Told<Outcome>) -> Self {
        told.unwrap_or_else(Outcome::Failed)
    }
}

/// `impri_push_action`.
pub(super) async fn push(client: &Client, repeats: &Repeats, sent: Map<String, Value>) -> Told<Outcome> {
    let proposal: Push = arguments::read(sent)?;
    let mut proposal = as_json(&proposal);
    let mut mark = None;
    if client.may_lose_answers() && proposal.get("idempotency_key").is_none() {
        let likeness = likeness(&proposal);
        if let Some(waiting) = still_waiting(client, repeats, &likeness).await {
            return Ok(Outcome::data(&Pushed::of(waiting)));
        }
        proposal["idempotency_key"] = format!("mcp_{}", random::token()).into();
        mark = Some(likeness);
    }
    let answer = accept(client, Asked::Push, client.propose(&proposal).await, &[200, 201])?;
    let seen = read(Asked::Push, &answer)?;
    if let (Some(likeness), Ok(id)) = (mark, seen.id.parse()) {
        repeats.remember(likeness, id);
    }
    Ok(Outcome::data(&Pushed::of(seen)))
}

/// The same proposal, if it was made before and still waits.
async fn still_waiting(client: &Client, repeats: &Repeats, likeness: &[u8; 32]) -> Option<Seen> {
    let answer = client.read(repeats.recall(likeness)?).await.ok()?;
    let seen = Seen::read(&answer.body)?;
    if seen.is_pending() {
        return Some(Seen { duplicate_of: Some(seen.id.clone()), ..seen });
    }
    repeats.forget(likeness);
    None
}

/// `impri_await_decision`, after its arguments were read.
pub(super) async fn await_decision(client: &Client, id: ActionId, hold: Duration) -> Outcome {
    match wait::for_decision(client, id, hold).await {
        Waited::Seen(seen) => Outcome::data(&Standing::of(*seen)),
        Waited::Refused(answer) => Outcome::Failed(refusals::refused(Asked::Await, &answer)),
        Waited::Lost(lost) => {
            Outcome::Failed(words::unreachable_wait(client.place(), lost.why(), &id.to_string()))
        }
    }
}

/// `impri_claim_action`.
pub(super) async fn claim(client: &Client, sent: Map<String, Value>) -> Told<Outcome> {
    let OneAction { action_id } = arguments::read(sent)?;
    let id = arguments::read_id(&action_id)?;
    let answer = accept(client, Asked::Claim, client.claim(id).await, &[200])?;
    Ok(Outcome::data(&Standing::claimed(read(Asked::Claim, &answer)?)))
}

/// `impri_report_result`.
pub(super) async fn report(client: &Client, sent: Map<String, Value>) -> Told<Outcome> {
    let Report { action_id, status, detail, payload } = arguments::read(sent)?;
    let id = arguments::read_id(&action_id)?;
    let mut report = json!({"status": status});
    for (name, value) in [("detail", detail.map(Value::from)), ("payload", payload)] {
        if let Some(value) = value {
            report[name] = value;
        }
    }
    let answer = accept(client, Asked::Report, client.report(id, &report).await, &[200])?;
    let stored = answer.body.get("status").and_then(Value::as_str).unwrap_or(&status).to_owned();
    let text = format!("Reported {id} as {stored}; the person who approved it sees that.");
    Ok(Outcome::said(text, &Reported { action_id: id.to_string(), status: stored }))
}

/// `impri_cancel_action`.
pub(super) async fn cancel(client: &Client, sent: Map<String, Value>) -> Told<Outcome> {
    let OneAction { action_id } = arguments::read(sent)?;
    let id = arguments::read_id(&action_id)?;
    let answer = accept(client, Asked::Cancel, client.cancel(id).await, &[200])?;
    let standing = Standing::of(read(Asked::Cancel, &answer)?);
    Ok(Outcome::said(format!("Withdrew {id}. {}", standing.next), &standing))
}

/// `impri_inbox_status`.
pub(super) async fn inbox_status(client: &Client, sent: Map<String, Value>) -> Told<Outcome> {
    let Nothing {} = arguments::read(sent)?;
    let answer = accept(client, Asked::Status, client.pending(COUNTED).await, &[200])?;
    let page: SeenPage = serde::Deserialize::deserialize(&answer.body)
        .map_err(|_| refusals::refused(Asked::Status, &answer))?;
    let status = InboxStatus::of(page.items, page.has_more);
    Ok(Outcome::said(status.lines(), &status))
}

/// The answer, if it has one of these statuses.
fn accept(client: &Client, asked: Asked, came: Result<Answer, Lost>, fits: &[u16]) -> Told<Answer> {
    match came {
        Ok(answer) if fits.contains(&answer.status) => Ok(answer),
        Ok(answer) => Err(refusals::refused(asked, &answer)),
        Err(lost) => Err(refusals::lost(asked, client.place(), &lost)),
    }
}

/// The action in an answer. Something that answers 200 without one is no Impri.
fn read(asked: Asked, answer: &Answer) -> Told<Seen> {
    Seen::read(&answer.body).ok_or_else(|| refusals::refused(asked, answer))
}

fn as_json(value: &impl Serialize) -> Value {
    // These types have string keys and no floats, which is all that could fail.
    serde_json::to_value(value).unwrap_or_default()
}
