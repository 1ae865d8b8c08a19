//! How much waits at this moment, for `/metrics`.

use std::time::Duration;

use super::Services;
use crate::domain::Instant;
use crate::server::db;
use crate::server::error::ServiceResult;
use crate::server::metrics::Levels;

impl Services {
    /// Reads the levels of all projects.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn levels(&self) -> ServiceResult<Levels> {
        let now = self.clock.now();
        let age = |since: Option<Instant>| {
            since.map_or(Duration::ZERO, |since| Duration::try_from(now - since).unwrap_or_default())
        };
        let mut conn = self.pool.acquire().await?;
        let (pending, oldest) = db::listing::waiting_in_all(&mut conn, now).await?;
        let (outbox, due) = db::outbox::backlog(&mut conn).await?;
        drop(conn);
        let idle = i64::try_from(self.pool.num_idle()).unwrap_or(i64::MAX);
        Ok(Levels {
            pending,
            oldest_pending: age(oldest),
            waiters: i64::try_from(self.live.waiting()).unwrap_or(i64::MAX),
            outbox,
            outbox_age: age(due),
            pool_used: (i64::from(self.pool.size()) - idle).max(0),
            pool_idle: idle,
        })
    }
}
