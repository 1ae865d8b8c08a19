//! Messages on their way out: taken with a lease, sent by the outbox worker, and what came of it written down.

use std::collections::HashMap;

use serde_json::json;
use time::Duration;

use super::Services;
use crate::domain::Instant;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::delivery::{Fate, Outcome};
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db;
use crate::server::db::outbox::{Lease, Room, TakenMessage};
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::kept::Kept;

/// How long a taker may keep a message. Longer than any attempt takes; when it is over, the taker has crashed and
/// another server sends the message.
const LEASE: Duration = Duration::seconds(30);
/// Before another look whether what signs a callback can be opened.
const UNSEALED_AGAIN: Duration = Duration::seconds(60);
/// Sent to one host at a time by one server.
const PER_HOST: usize = 4;
/// Before another look when the database could not be reached.
const LOOK_AGAIN: Duration = Duration::SECOND;
/// So many tries whose end nobody wrote down; after one more a message is given up. Far more than failures, because a server
/// that crashes again and again, or a database that comes and goes, is no receiver's doing.
const LOST_MAX: u32 = 20;

/// What came of a try that failed before anything was sent. Only that the database is away is nobody's failure: a row that
/// can't be read stays so, and is not looked at for ever.
pub fn unsent(error: &ServiceError) -> Outcome {
    match error {
        ServiceError::Unavailable(_) => {
            Outcome::Later { after: LOOK_AGAIN, reason: "the database can't be reached".to_owned() }
        }
        _ => Outcome::Failed { status: None, reason: "this server failed, and its log says how".to_owned() },
    }
}

/// That a message is given up because whoever sent it did not live to say what came of it, if that happened too often.
pub fn lost(taken: &TakenMessage) -> Option<Outcome> {
    (taken.lost > LOST_MAX).then(|| Outcome::Refused {
        reason: format!("{} tries ended before it was written down what came of them", taken.lost),
    })
}

/// How many callbacks and how many messages to people are being sent.
pub(crate) fn by_lane(sending: &HashMap<String, usize>) -> (usize, usize) {
    let people: usize = sending.iter().filter(|(host, _)| is_of_people(host)).map(|(_, count)| *count).sum();
    (sending.values().sum::<usize>() - people, people)
}

/// Whether a host stands for a channel or a device, as in the query that takes what is due.
fn is_of_people(host: &str) -> bool {
    host.starts_with("channel:")
}

impl Services {
    /// Whether a host that is sent this many gets no more for now.
    pub fn is_host_full(host: &str, sending: usize) -> bool {
        // As the query that takes them counts: messages of a channel go one after the other.
        sending >= if is_of_people(host) { 1 } else { PER_HOST }
    }

    /// Takes what is due, so that up to `most` callbacks and as many messages to people are being sent, and no more to one
    /// host than it should be sent at a time.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn take_due_messages(
        &self,
        most: usize,
        sending: &HashMap<String, usize>,
    ) -> ServiceResult<Vec<TakenMessage>> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let (callbacks, people) = by_lane(sending);
        let room = Room {
            callbacks: most.saturating_sub(callbacks),
            people: most.saturating_sub(people),
            per_host: PER_HOST,
            sending,
        };
        Ok(db::outbox::take_due(&mut conn, &room, now, now + LEASE).await?)
    }

    /// What a callback is signed with.
    ///
    /// # Errors
    /// If it can't be opened, what becomes of the callback: it waits, as long as it takes. The receiver has no part in
    /// that, so it counts as no failure and nothing is given up because of it.
    pub fn callback_secret(&self, taken: &TakenMessage) -> Result<String, Outcome> {
        let (what, project) = (Kept::WebhookSecret, taken.message.project);
        let opened = self.open_kept(what, what.place(project.uuid()), &taken.secret);
        self.complaints.note(what, opened.as_ref().err());
        opened.map_err(|_| {
            let reason = format!(
                "{} can't be opened by this server; it waits until impri secrets status finds nothing wrong",
                what.name()
            );
            Outcome::Later { after: UNSEALED_AGAIN, reason }
        })
    }

    /// Writes down what came of an attempt, with its consequences; nothing if the message is not ours any more.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn record_attempt(&self, taken: &TakenMessage, outcome: &Outcome) -> ServiceResult<()> {
        let now = self.clock.now();
        let fate = outcome.fate(taken.failures);
        let mut tx = self.pool.begin().await?;
        if !db::outbox::record(&mut tx, taken.lease, outcome, fate, now).await? {
            tracing::warn!(delivery.id = %taken.message.event, "a delivery took longer than its lease");
            return Ok(());
        }
        match fate {
            Fate::Gone => {
                db::actions::drop_callback(&mut tx, taken.message.action, &taken.message.target).await?;
            }
            Fate::Dead => db::audit::append(&mut tx, &given_up(taken, outcome, now)).await?,
            Fate::Delivered | Fate::Retry(_) => {}
        }
        tx.commit().await?;
        self.metrics.delivery(fate.as_str());
        Ok(())
    }

    /// Lets other servers have messages that were taken and will not be sent, and speak to their channels.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn release_messages(&self, leases: &[Lease]) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        db::outbox::release(&mut tx, leases).await?;
        db::outbox::end_turns(&mut tx, leases).await?;
        Ok(tx.commit().await?)
    }

    /// How long nothing that waits becomes due; none if nothing waits.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn until_next_message(&self) -> ServiceResult<Option<std::time::Duration>> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let next = db::outbox::next_due(&mut conn, now).await?;
        Ok(next.map(|at| std::time::Duration::try_from(at - now).unwrap_or_default()))
    }

    /// Sends the latest message about an action once more, with the same event id, if it was delivered or given up.
    /// Says whether there was one.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn replay_message(
        &self,
        project: ProjectId,
        action: ActionId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<bool> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        let Some(replayed) = db::outbox::requeue(&mut tx, project, action, now).await? else {
            return Ok(false);
        };
        let event = AuditEvent {
            project,
            at: now,
            kind: EventKind::DeliveryReplayed,
            action: Some(action),
            actor,
            channel,
            data: json!({"event_id": replayed.event.to_string(), "host": replayed.host}),
        };
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        self.outbox_wake.notify_one();
        Ok(true)
    }
}

/// How often a message was tried that is given up now.
pub(super) fn attempts(taken: &TakenMessage) -> u32 {
    taken.failures + taken.lost + u32::from(lost(taken).is_none())
}

/// The fact that a message will not be tried again. It names the host only: the rest of an address may be a secret.
fn given_up(taken: &TakenMessage, outcome: &Outcome, now: Instant) -> AuditEvent {
    AuditEvent {
        project: taken.message.project,
        at: now,
        kind: EventKind::DeliveryFailed,
        action: Some(taken.message.action),
        actor: Actor::Clock,
        channel: Channel::clock(),
        data: json!({
            "event_id": taken.message.event.to_string(), "host": taken.host, "attempts": attempts(taken),
            "last_status": outcome.status(), "detail": outcome.reason()}),
    }
}
