//! Discord calls: signed interactions, where it reaches this server
//! (<https://docs.discord.com/developers/interactions/overview#preparing-for-interactions>).
//!
//! A call is answered before the database is asked, so what verifies it is remembered. What it leads to is judged by the
//! settings as they are then.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use tokio::time::timeout;

use super::interaction::Interaction;
use super::news;
use crate::domain::channel::ChannelKind;
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::service::Services;

/// How old a call may be, and how far a clock may go ahead, in seconds.
const AGE_MAX: u64 = 300;
/// How long the database may take where it has to be asked. Discord waits for 3 s.
const PATIENCE: Duration = Duration::from_millis(2_200);

/// A call as it came.
pub struct Call<'a> {
    /// `X-Signature-Ed25519`.
    pub signature: &'a str,
    /// `X-Signature-Timestamp`.
    pub timestamp: &'a str,
    /// The body, to the byte.
    pub body: &'a [u8],
}

/// What is answered.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// This.
    Said(Value),
    /// That nobody knows the caller.
    Unknown,
    /// That it can't be seen to now: the database can't be reached, or too much is being seen to.
    Busy,
}

/// What calls are verified with, as it was read last.
#[derive(Default)]
pub struct Calls {
    keys: Mutex<HashMap<ChannelId, String>>,
}

impl Calls {
    /// Answers a call for a channel, and goes on with what it asks for.
    pub async fn take(&self, services: &Services, channel: &str, call: &Call<'_>) -> Answer {
        let Ok(channel) = channel.parse::<ChannelId>() else { return Answer::Unknown };
        let now = services.clock().now().unix_timestamp();
        let is_fresh = call.timestamp.parse::<i64>().is_ok_and(|then| now.abs_diff(then) <= AGE_MAX);
        if !is_fresh {
            return Answer::Unknown;
        }
        let Some(key) = self.verified(services, channel, call).await else { return Answer::Busy };
        let Some(key) = key else { return Answer::Unknown };
        let interaction = serde_json::from_slice(call.body).ok().as_ref().and_then(Interaction::read);
        let Some(interaction) = interaction else { return Answer::Unknown };
        let answer = interaction.first_answer();
        if interaction.goes_on() {
            let Some(room) = services.platforms().room(ChannelKind::Discord) else {
                tracing::warn!("too much is pressed in Discord");
                return Answer::Busy;
            };
            let all = services.clone();
            room.work(async move { go_on(&all, &key, &interaction).await });
        }
        Answer::Said(answer)
    }

    /// The key that a call is signed with, if it is the channel's; nothing at all if the database does not say in time.
    async fn verified(
        &self,
        services: &Services,
        channel: ChannelId,
        call: &Call<'_>,
    ) -> Option<Option<String>> {
        let known = self.keys().get(&channel).cloned();
        if let Some(key) = known.filter(|key| is_signed(key, call)) {
            return Some(Some(key));
        }
        let found = timeout(PATIENCE, key_of(services, channel)).await;
        match found {
            Ok(Ok(key)) => {
                match &key {
                    Some(key) => self.keys().insert(channel, key.clone()),
                    None => self.keys().remove(&channel),
                };
                Some(key.filter(|key| is_signed(key, call)))
            }
            Ok(Err(error)) => {
                error.log();
                None
            }
            Err(_) => None,
        }
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, HashMap<ChannelId, String>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does what a call asks for that was acknowledged, unless it was heard before.
async fn go_on(services: &Services, key: &str, interaction: &Interaction) {
    // With the key: nobody uses up the numbers of another application's calls.
    let name = format!("discord {key} {}", interaction.id);
    let heard = async {
        match services.is_new_call(&name).await? {
            true => channels(services, key).await.map(Some),
            false => Ok(None),
        }
    };
    match heard.await {
        Ok(None) => {}
        Ok(Some(channels)) => news::finish(services, &channels, interaction).await,
        Err(error) => {
            error.log();
            news::fail(services, interaction).await;
        }
    }
}

/// Whether a call is signed: over its time and its body, with the application's key.
fn is_signed(key: &str, call: &Call<'_>) -> bool {
    let (Ok(key), Ok(signature)) = (hex::decode(key), hex::decode(call.signature)) else { return false };
    let signed = [call.timestamp.as_bytes(), call.body].concat();
    !key.is_empty() && UnparsedPublicKey::new(&ED25519, key).verify(&signed, &signature).is_ok()
}

fn public_key(services: &Services, channel: &StoredChannel) -> String {
    services.open_config(channel).map(|config| config.text("public_key").to_owned()).unwrap_or_default()
}

async fn key_of(services: &Services, id: ChannelId) -> ServiceResult<Option<String>> {
    let channel = services.deciding_channel(ChannelKind::Discord, id).await?;
    Ok(channel.map(|channel| public_key(services, &channel)).filter(|key| !key.is_empty()))
}

/// The channels of the application that signed: nobody speaks for another one's.
async fn channels(services: &Services, key: &str) -> ServiceResult<Vec<StoredChannel>> {
    let mut channels = services.deciding_channels(ChannelKind::Discord).await?;
    channels.retain(|channel| public_key(services, channel) == key);
    Ok(channels)
}
