//! What leaves the house: the outbox worker, and a file or a folder for each sort of channel.
//!
//! Rows are written by services in the transaction of their cause; this room only sends them. So are checkpoints of
//! the history, which are rows, too.

mod address;
pub mod callback;
pub mod checkpoints;
pub mod discord;
mod email;
mod hearing;
mod lease;
pub mod message;
pub mod notice;
mod ntfy;
pub mod outbound;
pub mod platform;
mod platforms;
pub mod push;
mod reach;
mod record;
pub mod slack;
mod socket;
pub mod telegram;
pub mod token;
mod webhook;
pub mod words;
mod worker;

use tokio_util::sync::CancellationToken;

use crate::server::service::Services;

pub use address::not_public;
pub use platforms::{PlatformSettings, Platforms, WORK_MAX};
pub use worker::{run, send_due};

/// Hears what people press, on every platform that is listened to, until `stop` is cancelled.
pub async fn hear(services: &Services, stop: &CancellationToken) {
    tokio::join!(
        telegram::listen::run(services, stop),
        discord::listen::run(services, stop),
        slack::listen::run(services, stop),
    );
}

/// Where messages may go.
#[derive(Debug, Clone, Copy)]
pub struct OutboundPolicy {
    /// Whether private, loopback and reserved addresses are targets too.
    pub allow_private_targets: bool,
}
