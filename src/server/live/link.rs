//! The connection that hears the signals of all servers, and the bundle of announced proposals.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Change, ChangeKind, Live, Signal};
use crate::domain::ids::ActionId;
use crate::server::db::signals;

/// New proposals are announced at most this often.
const ANNOUNCE_EVERY: Duration = Duration::from_millis(150);
/// How long to wait before another try to reach the database.
const RETRY_AFTER: Duration = Duration::from_millis(250);

/// Listens and announces until `stop` is cancelled.
pub async fn run(live: &Live, pool: &PgPool, stop: &CancellationToken) {
    tokio::select! {
        () = listen(live, pool) => {}
        () = announce(live, pool) => {}
        () = stop.cancelled() => {}
    }
}

async fn listen(live: &Live, pool: &PgPool) {
    loop {
        if let Err(error) = listen_once(live, pool).await {
            tracing::warn!(%error, "not listening to other servers; trying again");
        }
        live.is_linked.store(false, std::sync::atomic::Ordering::SeqCst);
        // Whoever waits finds out from the database whether they missed something, or that it can't be reached.
        live.resync();
        tokio::time::sleep(RETRY_AFTER).await;
    }
}

/// Returns when the connection is lost.
async fn listen_once(live: &Live, pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(signals::CHANNEL).await?;
    // From here on nothing is missed; what happened before is read now.
    live.is_linked.store(true, std::sync::atomic::Ordering::SeqCst);
    live.resync();
    while let Some(notification) = listener.try_recv().await? {
        // A newer server may send kinds that this one does not know.
        if let Ok(signal) = notification.payload().parse() {
            live.tell(signal);
        }
    }
    Ok(())
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
