//! Sends what is in the outbox: at once when this server wrote it, within seconds when another one did and died.
//!
//! Each message is its own task, and one host gets few of them, so whoever hangs delays nobody but itself.

use std::collections::HashMap;
use std::time::Duration;

use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::outbound::Outbound;
use super::record::until_written;
use super::{OutboundPolicy, callback, notice, push};
use crate::server::db::outbox::{Lease, TakenMessage};
use crate::server::error::ServiceResult;
use crate::server::random;
use crate::server::service::Services;
use crate::server::service::deliver::{by_lane, lost};

/// Callbacks sent at a time by this server, and messages to people.
const AT_A_TIME: usize = 32;
/// The longest time without a look at what other servers left, less up to a fifth so that servers don't look at once.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Before another look when the database could not be reached.
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// What is being sent when the server stops gets this long.
const GRACE: Duration = Duration::from_millis(700);

/// Sends what is in the outbox until `stop` is cancelled.
pub async fn run(services: &Services, policy: OutboundPolicy, stop: &CancellationToken) {
    let mut worker = Worker::new(services, policy);
    let mut next_look = Instant::now();
    let mut must_look = true;
    while !stop.is_cancelled() {
        if must_look {
            next_look = Instant::now() + worker.look().await;
        }
        must_look = tokio::select! {
            () = services.outbox_wake().notified() => true,
            () = sleep_until(next_look) => true,
            Some(()) = worker.finish_one() => worker.left_some,
            () = stop.cancelled() => false,
        };
    }
    worker.end().await;
}

/// Sends everything that is due and returns how many attempts that took.
///
/// # Errors
/// If the database can't be reached.
pub async fn send_due(services: &Services, policy: OutboundPolicy) -> ServiceResult<usize> {
    let mut worker = Worker::new(services, policy);
    let mut attempts = 0;
    loop {
        worker.start_due().await?;
        match worker.finish_one().await {
            Some(()) => attempts += 1,
            None => return Ok(attempts),
        }
    }
}

struct Worker {
    services: Services,
    outbound: Outbound,
    tasks: JoinSet<()>,
    /// What each task sends, so that it can be let go if the task is not allowed to end.
    held: HashMap<Id, (Lease, String)>,
    /// Tasks by host.
    sending: HashMap<String, usize>,
    /// Whether the last look may have left something that is due for want of room.
    left_some: bool,
}

impl Worker {
    fn new(services: &Services, policy: OutboundPolicy) -> Self {
        Self {
            services: services.clone(),
            outbound: Outbound::new(policy),
            tasks: JoinSet::new(),
            held: HashMap::new(),
            sending: HashMap::new(),
            left_some: false,
        }
    }

    /// Starts what is due and says how long until the next look, if nothing wakes us before.
    async fn look(&mut self) -> Duration {
        let looked = match self.start_due().await {
            Ok(()) => self.services.until_next_message().await,
            Err(error) => Err(error),
        };
        match looked {
            Ok(next) => {
                let jitter = LOOK_EVERY / 5 * u32::from(random::bytes::<1>()[0]) / 255;
                next.unwrap_or(LOOK_EVERY).min(LOOK_EVERY.saturating_sub(jitter))
            }
            Err(error) => {
                error.log();
                AFTER_ERROR
            }
        }
    }

    async fn start_due(&mut self) -> ServiceResult<()> {
        let is_full = |(callbacks, people): (usize, usize)| callbacks >= AT_A_TIME || people >= AT_A_TIME;
        for message in self.services.take_due_messages(AT_A_TIME, &self.sending).await? {
            *self.sending.entry(message.host.clone()).or_default() += 1;
            let (lease, host) = (message.lease, message.host.clone());
            let task = self.tasks.spawn(attempt(self.services.clone(), self.outbound.clone(), message));
            self.held.insert(task.id(), (lease, host));
        }
        self.left_some = is_full(by_lane(&self.sending))
            || self.sending.iter().any(|(host, count)| Services::is_host_full(host, *count));
        Ok(())
    }

    /// Waits for one attempt to be over; none if nothing is being sent.
    async fn finish_one(&mut self) -> Option<()> {
        let id = match self.tasks.join_next_with_id().await? {
            Ok((id, ())) => id,
            Err(error) => {
                // Its lease runs out, which counts, and it is tried again.
                tracing::error!(%error, "a delivery ended before it was written down");
                error.id()
            }
        };
        if let Some((_, host)) = self.held.remove(&id)
            && let Some(count) = self.sending.get_mut(&host)
        {
            *count -= 1;
            if *count == 0 {
                self.sending.remove(&host);
            }
        }
        Some(())
    }

    /// Lets what is being sent end, for a moment; the rest is left to other servers.
    async fn end(mut self) {
        let deadline = Instant::now() + GRACE;
        while let Ok(Some(())) = timeout_at(deadline, self.finish_one()).await {}
        self.tasks.shutdown().await;
        let leases: Vec<Lease> = self.held.values().map(|(lease, _)| *lease).collect();
        if !leases.is_empty()
            && let Err(error) = self.services.release_messages(&leases).await
        {
            error.log();
        }
    }
}

/// Sends one message and writes down what came of it.
async fn attempt(services: Services, outbound: Outbound, taken: TakenMessage) {
    if let Some(channel) = taken.channel {
        return notice::attempt(&services, &taken, channel).await;
    }
    if let Some(device) = taken.device {
        return push::attempt(&services, &taken, device).await;
    }
    let outcome = match lost(&taken) {
        Some(outcome) => outcome,
        None => match services.callback_secret(&taken) {
            Ok(secret) => callback::send(&outbound, &taken, &secret, services.clock().now()).await,
            Err(outcome) => outcome,
        },
    };
    tracing::debug!(delivery.id = %taken.message.event, ?outcome, "tried to deliver");
    until_written(|| services.record_attempt(&taken, &outcome)).await;
}
