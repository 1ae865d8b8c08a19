//! Reading one action, at once or when it leaves `pending`.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::domain::action::{Action, ActionState, Status};
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db;
use crate::server::db::outbox::DeliveryState;
use crate::server::error::{ServiceError, ServiceResult};

/// An action with what is read beside it.
#[derive(Debug)]
pub struct Viewed {
    /// The action.
    pub action: Action,
    /// Its callback, if it asked for one and there was something to send.
    pub delivery: Option<DeliveryState>,
}

impl Services {
    /// One action of a project.
    ///
    /// # Errors
    /// If the project has no such action.
    pub async fn action(&self, project: ProjectId, id: ActionId) -> ServiceResult<Viewed> {
        if let Some(viewed) = self.remembered_action(project, id) {
            return Ok(viewed);
        }
        let ticket = self.live.ticket();
        let viewed = self.stored_action(project, id).await?;
        if matches!(viewed.action.state, ActionState::Pending) {
            self.live.remember(ticket, Arc::new(viewed.action.clone()));
        }
        Ok(viewed)
    }

    /// The same without a look at the database, if it waits and is remembered.
    fn remembered_action(&self, project: ProjectId, id: ActionId) -> Option<Viewed> {
        let known = self.live.pending(id).filter(|action| action.project == project)?;
        let waits = known.status(self.clock.now()) == Status::Pending;
        waits.then(|| Viewed { action: (*known).clone(), delivery: None })
    }

    /// The same, from the database whatever is remembered: for whoever has just learned that something happened.
    pub(super) async fn stored_action(&self, project: ProjectId, id: ActionId) -> ServiceResult<Viewed> {
        let mut conn = self.pool.acquire().await?;
        let action = db::actions::get(&mut conn, project, id).await?.ok_or(ServiceError::NotFound)?;
        // A receiver that is gone took the address with it, so the address says nothing about what was sent.
        let delivery = match &action.state {
            ActionState::Pending => None,
            _ => db::outbox::latest(&mut conn, id).await?,
        };
        Ok(Viewed { action, delivery })
    }

    /// One action, read when it leaves `pending`, when `wait` is over or when `stop` is cancelled, whichever comes
    /// first. No connection is held meanwhile. That it still waits is a success; giving up the call withdraws nothing.
    ///
    /// # Errors
    /// If the project has no such action.
    pub async fn action_when_decided(
        &self,
        project: ProjectId,
        id: ActionId,
        wait: Duration,
        stop: &CancellationToken,
    ) -> ServiceResult<Viewed> {
        let deadline = tokio::time::Instant::now() + wait;
        let place = self.live.wait_for(id);
        let mut is_over = wait.is_zero();
        while !is_over {
            // Heard from here on, so that nothing falls between the look and the wait.
            let changed = place.changed();
            // Whoever waits asks seldom, so that nothing is remembered for them; and ten thousand of them hold
            // ten thousand times what is held here, so that the action is read anew at the end.
            let until_expiry = {
                let viewed = match self.remembered_action(project, id) {
                    Some(viewed) => viewed,
                    None => self.stored_action(project, id).await?,
                };
                let now = self.clock.now();
                if viewed.action.status(now) != Status::Pending {
                    return Ok(viewed);
                }
                Duration::try_from(viewed.action.expires_at - now).unwrap_or_default()
            };
            is_over = tokio::select! {
                () = changed => false,
                () = tokio::time::sleep(until_expiry) => false,
                () = tokio::time::sleep_until(deadline) => true,
                () = stop.cancelled() => true,
            };
        }
        self.action(project, id).await
    }
}
