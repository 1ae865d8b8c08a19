//! The one HTTP client for addresses that somebody else chose.
//!
//! It resolves names itself and connects only to addresses that it has checked, follows no redirect, takes no proxy
//! from its environment, keeps no cookie and reads no more of an answer than it needs. The check can be switched off by the
//! operator alone.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use url::{Host, Url};

use super::OutboundPolicy;
use super::address::not_public;
use super::platform::Failure;
use crate::domain::delivery::Outcome;
use crate::server::trouble::{Trouble, causes};

/// How long a receiver may take to be connected to.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a receiver may take in all.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes that are read of an answer. Platforms send up to a hundred news at a time, each with a message.
const ANSWER_MAX: usize = 4 * 1024 * 1024;

/// Sends to addresses that somebody else chose.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub(super) client: reqwest::Client,
    pub(super) policy: OutboundPolicy,
    timeout: Duration,
}

impl Outbound {
    /// A client that keeps to the policy.
    ///
    /// # Panics
    /// If TLS can't be set up, without which nothing could be sent safely.
    pub fn new(policy: OutboundPolicy) -> Self {
        Self::with_timeout(policy, TIMEOUT)
    }

    fn with_timeout(policy: OutboundPolicy, timeout: Duration) -> Self {
        let builder = reqwest::Client::builder()
            .user_agent(concat!("impri/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT.min(timeout))
            .timeout(timeout)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(Duration::from_secs(20));
        let builder = match policy.allow_private_targets {
            true => builder,
            false => builder.dns_resolver(Arc::new(PublicOnly)),
        };
        let client = builder.build().expect("TLS with roots that are compiled in");
        Self { client, policy, timeout }
    }

    /// Posts a JSON body. Only the status of the answer counts.
    pub async fn post(&self, target: &str, headers: HeaderMap, body: String) -> Outcome {
        let url = match self.check(target) {
            Ok(url) => url,
            Err(reason) => return Outcome::Refused { reason },
        };
        // The body of the answer is not read: closing the connection is cheaper than whatever it may hold.
        match self.client.post(url).headers(headers).body(body).send().await {
            Ok(answer) => judge(answer.status().as_u16()),
            Err(error) => self.explain(&error),
        }
    }

    /// Posts a JSON body and reads the answer, up to a limit.
    ///
    /// # Errors
    /// If there is none.
    pub async fn call(&self, target: &str, headers: HeaderMap, body: String) -> Result<Answer, Failure> {
        self.call_within(target, headers, body, self.timeout).await
    }

    /// The same for any body, and for an answer that takes its time.
    ///
    /// # Errors
    /// If there is none.
    pub async fn call_within(
        &self,
        target: &str,
        headers: HeaderMap,
        body: impl Into<reqwest::Body>,
        timeout: Duration,
    ) -> Result<Answer, Failure> {
        let url = self.check(target).map_err(|reason| Failure::never(None, reason))?;
        let sent = self.client.post(url).headers(headers).body(body).timeout(timeout).send().await;
        self.read(sent).await
    }

    /// Reads what is at an address, up to a limit.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn get(&self, target: &str, headers: HeaderMap) -> Result<Answer, Failure> {
        let url = self.check(target).map_err(|reason| Failure::never(None, reason))?;
        self.read(self.client.get(url).headers(headers).send().await).await
    }

    pub(super) async fn read(
        &self,
        sent: Result<reqwest::Response, reqwest::Error>,
    ) -> Result<Answer, Failure> {
        let failure = |error: &reqwest::Error| match self.explain(error) {
            Outcome::Refused { reason } => Failure::never(None, reason),
            other => Failure::again(None, other.reason().unwrap_or_default()),
        };
        let mut answer = sent.map_err(|error| failure(&error))?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| failure(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > ANSWER_MAX {
                return Err(Failure::again(
                    Some(status),
                    format!("an answer of more than {ANSWER_MAX} bytes"),
                ));
            }
        }
        Ok(Answer { status, headers, body })
    }

    /// Checks what no resolver will see: the scheme, and an address in place of a name.
    pub(super) fn check(&self, target: &str) -> Result<Url, String> {
        let url = Url::parse(target).map_err(|error| format!("not an address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("not an http or https address".to_owned());
        }
        // The parser has turned every spelling (hexadecimal, octal, one number, wide digits) into an address here.
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            Some(Host::Domain(_)) | None => None,
        };
        match literal.filter(|_| !self.policy.allow_private_targets).and_then(not_public) {
            Some(what) => Err(format!("{Blocked}: the address is not public ({what}){BY_OPERATOR}")),
            None => Ok(url),
        }
    }

    fn explain(&self, error: &reqwest::Error) -> Outcome {
        if causes(error).any(<dyn Error>::is::<Blocked>) {
            // Not where it leads: that would be a map of the network for whoever chose the name.
            return Outcome::Refused {
                reason: format!("{Blocked}: the name does not lead to a public address{BY_OPERATOR}"),
            };
        }
        let reason = match (error.is_timeout(), error.is_connect()) {
            (true, true) => {
                format!("no connection within {} s", self.timeout.min(CONNECT_TIMEOUT).as_secs_f32())
            }
            (true, false) => format!("no answer within {} s", self.timeout.as_secs_f32()),
            (false, is_connect) => {
                let host = error.url().and_then(Url::host_str).unwrap_or_default();
                let trouble = Trouble::of(host, error);
                if is_connect { trouble.without_connection() } else { format!("no answer: {trouble}") }
            }
        };
        Outcome::Failed { status: None, reason }
    }
}

/// What somebody answered.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON; null if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// How long the answer asks to wait; a while if it names no time, and an hour at most.
    pub fn retry_after(&self) -> Duration {
        let value = self.headers.get(reqwest::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let secs = value.and_then(|value| value.trim().parse().ok());
        Duration::from_secs(secs.unwrap_or(30)).clamp(Duration::from_secs(1), Duration::from_hours(1))
    }
}

/// What an HTTP status means for a delivery.
fn judge(status: u16) -> Outcome {
    match status {
        200..=299 => Outcome::Delivered { status },
        410 => Outcome::Gone { status },
        300..=399 => Outcome::Failed {
            status: Some(status),
            reason: format!("HTTP {status}: redirects are not followed"),
        },
        _ => Outcome::Failed { status: Some(status), reason: format!("HTTP {status}") },
    }
}

/// A header whose value is written by this program, in characters that headers may hold.
pub(super) fn header(name: &'static str, value: &str) -> (HeaderName, HeaderValue) {
    let value = HeaderValue::from_str(value).unwrap_or_else(|_| HeaderValue::from_static(""));
    (HeaderName::from_static(name), value)
}

/// What helps where the address is meant.
pub(super) const BY_OPERATOR: &str = "; whoever runs the server can permit it with --allow-private-targets";

/// A name leads to no public address.
#[derive(Debug, thiserror::Error)]
#[error("SSRF blocked")]
pub(super) struct Blocked;

/// Resolves names to their public addresses; the connection is made to one of these and to nothing else.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> =
                found.into_iter().filter(|address| not_public(address.ip()).is_none()).collect();
            match public.is_empty() {
                true => Err(Blocked.into()),
                false => Ok(Box::new(public.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests;
