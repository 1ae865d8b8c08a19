//! How soon a waiting agent hears of the decision, with a thousand of them parked.

use std::time::Duration;

use serde_json::json;

use crate::limit::Limit;
use crate::report::Row;
use crate::settings::Settings;
use crate::{seed, waiters};

const AGENTS: usize = 1_000;
const DECISIONS_PER_SECOND: f64 = 200.0;
const PARKED_PER_SECOND: f64 = 2_000.0;
const TARGET_MS: f64 = 50.0;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let limit = Limit::create(settings).await?;
    let pause = Duration::from_secs_f64(1.0 / DECISIONS_PER_SECOND);
    let notified = limit.notify(AGENTS, pause).await?;
    limit.drop(settings).await?;

    let connections = waiters::connect(settings, AGENTS).await?;
    let parked = waiters::park(settings, connections, PARKED_PER_SECOND).await?;
    let woken = waiters::wake(settings, parked, DECISIONS_PER_SECOND).await?;
    let (p50, p99) = (woken.latencies.p50_ms(), woken.latencies.p99_ms());
    Ok(vec![Row {
        name: "decision → agent, 1,000 parked".to_owned(),
        measured: match woken.lost.len() {
            0 => format!("p50 {p50:.1} ms, p99 {p99:.1} ms"),
            lost => format!("p50 {p50:.1} ms, p99 {p99:.1} ms, {lost} LOST"),
        },
        limit: format!("commit + NOTIFY p50 {:.1} ms, p99 {:.1} ms", notified.p50_ms(), notified.p99_ms()),
        ratio: Some(p99 / notified.p99_ms()),
        target: format!("p99 ≤ {TARGET_MS:.0} ms"),
        is_ok: p99 <= TARGET_MS && woken.lost.is_empty(),
        details: json!({
            "latency": woken.latencies.json(), "limit": notified.json(), "lost": woken.lost,
            "asked_again": woken.asked_again, "seconds": woken.took.as_secs_f64(),
        }),
    }])
}
