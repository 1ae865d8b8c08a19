//! One message to one channel: what it has to say now, handed to the platform, and what came of it written down.

use super::platform::{self, Failure, Platform, Sent};
use super::record::until_written;
use super::{message::Message, words};
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::db::outbox::TakenMessage;
use crate::server::service::Services;
use crate::server::service::deliver::lost;
use crate::server::service::notices::{Handed, Step, Turn};

/// Sends one message, if there is still something to say, and writes down what came of it.
pub async fn attempt(services: &Services, taken: &TakenMessage, channel: ChannelId) {
    let turn = match lost(taken) {
        Some(outcome) => Turn::over(outcome),
        None => services.take_turn(taken, channel).await,
    };
    let (outcome, handed) = match &turn.step {
        Step::Over(outcome) => (outcome.clone(), None),
        Step::Say { channel, message, reference } => {
            let sent = hand_over(services, channel, message, reference.as_deref()).await;
            let handed = sent
                .as_ref()
                .ok()
                .map(|arrived| Handed { reference: arrived.reference.clone(), shown: message.digest() });
            (platform::outcome(&sent), handed)
        }
    };
    tracing::debug!(delivery.id = %taken.message.event, ?outcome, "tried to tell a channel");
    until_written(|| services.record_notice(taken, channel, &turn, &outcome, handed.as_ref())).await;
}

async fn hand_over(
    services: &Services,
    channel: &StoredChannel,
    message: &Message,
    reference: Option<&str>,
) -> Sent {
    let platform = open(services, channel)?;
    match reference {
        Some(reference) => platform.edit(reference, message).await,
        None => platform.send(message).await,
    }
}

/// The platform of a channel with its settings opened.
///
/// # Errors
/// If they can't be opened, or this server can't speak to it.
pub fn open(services: &Services, channel: &StoredChannel) -> Result<Box<dyn Platform>, Failure> {
    let config = services
        .open_config(channel)
        .map_err(|error| Failure::again(None, format!("its secrets can't be opened: {error}")))?;
    platform::open(channel.kind, &config, services.platforms())
}

/// Has a channel say that it works.
///
/// # Errors
/// If it does not; nothing is remembered of that.
pub async fn test(services: &Services, channel: &StoredChannel) -> Sent {
    let around = words::Around { now: services.clock().now(), public_url: services.public_url() };
    open(services, channel)?.send(&words::test(&channel.name, &around)).await
}
