//! Sends every signed checkpoint of the history to a receiver outside: an anchor that whoever writes the database can't
//! rewrite. In order, each at least once, beside the sealing and never in its way.

use std::time::Duration;

use reqwest::header::HeaderMap;
use sha2::{Digest as _, Sha256};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use super::OutboundPolicy;
use super::outbound::{Outbound, header};
use crate::domain::delivery::Outcome;
use crate::server::db::receivers::Holding;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::proof::Line;
use crate::server::random;
use crate::server::service::Services;

/// Between two looks for new checkpoints: there is one every half minute.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Before the first new attempt; it doubles with each.
const AGAIN_FIRST: Duration = Duration::from_secs(5);
/// Before any other.
const AGAIN_LAST: Duration = Duration::from_mins(5);

/// Where checkpoints are sent.
#[derive(Debug, Clone)]
pub struct CheckpointReceiver {
    url: String,
    held: Holding,
}

impl CheckpointReceiver {
    /// The receiver at an address.
    pub fn new(url: &Url) -> Self {
        let text = url.to_string();
        let held = Holding {
            address: Sha256::digest(&text).into(),
            host: url.host_str().unwrap_or_default().to_owned(),
            holder: Uuid::from_bytes(random::bytes::<16>()),
        };
        Self { url: text, held }
    }
}

/// What a look came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// So many arrived, and there are no more.
    All(usize),
    /// Another server sends.
    Elsewhere,
    /// It did not take one.
    Failed(Outcome),
}

/// Sends until `stop` is cancelled.
pub async fn run(
    services: &Services,
    policy: OutboundPolicy,
    receiver: &CheckpointReceiver,
    stop: &CancellationToken,
) {
    let outbound = Outbound::new(policy);
    let host = receiver.held.host.as_str();
    let mut pause = LOOK_EVERY;
    let mut is_failing = false;
    loop {
        let sent = tokio::select! {
            sent = send_due(services, &outbound, receiver) => sent,
            () = stop.cancelled() => break,
        };
        pause = match sent {
            Ok(Sent::All(_) | Sent::Elsewhere) => {
                if std::mem::take(&mut is_failing) {
                    tracing::info!(host, "checkpoints of the history arrive again");
                }
                LOOK_EVERY
            }
            Ok(Sent::Failed(outcome)) => {
                if !std::mem::replace(&mut is_failing, true) {
                    tracing::warn!(
                        host,
                        ?outcome,
                        "checkpoints of the history do not arrive; they are sent again"
                    );
                }
                if pause < AGAIN_FIRST { AGAIN_FIRST } else { (pause * 2).min(AGAIN_LAST) }
            }
            Err(error) => {
                error.log();
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = stop.cancelled() => break,
        }
    }
    if let Err(error) = services.release_receiver(&receiver.held).await {
        error.log();
    }
}

/// Sends what a receiver lacks, until it has all or does not take one.
///
/// # Errors
/// If the database can't be reached.
pub async fn send_due(
    services: &Services,
    outbound: &Outbound,
    receiver: &CheckpointReceiver,
) -> ServiceResult<Sent> {
    let mut count = 0;
    loop {
        let Some(next) = services.checkpoints_for(&receiver.held).await? else { return Ok(Sent::Elsewhere) };
        if next.is_empty() {
            return Ok(Sent::All(count));
        }
        for checkpoint in next {
            let line = Line::checkpoint(checkpoint.jws.clone());
            let body = line.to_text().map_err(|error| ServiceError::Internal(Box::new(error)))?;
            let headers = HeaderMap::from_iter([header("content-type", "application/json")]);
            let outcome = outbound.post(&receiver.url, headers, body).await;
            if services.record_checkpoint(&receiver.held, &checkpoint, &outcome).await? {
                count += 1;
            } else if matches!(outcome, Outcome::Delivered { .. }) {
                return Ok(Sent::Elsewhere);
            } else {
                return Ok(Sent::Failed(outcome));
            }
        }
    }
}
