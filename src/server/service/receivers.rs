//! Checkpoints for receivers outside: which are next, and what came of sending them.
//!
//! What a receiver has is noted after it took it, so after a crash it may get the last one again, and never misses one.

use super::Services;
use crate::domain::delivery::Outcome;
use crate::server::db;
use crate::server::db::checkpoints::StoredCheckpoint;
use crate::server::db::receivers::{Holding, ReceiverState};
use crate::server::error::ServiceResult;

/// Checkpoints that are read at a time.
const BATCH: i64 = 100;
/// How long a server holds a receiver without a word: much longer than one request takes.
const LEASE: time::Duration = time::Duration::minutes(1);
/// A receiver that nobody sends to any more is no longer shown after this time.
const SHOWN: time::Duration = time::Duration::minutes(10);

impl Services {
    /// The next checkpoints for a receiver, in the order of each chain; nothing if another server sends to it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn checkpoints_for(&self, held: &Holding) -> ServiceResult<Option<Vec<StoredCheckpoint>>> {
        let mut conn = self.pool.acquire().await?;
        let now = self.clock.now();
        if !db::receivers::take(&mut conn, held, now, now + LEASE).await? {
            return Ok(None);
        }
        let known = db::receivers::known(&mut conn, held).await?;
        Ok(Some(db::checkpoints::beyond(&mut conn, &known, BATCH).await?))
    }

    /// Notes what came of sending one. Whether the next one may be sent: it arrived, and this server still holds the
    /// receiver.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn record_checkpoint(
        &self,
        held: &Holding,
        checkpoint: &StoredCheckpoint,
        outcome: &Outcome,
    ) -> ServiceResult<bool> {
        let mut conn = self.pool.acquire().await?;
        let now = self.clock.now();
        let reason = match outcome {
            Outcome::Delivered { .. } => {
                db::receivers::took(&mut conn, held, checkpoint, now).await?;
                return Ok(db::receivers::take(&mut conn, held, now, now + LEASE).await?);
            }
            Outcome::Gone { status } => format!("HTTP {status}"),
            Outcome::Failed { reason, .. }
            | Outcome::Refused { reason }
            | Outcome::Later { reason, .. }
            | Outcome::Skipped { reason } => reason.clone(),
        };
        db::receivers::failed(&mut conn, held, &reason, now).await?;
        Ok(false)
    }

    /// Lets another server send to a receiver.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn release_receiver(&self, held: &Holding) -> ServiceResult<()> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::receivers::release(&mut conn, held).await?)
    }

    /// How the receivers do that some server sends to.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn receivers(&self) -> ServiceResult<Vec<ReceiverState>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::receivers::states(&mut conn, self.clock.now() - SHOWN).await?)
    }
}
