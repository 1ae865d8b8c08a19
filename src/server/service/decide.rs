//! A person, or a program that decides for people, says yes or no.
//!
//! This is the only code that decides. Who may, what may be edited and whether it is still time is judged by the
//! domain on the row, and the update that follows repeats the judgement, so that of many deciders one wins.

use std::time::Duration;

use sqlx::PgConnection;

use super::Services;
use crate::domain::action::{Action, Intent, Status};
use crate::domain::decision::Decider;
use crate::domain::ids::{ActionId, DeliveryId, ProjectId};
use crate::server::db::outbox::OutboxMessage;
use crate::server::error::{ServiceError, ServiceResult, Winner};
use crate::server::live::{Change, ChangeKind, Signal};
use crate::server::notify::callback;
use crate::server::{db, random};

impl Services {
    /// Decides an action.
    ///
    /// # Errors
    /// Nothing is decided if the decider is a person whose role does not allow it, there is no such action, it is past deciding (with who decided), the decider was shown
    /// other content or proposed it, or an edit is not allowed.
    pub async fn decide(
        &self,
        project: ProjectId,
        decider: Decider,
        id: ActionId,
        intent: Intent,
    ) -> ServiceResult<Action> {
        // Read before the transaction holds a connection. Without a key there is no receipt, so nothing is decided.
        let keys = self.receipt_keys().await?;
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::hold_right(&mut tx, project, &decider).await?;
        let action = db::actions::get(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        let policy = db::projects::policy(&mut tx, project).await?;
        let editable = action.editable.clone();
        let winner = winner(&action);
        let pending =
            action.into_pending(now).map_err(|status| ServiceError::NotPending { status, winner })?;
        let transition = pending
            .decide(policy, decider, intent, now)
            .map_err(|refusal| ServiceError::refused(refusal, &editable))?;
        let next = self.with_receipt(transition.next, &keys)?;
        if !db::actions::leave_pending(&mut tx, id, next.status(now), now).await? {
            tx.rollback().await?;
            return Err(self.lost(project, id).await?);
        }
        if let Some(decision) = next.decision() {
            db::decisions::insert(&mut tx, id, decision).await?;
        }
        db::audit::append(&mut tx, &transition.event).await?;
        let has_mail = enqueue(&mut tx, &next, now).await?;
        let change = Change { kind: ChangeKind::Decided, id };
        self.commit_and_tell(tx, Signal::Change(project, change)).await?;
        if let Some(decision) = next.decision() {
            let after = Duration::try_from(now - next.created_at).unwrap_or_default();
            self.metrics.decided(decision, after);
        }
        if has_mail {
            self.outbox_wake.notify_one();
        }
        Ok(next)
    }

    /// Why the update found nothing to decide: somebody was faster, or time was.
    pub(super) async fn lost(&self, project: ProjectId, id: ActionId) -> ServiceResult<ServiceError> {
        let current = self.stored_action(project, id).await?.action;
        let status = current.status(self.clock.now());
        Ok(match status {
            Status::Pending => ServiceError::Internal("an action was pending and not decidable".into()),
            _ => ServiceError::NotPending { status, winner: winner(&current) },
        })
    }
}

pub(super) fn winner(action: &Action) -> Option<Winner> {
    action
        .decision()
        .map(|decision| Winner { name: decision.decider.name().to_owned(), at: decision.decided_at })
}

/// Writes what has to leave because of an action's new state: the callback, if it asked for one, and a message to every
/// channel that shows it. Says whether there is something.
pub(super) async fn enqueue(
    conn: &mut PgConnection,
    action: &Action,
    now: crate::domain::Instant,
) -> ServiceResult<bool> {
    let is_shown = db::outbox::enqueue_updates(conn, &[action.id], now).await? > 0;
    let Some(target) = &action.callback_url else { return Ok(is_shown) };
    let event = DeliveryId::from_uuid(random::uuid(now));
    let message = OutboxMessage {
        event,
        project: action.project,
        action: action.id,
        target: target.clone(),
        body: callback::body(action, event, now),
    };
    db::outbox::enqueue_callback(conn, &message, now).await?;
    Ok(true)
}
