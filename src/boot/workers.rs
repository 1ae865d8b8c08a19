//! What runs beside the answers to requests, for as long as the server does. What each of them does is its own business.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::sessions;
use crate::server::checkpoint_file::CheckpointFile;
use crate::server::config::Config;
use crate::server::live::{self, Patience};
use crate::server::notify::{self, checkpoints::CheckpointReceiver};
use crate::server::service::Services;

/// Before a worker that ended is started again.
const RESTART_AFTER: Duration = Duration::from_secs(1);

/// Starts what runs beside the answers to requests.
pub fn start(
    services: &Services,
    config: &Config,
    mut checkpoint_file: Option<CheckpointFile>,
    stop: &CancellationToken,
) -> TaskTracker {
    let tracker = TaskTracker::new();
    let (all, token) = (services.clone(), stop.clone());
    tracker.spawn(kept_up("live", stop.clone(), async move || {
        live::run(all.live(), all.pool(), Patience::default(), &token).await;
    }));
    let (all, token) = (services.clone(), stop.clone());
    tracker.spawn(kept_up("expiry", stop.clone(), async move || all.run_expiry(&token).await));
    let (all, token, policy) = (services.clone(), stop.clone(), config.platforms.policy);
    tracker.spawn(kept_up("outbox", stop.clone(), async move || notify::run(&all, policy, &token).await));
    let (all, token) = (services.clone(), stop.clone());
    tracker.spawn(kept_up("hearing", stop.clone(), async move || notify::hear(&all, &token).await));
    let (all, token) = (services.clone(), stop.clone());
    tracker.spawn(kept_up("sealer", stop.clone(), async move || {
        all.run_sealer(checkpoint_file.as_mut(), &token).await;
    }));
    if let Some(url) = &config.checkpoint_url {
        let (all, token, receiver) = (services.clone(), stop.clone(), CheckpointReceiver::new(url));
        tracker.spawn(kept_up("checkpoints", stop.clone(), async move || {
            notify::checkpoints::run(&all, policy, &receiver, &token).await;
        }));
    }
    let (all, token) = (services.clone(), stop.clone());
    tracker.spawn(kept_up("sessions", stop.clone(), async move || sessions::tidy(&all, &token).await));
    tracker
}

/// Has a worker run until `stop` is cancelled. One that ends before, as by a panic, is started again: a server that answers and
/// expires nothing would look well.
async fn kept_up(name: &'static str, stop: CancellationToken, worker: impl AsyncFnMut()) {
    kept_up_after(RESTART_AFTER, name, stop, worker).await;
}

async fn kept_up_after(
    pause: Duration,
    name: &'static str,
    stop: CancellationToken,
    mut worker: impl AsyncFnMut(),
) {
    loop {
        let ended = AssertUnwindSafe(worker()).catch_unwind().await;
        if ended.is_ok() && stop.is_cancelled() {
            return;
        }
        tracing::error!(worker = name, "a worker ended before its time and is started again");
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stop.cancelled() => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_worker_that_panics_is_started_again_and_one_that_was_told_to_end_is_not() {
        let stop = CancellationToken::new();
        let mut runs = 0;
        let worker = async || {
            runs += 1;
            assert!(runs > 2, "the first two end badly");
            stop.cancel();
        };
        kept_up_after(Duration::ZERO, "a test", stop.clone(), worker).await;
        assert_eq!(runs, 3);
    }
}
