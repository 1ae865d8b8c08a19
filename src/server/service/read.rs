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
        let known = self.live.pending(id).filter(|action| action.project == project);
        if let Some(action) = known.filter(|action| action.status(self.clock.now()) == Status::Pending) {
            return Ok(Viewed { action: (*action).clone(), delivery: None });
        }
        self.stored_action(project, id).await
    }

    /// The same, from the database whatever is remembered: for whoever has just learned that something happened.
    pub(super) async fn stored_action(&self, project: ProjectId, id: ActionId) -> ServiceResult<Viewed> {
        let ticket = self.live.ticket();
        let mut conn = self.pool.acquire().await?;
        let action = db::actions::get(&mut conn, project, id).await?.ok_or(ServiceError::NotFound)?;
        // A receiver that is gone took the address with it, so the address says nothing about what was sent.
        let delivery = match &action.state {
            ActionState::Pending => None,
            _ => db::outbox::latest(&mut conn, id).await?,
        };
        if matches!(action.state, ActionState::Pending) {
            self.live.remember(ticket, Arc::new(action.clone()));
        }
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
        loop {
            // Heard from here on, so that nothing falls between the look and the wait.
            let changed = place.changed();
            let viewed = self.action(project, id).await?;
            let now = self.clock.now();
            if viewed.action.status(now) != Status::Pending || stop.is_cancelled() {
                return Ok(viewed);
            }
            let until_expiry = Duration::try_from(viewed.action.expires_at - now).unwrap_or_default();
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(until_expiry) => {}
                () = tokio::time::sleep_until(deadline) => return Ok(viewed),
                () = stop.cancelled() => return Ok(viewed),
            }
        }
    }
}
