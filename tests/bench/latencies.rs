//! Exact percentiles: every single time is kept and sorted.

use std::time::Duration;

use serde_json::{Value, json};

/// Times of many equal things.
#[derive(Debug, Default, Clone)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The time that this share of all stayed within.
    pub fn percentile(&self, percent: usize) -> Duration {
        let at = (self.0.len() * percent).div_ceil(100).saturating_sub(1);
        self.0.get(at).copied().unwrap_or_default()
    }

    pub fn p50_ms(&self) -> f64 {
        millis(self.percentile(50))
    }

    pub fn p95_ms(&self) -> f64 {
        millis(self.percentile(95))
    }

    pub fn p99_ms(&self) -> f64 {
        millis(self.percentile(99))
    }

    pub fn json(&self) -> Value {
        json!({
            "count": self.len(), "p50_ms": self.p50_ms(), "p95_ms": self.p95_ms(), "p99_ms": self.p99_ms(),
            "max_ms": millis(self.percentile(100)),
        })
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The middle one of some numbers; of an even count the larger one in the middle.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
