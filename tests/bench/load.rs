//! As many requests as some connections can make in a given time.

use std::time::{Duration, Instant};

use anyhow::ensure;
use futures::future::try_join_all;
use serde_json::{Value, json};

use crate::http::Connection;
use crate::latencies::{Latencies, median};
use crate::settings::Settings;

/// Connections that ask at the same time.
pub const CONNECTIONS: usize = 16;

/// What came of it.
pub struct Load {
    pub per_second: f64,
    pub latencies: Latencies,
}

impl Load {
    pub fn json(&self) -> Value {
        json!({"per_second": self.per_second, "latency": self.latencies.json()})
    }
}

/// Sends requests on [`CONNECTIONS`] connections for `time`, each as soon as the last is answered with `status`.
/// `write` writes the next request into an empty buffer.
pub async fn run(
    settings: &Settings,
    time: Duration,
    status: u16,
    write: impl Fn(&mut Vec<u8>),
) -> anyhow::Result<Load> {
    let opening = (0..CONNECTIONS).map(|_| Connection::open(settings.address));
    let mut connections = try_join_all(opening).await?;
    let began = Instant::now();
    let write = &write;
    let each = connections.iter_mut().map(|connection| async move {
        let mut request = Vec::new();
        let mut times = Vec::new();
        while began.elapsed() < time {
            request.clear();
            write(&mut request);
            let sent = Instant::now();
            let reply = connection.exchange(&request).await?;
            times.push(sent.elapsed());
            ensure!(reply.status == status, "answered {}: {}", reply.status, reply.text());
        }
        Ok(times)
    });
    let times = try_join_all(each).await?.concat();
    let per_second = rate(times.len(), began.elapsed());
    Ok(Load { per_second, latencies: Latencies::new(times) })
}

/// So many in so much time, per second.
#[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
pub fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

/// One look at the limit and one at the server, one after the other.
pub struct Round {
    pub limit: Load,
    pub measured: Load,
}

impl Round {
    pub fn ratio(&self) -> f64 {
        self.measured.per_second / self.limit.per_second
    }
}

/// All rounds of a comparison.
pub struct Rounds(pub Vec<Round>);

impl Rounds {
    pub fn ratio(&self) -> f64 {
        median(self.0.iter().map(Round::ratio))
    }

    /// The measurement in words: the middle values of all rounds.
    pub fn measured(&self) -> String {
        self.words(|round| &round.measured)
    }

    /// The limit in words.
    pub fn limit(&self) -> String {
        self.words(|round| &round.limit)
    }

    fn words(&self, side: impl Fn(&Round) -> &Load) -> String {
        let middle = |of: &dyn Fn(&Load) -> f64| median(self.0.iter().map(|round| of(side(round))));
        let rate = middle(&|load| load.per_second);
        let p50 = middle(&|load| load.latencies.p50_ms());
        let p99 = middle(&|load| load.latencies.p99_ms());
        format!("{rate:.0}/s, p50 {p50:.1} ms, p99 {p99:.1} ms")
    }

    pub fn json(&self) -> Value {
        self.0
            .iter()
            .map(|round| json!({"measured": round.measured.json(), "limit": round.limit.json(), "ratio": round.ratio()}))
            .collect()
    }
}
