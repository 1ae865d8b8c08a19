//! What is counted for Prometheus: requests, decisions, deliveries, and how much waits.
//!
//! Counters live as long as this process and count what this server did; what the database knows is read when somebody
//! asks. Labels are of a few known words, never of anything that a caller wrote.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::domain::decision::{Channel, Decision};

/// The channels that have a label of their own.
const CHANNELS: [&str; 8] = ["web", "api", "cli", "mcp", "slack", "discord", "telegram", "email"];

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status_class: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DecisionLabels {
    verdict: &'static str,
    channel: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labelled {
    result: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Bucket {
    bucket: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabel {
    route: String,
}

/// What the database and this server's registries know at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Levels {
    /// Actions that wait for a decision.
    pub pending: i64,
    /// How long the oldest of them has waited.
    pub oldest_pending: Duration,
    /// Agents that are parked on this server.
    pub waiters: i64,
    /// Messages that are not delivered yet.
    pub outbox: i64,
    /// How long the oldest of them has been due.
    pub outbox_age: Duration,
    /// Connections to the database in use.
    pub pool_used: i64,
    /// Connections to the database at rest.
    pub pool_idle: i64,
}

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabel, Histogram, fn() -> Histogram>,
    decisions: Family<DecisionLabels, Counter>,
    latency: Histogram,
    expired: Counter,
    deliveries: Family<Labelled, Counter>,
    limited: Family<Bucket, Counter>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(request_seconds),
            decisions: Family::default(),
            // People answer within seconds, or after lunch, or on Monday.
            latency: Histogram::new([
                1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0, 259_200.0,
            ]),
            expired: Counter::default(),
            deliveries: Family::default(),
            limited: Family::default(),
        }
    }
}

fn request_seconds() -> Histogram {
    Histogram::new([0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0])
}

impl Metrics {
    /// A request was answered. `route` is the pattern of the route, never the path.
    pub fn answered(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let status_class = ["1xx", "2xx", "3xx", "4xx"].get(usize::from(status / 100).saturating_sub(1));
        let status_class = status_class.copied().unwrap_or("5xx");
        let labels = RequestLabels { route: route.to_owned(), method, status_class };
        self.requests.get_or_create(&labels).inc();
        self.durations.get_or_create(&RouteLabel { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// An action was decided `after` its proposal.
    pub fn decided(&self, decision: &Decision, after: Duration) {
        let labels = DecisionLabels { verdict: decision.verdict.as_str(), channel: known(&decision.channel) };
        self.decisions.get_or_create(&labels).inc();
        self.latency.observe(after.as_secs_f64());
    }

    /// Actions ran out of time.
    pub fn expired(&self, count: u64) {
        self.expired.inc_by(count);
    }

    /// A callback was tried: `delivered`, `retry`, `gone` or `dlq`.
    pub fn delivery(&self, result: &'static str) {
        self.deliveries.get_or_create(&Labelled { result }).inc();
    }

    /// A request was refused because its key had made too many.
    pub fn limited(&self, bucket: &'static str) {
        self.limited.get_or_create(&Bucket { bucket }).inc();
    }

    /// Everything, as the text that Prometheus reads.
    pub fn text(&self, levels: &Levels, up: Duration) -> String {
        let mut registry = Registry::with_prefix("impri");
        registry.register(
            "build_info",
            "Which version this is",
            constant([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "How long answers took, parked waits included",
            Unit::Seconds,
            self.durations.clone(),
        );
        registry.register("action_decisions", "Decisions made on this server", self.decisions.clone());
        registry.register_with_unit(
            "action_decision_latency",
            "From the proposal to the decision",
            Unit::Seconds,
            self.latency.clone(),
        );
        registry.register("actions_expired", "Actions that ran out of time", self.expired.clone());
        registry.register(
            "webhook_deliveries",
            "Callbacks tried, by what came of it",
            self.deliveries.clone(),
        );
        registry.register("rate_limited", "Requests refused for their number", self.limited.clone());
        let seconds = |name: &str, help: &str, value: Duration, registry: &mut Registry| {
            let gauge = Gauge::<f64, AtomicU64>::default();
            gauge.set(value.as_secs_f64());
            registry.register_with_unit(name, help, Unit::Seconds, gauge);
        };
        seconds("uptime", "Since this server started", up, &mut registry);
        seconds("oldest_pending_age", "Wait of the oldest action", levels.oldest_pending, &mut registry);
        seconds("outbox_age", "How long the oldest message has been due", levels.outbox_age, &mut registry);
        for (name, help, value) in [
            ("pending_actions", "Actions that wait for a decision", levels.pending),
            ("waiters", "Agents parked on this server", levels.waiters),
            ("outbox_messages", "Messages not delivered yet", levels.outbox),
            ("pool_connections_used", "Database connections in use", levels.pool_used),
            ("pool_connections_idle", "Database connections at rest", levels.pool_idle),
        ] {
            let gauge: Gauge = Gauge::default();
            gauge.set(value);
            registry.register(name, help, gauge);
        }
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

/// A gauge of 1 that only carries its labels.
fn constant<const N: usize>(
    labels: [(&'static str, &'static str); N],
) -> Family<Vec<(String, String)>, Gauge> {
    let family = Family::<Vec<(String, String)>, Gauge>::default();
    let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    family.get_or_create(&labels).set(1);
    family
}

fn known(channel: &Channel) -> &'static str {
    CHANNELS.into_iter().find(|known| *known == channel.as_str()).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_prometheus_reads() {
        let metrics = Metrics::default();
        metrics.answered("/v1/actions/{id}", "GET", 404, Duration::from_millis(3));
        metrics.expired(2);
        let levels = Levels { pending: 7, oldest_pending: Duration::from_secs(90), ..Levels::default() };
        let text = metrics.text(&levels, Duration::from_secs(5));
        for line in [
            "impri_http_requests_total{route=\"/v1/actions/{id}\",method=\"GET\",status_class=\"4xx\"} 1",
            "impri_http_request_duration_seconds_count{route=\"/v1/actions/{id}\"} 1",
            "impri_actions_expired_total 2",
            "impri_pending_actions 7",
            "impri_oldest_pending_age_seconds 90.0",
            "impri_uptime_seconds 5.0",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
