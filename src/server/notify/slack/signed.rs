//! Calls from Slack, where it does not use Socket Mode: what proves that one comes from Slack
//! (<https://docs.slack.dev/authentication/verifying-requests-from-slack/>), and to whom it belongs.

use std::time::Duration;

use hmac::{Hmac, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::time::timeout;

use super::news;
use crate::domain::Instant;
use crate::domain::channel::ChannelKind;
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::service::Services;

/// How far a call's time may be from now, in seconds.
const SKEW_SECS: i64 = 300;
/// Slack waits 3 seconds for an answer; after so long the database is not waited for.
const LOOK: Duration = Duration::from_secs(1);

/// What the app of a channel signs with; none if there is no such channel, or nothing signs for it.
///
/// # Errors
/// If the database can't be reached. If it only takes long, what was read last counts.
pub async fn signing_secret(services: &Services, channel: &str) -> ServiceResult<Option<String>> {
    let Ok(id) = channel.parse::<ChannelId>() else { return Ok(None) };
    match timeout(LOOK, services.deciding_channel(ChannelKind::Slack, id)).await {
        Ok(found) => Ok(found?.and_then(|channel| secret_of(services, &channel))),
        Err(_) => Ok(services.platforms().slack_secret(channel)),
    }
}

fn secret_of(services: &Services, channel: &StoredChannel) -> Option<String> {
    let config = services.open_config(channel).ok()?;
    Some(config.text("signing_secret").to_owned()).filter(|secret| !secret.is_empty())
}

/// Every channel from which people decide and for which something signs, with what signs.
async fn channels(services: &Services) -> ServiceResult<Vec<(StoredChannel, String)>> {
    let channels = services.deciding_channels(ChannelKind::Slack).await?.into_iter();
    let with_secret = |channel: StoredChannel| secret_of(services, &channel).map(|secret| (channel, secret));
    Ok(channels.filter_map(with_secret).collect())
}

/// Works on a call that was proven to be signed with `secret`, unless it was heard before: `signature` is no other call's. An
/// app has one address that Slack calls, so the call may be about any channel of that app.
pub async fn take_signed(services: &Services, secret: &str, signature: &str, payload: &Value) {
    // The digits of a signature may be written in two ways.
    let name = format!("slack {}", signature.to_ascii_lowercase());
    let heard = async {
        match services.is_new_call(&name).await? {
            true => channels(services).await.map(Some),
            false => Ok(None),
        }
    };
    match heard.await {
        Ok(None) => {}
        Ok(Some(channels)) => {
            let of_app = channels.into_iter().filter(|(_, signs)| signs == secret);
            let of_app: Vec<StoredChannel> = of_app.map(|(channel, _)| channel).collect();
            news::take(services, &of_app, payload).await;
        }
        Err(error) => {
            error.log();
            news::fail(services, payload).await;
        }
    }
}

/// Whether a call says that it was made just now. It is asked before anything is read for it.
pub fn is_fresh(timestamp: &str, now: Instant) -> bool {
    let is_near = |at: i64| now.unix_timestamp().saturating_sub(at).saturating_abs() <= SKEW_SECS;
    timestamp.parse().is_ok_and(is_near)
}

/// Whether a call was made by Slack just now: `v0=` and the HMAC-SHA256 of `v0:timestamp:body`, keyed by the app's signing
/// secret.
pub fn is_from_slack(secret: &str, timestamp: &str, signature: &str, body: &[u8], now: Instant) -> bool {
    let Some(Ok(sent)) = signature.strip_prefix("v0=").map(hex::decode) else { return false };
    // An empty secret would be everybody's.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(format!("v0:{timestamp}:").as_bytes());
    mac.update(body);
    is_fresh(timestamp, now) && !secret.is_empty() && mac.verify_slice(&sent).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_of_slacks_example() {
        // The example of https://docs.slack.dev/authentication/verifying-requests-from-slack/
        let (secret, at) = ("8f742231b10e8888abcd99yyyzzz85a5", 1_531_420_618);
        let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V\
                    &channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=\
                    &response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
                    &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        let signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
        let is = |secret: &str, timestamp: &str, signature: &str, body: &str, now: i64| {
            let now = Instant::from_unix_timestamp(now).expect("a moment");
            is_from_slack(secret, timestamp, signature, body.as_bytes(), now)
        };
        let stamp = at.to_string();
        assert!(is(secret, &stamp, signature, body, at));
        assert!(
            is(secret, &stamp, signature, body, at + 300) && is(secret, &stamp, signature, body, at - 300)
        );
        assert!(
            !is(secret, &stamp, signature, body, at + 301) && !is(secret, &stamp, signature, body, at - 301)
        );
        assert!(!is(secret, "1531420619", signature, body, at), "the time is signed, too");
        assert!(!is(secret, &stamp, signature, &format!("{body}x"), at));
        assert!(!is("another", &stamp, signature, body, at) && !is("", &stamp, signature, body, at));
        for broken in ["", "v0=", "v1=00", &signature[3..], &signature[..40]] {
            assert!(!is(secret, &stamp, broken, body, at), "{broken}");
        }
        assert!(
            !is(secret, "x", signature, body, at) && !is(secret, &i64::MIN.to_string(), signature, body, at)
        );
    }
}
