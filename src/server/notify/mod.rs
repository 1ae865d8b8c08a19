//! What leaves the house: the outbox worker and one file per channel.
//!
//! Rows are written by services in the transaction of their cause; this room only sends them.

pub mod callback;

use tokio_util::sync::CancellationToken;

use super::service::Services;

/// Where messages may go.
#[derive(Debug, Clone, Copy)]
pub struct OutboundPolicy {
    /// Whether private, loopback and reserved addresses are targets too.
    pub allow_private_targets: bool,
}

/// Sends what is in the outbox until `stop` is cancelled.
pub async fn run(_services: &Services, _policy: OutboundPolicy, stop: &CancellationToken) {
    stop.cancelled().await;
}
