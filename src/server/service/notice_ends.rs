//! What came of telling a channel: written down, with its consequences for the next message and for other channels.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgConnection;

use super::Services;
use super::deliver::attempts;
use super::notices::{Handed, Said, Turn};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::delivery::{Fate, Outcome};
use crate::domain::ids::{ActionId, ChannelId, DeliveryId, ProjectId};
use crate::server::db::channel_messages::{MessageState, StoredMessage, hold_statuses, put, put_list};
use crate::server::db::channels::StoredChannel;
use crate::server::db::outbox::{Notice, TakenMessage, enqueue_notice};
use crate::server::error::ServiceResult;
use crate::server::text::reveal_text;
use crate::server::{db, random};

/// After so many failures in a row another channel is told in its place.
const TELL_ANOTHER: u32 = 3;

/// That another channel did not get a message, in the body of the one that takes its place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ending {
    /// The sort and the name of the other channel.
    instead_of: String,
    /// Why it did not get it.
    reason: String,
}

impl Ending {
    /// Reads the body of a message.
    pub(super) fn of(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// The sentence that stands before the message.
    pub(super) fn lead(&self) -> String {
        format!("{} did not get this: {}.", reveal_text(&self.instead_of), reveal_text(&self.reason))
    }
}

impl Services {
    /// Writes down what came of telling a channel, with its consequences.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn record_notice(
        &self,
        taken: &TakenMessage,
        channel: ChannelId,
        turn: &Turn,
        outcome: &Outcome,
        handed: Option<&Handed>,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let fate = outcome.notice_fate(taken.failures);
        let project = taken.message.project;
        let mut tx = self.pool.begin().await?;
        db::outbox::hold(&mut tx, taken.lease, &[]).await?;
        // What the platform took is there, whoever had the lease: it has to be kept true.
        let mut has_more = false;
        if let Some(handed) = handed {
            has_more = remember(&mut tx, project, channel, &turn.about, handed, now).await?;
        }
        db::channels::note(&mut tx, channel, turn.until, outcome, now).await?;
        if db::outbox::record(&mut tx, taken.lease, outcome, fate, now).await? {
            has_more |= self.tell_others(&mut tx, taken, channel, outcome, fate, now).await?;
        } else {
            tracing::warn!(delivery.id = %taken.message.event, "telling a channel took longer than its lease");
        }
        tx.commit().await?;
        if has_more {
            self.outbox_wake.notify_one();
        }
        self.metrics.delivery(fate.as_str());
        Ok(())
    }

    /// What a failure means for the history and for the channel that hears about it. Says whether that one has mail.
    async fn tell_others(
        &self,
        conn: &mut PgConnection,
        taken: &TakenMessage,
        channel: ChannelId,
        outcome: &Outcome,
        fate: Fate,
        now: Instant,
    ) -> ServiceResult<bool> {
        let is_dead = fate == Fate::Dead;
        let is_late = outcome.is_failure() && taken.failures + 1 == TELL_ANOTHER;
        let Some(stored) = db::channels::any(conn, channel).await?.filter(|_| is_dead || is_late) else {
            return Ok(false);
        };
        let reason = outcome.reason().unwrap_or_default();
        if is_dead {
            db::audit::append(conn, &given_up(taken, &stored, reason, now)).await?;
        }
        // Once, and not on behalf of one that stands in for another already.
        let was_told = is_dead && taken.failures + 1 > TELL_ANOTHER;
        let Some(fallback) =
            stored.fallback.filter(|_| !was_told && Ending::of(&taken.message.body).is_none())
        else {
            return Ok(false);
        };
        let instead_of = format!("{} “{}”", stored.kind.label(), stored.name);
        let ending = Ending { instead_of, reason: reason.to_owned() };
        let body = serde_json::to_string(&ending).unwrap_or_default();
        let (project, action) = (taken.message.project, taken.message.action);
        let event = DeliveryId::from_uuid(random::uuid(now));
        let notice = Notice { event, project, channel: fallback, action, body: &body };
        enqueue_notice(conn, &notice, now).await?;
        Ok(true)
    }
}

/// Stores what a platform shows now. If that is not true any more, there is one more message; says whether there is.
async fn remember(
    conn: &mut PgConnection,
    project: ProjectId,
    channel: ChannelId,
    said: &Said,
    handed: &Handed,
    now: Instant,
) -> ServiceResult<bool> {
    let (reference, shown) = (handed.reference.clone(), Some(handed.shown.to_vec()));
    let stood: &[(ActionId, Status)] = match said {
        Said::Nothing => return Ok(false),
        Said::Card(action, status) => &[(*action, *status)],
        Said::List(_, stood) => stood,
    };
    // Locked before the message is stored: whoever decides does it before, and is seen here, or afterwards, and sees
    // the message.
    let ids: Vec<ActionId> = stood.iter().map(|(action, _)| *action).collect();
    let current = hold_statuses(conn, &ids).await?;
    let stood: HashMap<ActionId, Status> = stood.iter().copied().collect();
    let changed = current.into_iter().find(|(action, status)| {
        stood.get(action).is_some_and(|shown| shown != status && !is_over(*shown, *status))
    });
    match said {
        Said::Nothing => {}
        Said::Card(action, _) => {
            let message = StoredMessage { state: MessageState::Sent, reference, shown };
            put(conn, channel, *action, &message, Some(now)).await?;
        }
        Said::List(list, _) => put_list(conn, *list, reference.as_deref(), &handed.shown).await?,
    }
    let Some((action, _)) = changed else { return Ok(false) };
    let event = DeliveryId::from_uuid(random::uuid(now));
    enqueue_notice(conn, &Notice { event, project, channel, action, body: "" }, now).await?;
    Ok(true)
}

/// Whether it was shown as expired before anything noted that.
fn is_over(shown: Status, stored: Status) -> bool {
    shown == Status::Expired && stored == Status::Pending
}

/// The fact that a message to people will not be tried again.
fn given_up(taken: &TakenMessage, channel: &StoredChannel, reason: &str, now: Instant) -> AuditEvent {
    AuditEvent {
        project: taken.message.project,
        at: now,
        kind: EventKind::NoticeFailed,
        action: Some(taken.message.action),
        actor: Actor::Clock,
        channel: Channel::clock(),
        data: json!({
            "event_id": taken.message.event.to_string(), "channel_id": channel.id.to_string(),
            "type": channel.kind.as_str(), "name": channel.name, "attempts": attempts(taken), "detail": reason}),
    }
}
