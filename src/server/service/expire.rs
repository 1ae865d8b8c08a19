//! Time passes: actions that nobody decided get their end, their event and their callback.
//!
//! Nothing depends on this being quick. A pending action counts as expired from its second on wherever it is read;
//! this only writes it down.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Services;
use crate::domain::ids::DeliveryId;
use crate::server::db::outbox::OutboxMessage;
use crate::server::db::signals;
use crate::server::error::ServiceResult;
use crate::server::live::{Change, ChangeKind, Signal};
use crate::server::notify::callback;
use crate::server::{db, random};

/// How many are written down in one transaction.
const BATCH: i64 = 200;
/// A proposal waits 300 s at least, so looking this often sees each deadline before it comes.
const LOOK_EVERY: Duration = Duration::from_mins(1);

impl Services {
    /// Writes down every action whose time is over; says how many.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn expire_due(&self) -> ServiceResult<usize> {
        let mut total = 0;
        loop {
            let now = self.clock.now();
            let mut tx = self.pool.begin().await?;
            let expired = db::expiring::expire_due(&mut tx, now, BATCH).await?;
            db::expiring::note_expired(&mut tx, &expired).await?;
            let ids: Vec<_> = expired.iter().map(|action| action.id).collect();
            let mut has_mail = db::outbox::enqueue_updates(&mut tx, &ids, now).await? > 0;
            let mut heard = Vec::with_capacity(expired.len());
            for action in &expired {
                if let Some(target) = &action.callback_url {
                    let event = DeliveryId::from_uuid(random::uuid(now));
                    let message = OutboxMessage {
                        event,
                        project: action.project,
                        action: action.id,
                        target: target.clone(),
                        body: callback::expired_body(action.id, event),
                    };
                    db::outbox::enqueue_callback(&mut tx, &message, now).await?;
                    has_mail = true;
                }
                let change = Change { kind: ChangeKind::Expired, id: action.id };
                let signal = Signal::Change(action.project, change);
                signals::send(&mut tx, &signal.to_string()).await?;
                heard.push(signal);
            }
            tx.commit().await?;
            for signal in heard {
                self.live.tell(signal);
            }
            if has_mail {
                self.outbox_wake.notify_one();
            }
            total += expired.len();
            self.metrics.expired(expired.len() as u64);
            if expired.is_empty() {
                return Ok(total);
            }
        }
    }

    /// Writes down expiries as they come, until `stop` is cancelled.
    pub async fn run_expiry(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let pause = match self.expire_and_look().await {
                Ok(pause) => pause,
                Err(error) => {
                    error.log();
                    Duration::from_secs(1)
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Expires what is due and says how long nothing will be.
    async fn expire_and_look(&self) -> ServiceResult<Duration> {
        self.expire_due().await?;
        let mut conn = self.pool.acquire().await?;
        let next = db::expiring::next_expiry(&mut conn).await?;
        let until = next.map(|at| Duration::try_from(at - self.clock.now()).unwrap_or_default());
        Ok(until.map_or(LOOK_EVERY, |until| until.clamp(Duration::from_millis(50), LOOK_EVERY)))
    }
}
