//! The agent reports what came of an approved action.

use serde_json::Value;

use super::{Caller, Services};
use crate::domain::action::{Action, RunResult, Transition};
use crate::domain::ids::ActionId;
use crate::domain::payload;
use crate::domain::text::{FieldError, RESULT_MAX_BYTES};
use crate::server::db;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::{Change, ChangeKind, Signal};

/// Longest detail, in characters.
const DETAIL_MAX: u64 = 4_000;

/// What the agent says.
#[derive(Debug, Clone)]
pub struct Report {
    /// `executed` or `execute_failed`.
    pub status: Option<String>,
    /// In words.
    pub detail: Option<String>,
    /// As data.
    pub payload: Option<Value>,
}

impl Services {
    /// Stores the result of an approved action; the same report again is a success that changes nothing.
    ///
    /// # Errors
    /// If the action is not approved, another result is there, or a field breaks a rule.
    pub async fn report(&self, agent: &Caller, id: ActionId, report: Report) -> ServiceResult<Action> {
        let now = self.clock.now();
        let result = check(report, agent, now)?;
        let mut tx = self.pool.begin().await?;
        let action = db::actions::get(&mut tx, agent.project, id).await?.ok_or(ServiceError::NotFound)?;
        let Some(transition) = reported(action.clone(), agent, result.clone())? else { return Ok(action) };
        if !db::actions::store_result(&mut tx, &transition.next, now).await? {
            // Somebody reported between the look and the update; the same report is a success all the same.
            tx.rollback().await?;
            let current = self.stored_action(agent.project, id).await?.action;
            let status = current.status(now);
            return match reported(current.clone(), agent, result)? {
                None => Ok(current),
                Some(_) => Err(ServiceError::AlreadyReported(status)),
            };
        }
        db::audit::append(&mut tx, &transition.event).await?;
        let is_shown = db::outbox::enqueue_updates(&mut tx, &[id], now).await? > 0;
        let change = Change { kind: ChangeKind::Result, id };
        self.commit_and_tell(tx, Signal::Change(agent.project, change)).await?;
        if is_shown {
            self.outbox_wake.notify_one();
        }
        Ok(transition.next)
    }
}

/// What the report does to the action; nothing if it was made before.
fn reported(action: Action, agent: &Caller, result: RunResult) -> ServiceResult<Option<Transition>> {
    let editable = action.editable.clone();
    action.report(&agent.name, result).map_err(|refusal| ServiceError::refused(refusal, &editable))
}

fn check(report: Report, agent: &Caller, now: crate::domain::Instant) -> ServiceResult<RunResult> {
    let mut errors = Vec::new();
    let succeeded = match report.status.as_deref() {
        Some("executed") => true,
        Some("execute_failed") => false,
        Some(other) => {
            let text = format!("must be executed or execute_failed; {other:?} was sent.");
            errors.push(FieldError::invalid("status", text));
            false
        }
        None => {
            errors.push(FieldError::required("status", "is required: executed or execute_failed."));
            false
        }
    };
    if let Some(detail) = &report.detail {
        let sent = detail.chars().count() as u64;
        if sent > DETAIL_MAX {
            errors.push(FieldError::too_long("detail", DETAIL_MAX, sent, "characters"));
        }
        if detail.contains('\0') {
            errors.push(FieldError::invalid("detail", "holds a NUL character (U+0000). Remove it."));
        }
    }
    match &report.payload {
        Some(value @ Value::Object(_)) => {
            errors.extend(payload::check_up_to("payload", value, RESULT_MAX_BYTES).err());
        }
        Some(other) => {
            let text = format!("must be a JSON object; {} was sent.", payload::type_name(other));
            errors.push(FieldError::invalid("payload", text));
        }
        None => {}
    }
    match errors.is_empty() {
        true => Ok(RunResult {
            succeeded,
            at: now,
            by: agent.key,
            detail: report.detail,
            payload: report.payload,
        }),
        false => Err(ServiceError::Invalid(errors)),
    }
}
