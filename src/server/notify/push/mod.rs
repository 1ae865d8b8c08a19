//! Web push: an encrypted message to a browser, by way of the push service that the browser chose (RFC 8030).
//!
//! Owns how a message is encrypted, signed and sent, and what a push service's answer means. What is said to whom is
//! `service/push.rs`. Nothing is decided from a notification: a click opens the card.

mod encrypt;
mod vapid;
pub mod words;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use ring::digest;
use time::Duration;
use url::Url;

pub use self::encrypt::{AUTH, PUBLIC_KEY, encrypt};
pub use self::vapid::VapidKey;
use self::words::Notification;
use super::outbound::{Answer, Outbound, header};
use super::platform::{Arrived, Failure, Remedy, Sent, outcome};
use super::record::until_written;
use crate::domain::Instant;
use crate::domain::delivery::Outcome;
use crate::domain::ids::PushDeviceId;
use crate::server::db::outbox::TakenMessage;
use crate::server::db::push::Subscription;
use crate::server::service::Services;
use crate::server::service::deliver::{lost, unsent};
use crate::server::service::push::PushStep;

/// The longest that a push service is asked to keep a message for a browser that is away.
const KEEP_MAX: Duration = Duration::days(28);
/// How long a push service may take.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);
/// When this little time is left, a phone that saves its battery is woken.
const HURRY: Duration = Duration::hours(1);

/// A message for one browser.
pub struct Push<'a> {
    /// How it is reached.
    pub to: &'a Subscription,
    /// What it shows.
    pub notification: &'a Notification,
    /// How long it is of use.
    pub lasts: Duration,
}

/// Who sends, and when.
pub struct Sender<'a> {
    /// The key that the subscription is bound to.
    pub key: &'a VapidKey,
    /// Whom a push service can ask about us.
    pub contact: &'a str,
    /// Now.
    pub now: Instant,
}

/// Whether a push service may be written to: at an https address that is public, unless the operator permits more, and that
/// is nothing but an address.
///
/// # Errors
/// Why not.
pub fn allows(outbound: &Outbound, endpoint: &str) -> Result<(), String> {
    // A parser would leave some of these out, and what is stored would not be what is asked.
    if endpoint.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err("an address holds no spaces, line breaks or other control characters".to_owned());
    }
    let url = outbound.check(endpoint)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user or a password".to_owned());
    }
    if url.fragment().is_some() {
        return Err("an address with a fragment (#)".to_owned());
    }
    // One spelling of an address is one device: whose it is would else be a matter of how it is written.
    if url.as_str() != endpoint || url.host_str().is_some_and(|host| host.ends_with('.')) {
        return Err(format!("not as a browser writes it, which is {url}"));
    }
    match url.scheme() {
        "https" => Ok(()),
        _ if outbound.policy.allow_private_targets => Ok(()),
        _ => Err("not an https address".to_owned()),
    }
}

/// Sends one message.
///
/// # Errors
/// If the push service does not take it.
pub async fn send(outbound: &Outbound, sender: &Sender<'_>, push: &Push<'_>) -> Sent {
    let Subscription { endpoint, p256dh, auth } = push.to;
    let url =
        Url::parse(endpoint).map_err(|error| Failure::never(None, format!("not an address: {error}")))?;
    let body = encrypt(&push.notification.content(), p256dh, auth)
        .map_err(|_| Failure::never(None, "nothing can be encrypted for the keys of this browser"))?;
    let authorization = sender
        .key
        .authorization(&url, sender.contact, sender.now)
        .map_err(|_| Failure::again(None, "the message could not be signed"))?;
    let urgency = if push.lasts <= HURRY { "high" } else { "normal" };
    let mut headers = HeaderMap::from_iter([
        header("content-type", "application/octet-stream"),
        header("content-encoding", "aes128gcm"),
        header("ttl", &push.lasts.clamp(Duration::ZERO, KEEP_MAX).whole_seconds().to_string()),
        header("urgency", urgency),
        header("topic", &topic(&push.notification.tag)),
    ]);
    let (name, mut value) = header("authorization", &authorization);
    value.set_sensitive(true);
    headers.insert(name, value);
    judge(&outbound.call_within(endpoint, headers, body, TIMEOUT).await?)
}

/// What takes the place of an older message that a browser did not fetch yet: 32 characters of base64url (RFC 8030 §5.4).
fn topic(tag: &str) -> String {
    use base64::Engine as _;
    let digest = digest::digest(&digest::SHA256, tag.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&digest.as_ref()[..24])
}

/// What an answer means: RFC 8030 §5 and §8.4, and what the large services say of themselves.
fn judge(answer: &Answer) -> Sent {
    let status = answer.status;
    let reason = |what: &str| format!("HTTP {status} from the push service{what}");
    match status {
        200..=299 => Ok(Arrived { status, reference: None, answer: "The push service took it.".to_owned() }),
        404 | 410 => Err(Failure::never(Some(status), reason(": this browser is subscribed no more"))),
        429 => Err(Failure {
            status: Some(status),
            reason: reason(""),
            remedy: Remedy::After(answer.retry_after()),
        }),
        503 if answer.headers.contains_key(RETRY_AFTER) => Err(Failure {
            status: Some(status),
            reason: reason(""),
            remedy: Remedy::After(answer.retry_after()),
        }),
        401 | 403 => Err(Failure::never(
            Some(status),
            reason(": it does not know this server's key; remove the device and switch it on again"),
        )),
        400..=499 => Err(Failure::never(Some(status), reason(""))),
        _ => Err(Failure::again(Some(status), reason(""))),
    }
}

/// What an attempt means for a row of the outbox: whoever is subscribed no more is forgotten.
pub fn fate(sent: &Sent) -> Outcome {
    match sent {
        Err(Failure { status: Some(status @ (404 | 410)), .. }) => Outcome::Gone { status: *status },
        sent => outcome(sent),
    }
}

/// Tells one device, if there is still something to say, and writes down what came of it.
pub async fn attempt(services: &Services, taken: &TakenMessage, device: PushDeviceId) {
    let step = match lost(taken) {
        Some(outcome) => Ok(PushStep::Over(outcome)),
        None => services.push_step(taken, device).await,
    };
    let (outcome, with) = match step {
        Err(error) => {
            error.log();
            (unsent(&error), Vec::new())
        }
        Ok(PushStep::Over(outcome)) => (outcome, Vec::new()),
        Ok(PushStep::Say { to, notification, lasts, with, key }) => {
            let contact = services.push_contact();
            let sender = Sender { key: &key, contact: &contact, now: services.clock().now() };
            let push = Push { to: &to, notification: &notification, lasts };
            (fate(&send(services.platforms().guarded(), &sender, &push).await), with)
        }
    };
    tracing::debug!(delivery.id = %taken.message.event, ?outcome, "tried to tell a device");
    until_written(|| services.record_push(taken, device, &outcome, &with)).await;
}
