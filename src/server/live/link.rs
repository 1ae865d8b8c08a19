//! The connection that hears the signals of all servers, and the bundle of announced proposals.

use std::future::Future;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Change, ChangeKind, Live, Signal};
use crate::domain::ids::ActionId;
use crate::server::db::signals;

/// New proposals are announced at most this often.
const ANNOUNCE_EVERY: Duration = Duration::from_millis(150);
/// How long to wait before another try to reach the database.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// How long the connection may say nothing. What lies between a server and its database may drop a connection that is idle,
/// and tell neither; so after `quiet` it is asked whether it is there, and lost if it is silent for `answer`.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Before it is asked.
    pub quiet: Duration,
    /// For every answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { quiet: Duration::from_secs(10), answer: Duration::from_secs(5) }
    }
}

/// Listens and announces until `stop` is cancelled.
pub async fn run(live: &Live, pool: &PgPool, patience: Patience, stop: &CancellationToken) {
    tokio::select! {
        () = listen(live, pool, patience) => {}
        () = announce(live, pool) => {}
        () = stop.cancelled() => {}
    }
}

async fn listen(live: &Live, pool: &PgPool, patience: Patience) {
    loop {
        if let Err(error) = listen_once(live, pool, patience).await {
            tracing::warn!(%error, "not listening to other servers; trying again");
        }
        live.is_linked.store(false, Ordering::SeqCst);
        // Whoever waits finds out from the database whether they missed something, or that it can't be reached.
        live.resync();
        tokio::time::sleep(RETRY_AFTER).await;
    }
}

/// Returns when the connection is lost.
async fn listen_once(live: &Live, pool: &PgPool, patience: Patience) -> Result<(), sqlx::Error> {
    let mut listener = answered(patience, async {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(signals::CHANNEL).await?;
        Ok(listener)
    })
    .await?;
    // From here on nothing is missed; what happened before is read now.
    live.is_linked.store(true, Ordering::SeqCst);
    live.resync();
    loop {
        match timeout(patience.quiet, listener.try_recv()).await {
            Ok(Ok(Some(notification))) => {
                // A newer server may send kinds that this one does not know.
                if let Ok(signal) = notification.payload().parse() {
                    live.tell(signal);
                }
            }
            Ok(lost) => return lost.map(drop),
            Err(_) => answered(patience, signals::listen_on(&mut listener)).await?,
        }
    }
}

/// What the database answers, if it does in time.
async fn answered<T>(
    patience: Patience,
    asked: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    timeout(patience.answer, asked).await.unwrap_or_else(|late| Err(sqlx::Error::Io(late.into())))
}

async fn announce(live: &Live, pool: &PgPool) {
    loop {
        live.proposed_wake.notified().await;
        tokio::time::sleep(ANNOUNCE_EVERY).await;
        for project in live.take_proposed() {
            // Which action is new does not matter: a list is read again as a whole.
            let change = Change { kind: ChangeKind::Created, id: ActionId::from_uuid(Uuid::nil()) };
            let signal = Signal::Change(project, change);
            let sent = match pool.acquire().await {
                Ok(mut conn) => signals::send(&mut conn, &signal.to_string()).await,
                Err(error) => Err(error),
            };
            if let Err(error) = sent {
                // This server's browsers hear it in any case; others read again when their connection is back.
                tracing::warn!(%error, "could not announce new proposals to other servers");
                live.tell(signal);
            }
        }
    }
}
