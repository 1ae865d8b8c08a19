//! What the agent's side does to an action besides proposing and reporting: take the permission to run it, or
//! withdraw it.

use super::{Caller, Services};
use crate::domain::action::{Action, Claim, Status};
use crate::domain::ids::ActionId;
use crate::domain::scope::Scope;
use crate::server::db;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::{Change, ChangeKind, Signal};

impl Services {
    /// Takes the one permission to run an approved action: of many callers one gets it.
    ///
    /// # Errors
    /// If the action is not approved, was claimed before, or its approval is too old.
    pub async fn claim(&self, executor: &Caller, id: ActionId) -> ServiceResult<Action> {
        let claim = Claim { at: self.clock.now(), by: executor.key };
        let mut tx = self.pool.begin().await?;
        let action = db::actions::get(&mut tx, executor.project, id).await?.ok_or(ServiceError::NotFound)?;
        let transition = action
            .claim(&executor.name, claim.clone())
            .map_err(|refusal| ServiceError::refused(refusal, &[]))?;
        if !db::actions::store_claim(&mut tx, id, &claim).await? {
            // Somebody was faster between the look and the update.
            tx.rollback().await?;
            let current = self.stored_action(executor.project, id).await?.action;
            return match current.claim(&executor.name, claim) {
                Err(refusal) => Err(ServiceError::refused(refusal, &[])),
                Ok(_) => Err(ServiceError::Internal("an approval was neither claimed nor claimable".into())),
            };
        }
        db::audit::append(&mut tx, &transition.event).await?;
        let change = Change { kind: ChangeKind::Updated, id };
        self.commit_and_tell(tx, Signal::Change(executor.project, change)).await?;
        Ok(transition.next)
    }

    /// Withdraws a pending action. Withdrawing it again is a success that changes nothing.
    ///
    /// # Errors
    /// If the caller did not propose it, or it is past deciding.
    pub async fn cancel(&self, agent: &Caller, id: ActionId) -> ServiceResult<Action> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        let action = db::actions::get(&mut tx, agent.project, id).await?.ok_or(ServiceError::NotFound)?;
        if action.proposed_by != agent.key && !agent.scopes.allow(Scope::Admin) {
            return Err(ServiceError::NotTheProposer);
        }
        if action.status(now) == Status::Cancelled {
            return Ok(action);
        }
        let winner = super::decide::winner(&action);
        let pending =
            action.into_pending(now).map_err(|status| ServiceError::NotPending { status, winner })?;
        let transition = pending.cancel(agent.key, &agent.name, now);
        if !db::actions::leave_pending(&mut tx, id, Status::Cancelled, now).await? {
            tx.rollback().await?;
            return Err(self.lost(agent.project, id).await?);
        }
        db::audit::append(&mut tx, &transition.event).await?;
        let has_mail = super::decide::enqueue(&mut tx, &transition.next, now).await?;
        let change = Change { kind: ChangeKind::Updated, id };
        self.commit_and_tell(tx, Signal::Change(agent.project, change)).await?;
        if has_mail {
            self.outbox_wake.notify_one();
        }
        Ok(transition.next)
    }
}
