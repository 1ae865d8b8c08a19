//! One message to one channel: what it has to say now, handed to the platform, and what came of it written down.

use std::time::Duration;

use tokio::time::sleep;

use super::platform::{self, Failure, Platform, Sent};
use super::{message::Message, words};
use crate::domain::delivery::Outcome;
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::db::outbox::TakenMessage;
use crate::server::service::Services;
use crate::server::service::notices::{Handed, Step, Turn};

/// Before what came of an attempt is written down again, when the database could not be reached.
const RECORD_AGAIN: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(4)];
/// Before another look when the database could not be reached.
const LOOK_AGAIN: time::Duration = time::Duration::SECOND;

/// Sends one message, if there is still something to say, and writes down what came of it.
pub async fn attempt(services: &Services, taken: &TakenMessage, channel: ChannelId) {
    let (turn, outcome, handed) = match services.take_turn(taken, channel).await {
        Err(error) => {
            error.log();
            let outcome =
                Outcome::Later { after: LOOK_AGAIN, reason: "the database can't be reached".to_owned() };
            (Turn::none(), outcome, None)
        }
        Ok(turn) => match &turn.step {
            Step::Over(outcome) => {
                let outcome = outcome.clone();
                (turn, outcome, None)
            }
            Step::Say { channel, message, reference } => {
                let sent = hand_over(services, channel, message, reference.as_deref()).await;
                let handed = sent
                    .as_ref()
                    .ok()
                    .map(|arrived| Handed { reference: arrived.reference.clone(), shown: digest(message) });
                let outcome = platform::outcome(&sent);
                (turn, outcome, handed)
            }
        },
    };
    tracing::debug!(delivery.id = %taken.message.event, ?outcome, "tried to tell a channel");
    let mut pauses = RECORD_AGAIN.into_iter();
    while let Err(error) = services.record_notice(taken, channel, &turn, &outcome, handed.as_ref()).await {
        error.log();
        // If it can't be written down in time, the lease runs out and people are told again.
        let Some(pause) = pauses.next() else { return };
        sleep(pause).await;
    }
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

fn digest(message: &Message) -> [u8; 32] {
    use sha2::{Digest as _, Sha256};
    Sha256::digest(serde_json::to_vec(message).unwrap_or_default()).into()
}
