//! Keeps a key from asking more than the server should bear: a bucket for each key and class of requests (GCRA).
//!
//! A refused request changed nothing and can be sent again. Each server counts for itself, because a limit that asks the
//! database costs what it should save.

use std::num::NonZeroU32;
use std::ops::Add;

use axum::extract::MatchedPath;
use axum::http::Method;
use axum::http::request::Parts;
use governor::clock::{Clock as GovernorClock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::domain::ids::KeyId;
use crate::server::clock::Clock;
use crate::server::config::{RateClass, RateSettings};

type Buckets = RateLimiter<KeyId, DashMapStateStore<KeyId>, Ticks, NoOpMiddleware<Tick>>;

/// The buckets of every key.
pub struct Limits {
    classes: Vec<(RateClass, Buckets)>,
}

impl Limits {
    /// Full buckets for everybody.
    pub fn new(settings: &RateSettings, clock: &Clock) -> Self {
        let classes = settings.iter().filter_map(|(class, per_minute)| {
            let quota = Quota::per_minute(NonZeroU32::new(per_minute)?);
            Some((class, Buckets::new(quota, DashMapStateStore::default(), Ticks(clock.clone()))))
        });
        Self { classes: classes.collect() }
    }

    /// Takes one request out of a key's bucket.
    ///
    /// # Errors
    /// With the whole seconds, at least one, until the next would be there.
    pub fn take(&self, key: KeyId, class: RateClass) -> Result<(), u32> {
        let Some((_, buckets)) = self.classes.iter().find(|(known, _)| *known == class) else {
            return Ok(());
        };
        buckets.check_key(&key).map_err(|refused| {
            let wait = refused.wait_time_from(buckets.clock().now());
            u32::try_from(wait.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX).max(1)
        })
    }
}

/// What a request is for.
pub fn class_of(parts: &Parts) -> RateClass {
    let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    match (&parts.method, path) {
        (_, path) if path.ends_with("/export") => RateClass::Export,
        // What a tool does counts again, as what it is.
        (&Method::GET | &Method::HEAD, _) | (_, "/mcp" | "/mcp/") => RateClass::Read,
        (_, "/v1/actions") => RateClass::Propose,
        (_, path) if path.ends_with("decision") => RateClass::Decide,
        (_, path) if path.starts_with("/v1/actions/") => RateClass::Run,
        _ => RateClass::Manage,
    }
}

/// The server's clock, in the shape that the library reads.
#[derive(Debug, Clone)]
struct Ticks(Clock);

/// Nanoseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tick(u64);

impl Add<Nanos> for Tick {
    type Output = Self;

    fn add(self, nanos: Nanos) -> Self {
        Self(self.0.saturating_add(nanos.as_u64()))
    }
}

impl Reference for Tick {
    fn duration_since(&self, earlier: Self) -> Nanos {
        self.0.saturating_sub(earlier.0).into()
    }

    fn saturating_sub(&self, duration: Nanos) -> Self {
        Self(self.0.saturating_sub(duration.as_u64()))
    }
}

impl GovernorClock for Ticks {
    type Instant = Tick;

    fn now(&self) -> Tick {
        Tick(u64::try_from(self.0.now().unix_timestamp_nanos()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_key_gets_its_minute_and_then_one_by_one() {
        let clock = Clock::manual();
        let limits = Limits::new(&RateSettings::parse("propose=60").unwrap(), &clock);
        let (one, two) = (1, 2);
        let [one, two] = [one, two].map(|number| KeyId::from_uuid(uuid::Uuid::from_u128(number)));
        for _ in 0..60 {
            assert_eq!(limits.take(one, RateClass::Propose), Ok(()));
        }
        assert_eq!(limits.take(one, RateClass::Propose), Err(1));
        assert_eq!(limits.take(two, RateClass::Propose), Ok(()), "another key has its own");
        assert_eq!(limits.take(one, RateClass::Decide), Ok(()), "another class has its own");
        clock.advance(Duration::from_secs(1));
        assert_eq!(limits.take(one, RateClass::Propose), Ok(()));
        assert_eq!(limits.take(one, RateClass::Propose), Err(1));
        clock.advance(Duration::from_mins(2));
        assert_eq!((0..61).filter(|_| limits.take(one, RateClass::Propose).is_ok()).count(), 60);
    }
}
