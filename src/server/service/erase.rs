//! Erasing everything that people and agents wrote in a project, and keeping the history of what was decided.
//!
//! What has no content left can't be decided or run, so it is withdrawn first. Idempotency keys go too, being the
//! agent's words: one that is repeated afterwards names a new proposal, which a person decides anew.

use serde_json::json;

use super::Services;
use crate::domain::Instant;
use crate::domain::action::transition::erased_event;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db;
use crate::server::db::signals;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::{Change, ChangeKind, Signal};

/// Erased in one transaction.
const BATCH: i64 = 200;

/// What an erasure came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erased {
    /// Actions that had something to erase.
    pub actions: u64,
}

impl Services {
    /// Erases what was written in a project until now. It goes on when its caller leaves; when it breaks off, what was
    /// erased stays so, and calling it again does the rest. Calling it again when all is done changes nothing.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn erase_data(
        &self,
        project: ProjectId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Erased> {
        let services = self.clone();
        let erasing = tokio::spawn(async move { services.erase_all(project, actor, channel).await });
        erasing.await.map_err(|error| ServiceError::Internal(Box::new(error)))?
    }

    async fn erase_all(&self, project: ProjectId, actor: Actor, channel: Channel) -> ServiceResult<Erased> {
        let until = self.clock.now();
        let mut last = ActionId::from_uuid(uuid::Uuid::nil());
        let mut total = Erased::default();
        let mut erased_at = until;
        loop {
            erased_at = erased_at.max(self.clock.now());
            let (next, erased) = self.erase_batch(project, last, until, erased_at, &actor, &channel).await?;
            total.actions += erased;
            match next {
                Some(next) => last = next,
                None => break,
            }
        }
        let mut tx = self.pool.begin().await?;
        db::erasure::begin(&mut tx, project).await?;
        let data = json!({"actions": total.actions});
        let event = self.about_project(project, EventKind::GdprErase, data, actor, channel);
        // Whoever verifies looks for the record of an erasure at its instant or later.
        let event = AuditEvent { at: event.at.max(erased_at), ..event };
        db::erasure::other_events(&mut tx, project, until, event.at).await?;
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(total)
    }

    /// Erases the next actions after `last`; says where it came to, if not to the end, and how many it erased.
    async fn erase_batch(
        &self,
        project: ProjectId,
        last: ActionId,
        until: Instant,
        now: Instant,
        actor: &Actor,
        channel: &Channel,
    ) -> ServiceResult<(Option<ActionId>, u64)> {
        let mut tx = self.pool.begin().await?;
        db::erasure::begin(&mut tx, project).await?;
        let ids = db::erasure::next_actions(&mut tx, project, last, until, BATCH).await?;
        let mut heard = Vec::new();
        for id in db::actions::withdraw(&mut tx, &ids, now).await? {
            let event = erased_event(project, id, actor.clone(), channel.clone(), now);
            db::audit::append(&mut tx, &event).await?;
            let signal = Signal::Change(project, Change { kind: ChangeKind::Updated, id });
            signals::send(&mut tx, &signal.to_string()).await?;
            heard.push(signal);
        }
        let erased = db::erasure::actions(&mut tx, &ids, now).await?;
        // What channels show of them goes, too.
        let is_shown = db::outbox::enqueue_updates(&mut tx, &ids, now).await? > 0;
        tx.commit().await?;
        if is_shown {
            self.outbox_wake.notify_one();
        }
        for signal in heard {
            self.live.tell(signal);
        }
        Ok((ids.last().copied(), erased))
    }
}
