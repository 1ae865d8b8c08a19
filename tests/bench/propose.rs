//! How many proposals a second are stored durably, beside what pgbench reaches with the same inserts.

use serde_json::json;

use crate::limit::Limit;
use crate::load::{self, Load, Round, Rounds};
use crate::report::Row;
use crate::settings::Settings;
use crate::{requests, seed};

const TARGET: f64 = 0.5;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let limit = Limit::create(settings).await?;
    let (count, time) = settings.rounds();
    let mut rounds = Vec::new();
    for _ in 0..count {
        let limit = limit.propose(&settings.pgbench, time).await?;
        let measured = load::run(settings, time, 201, |out| requests::write_proposal(out, settings)).await?;
        rounds.push(Round { limit, measured });
    }
    limit.drop(settings).await?;
    let rounds = Rounds(rounds);
    let text = |rate: f64, p50: f64, p99: f64| format!("{rate:.0}/s, p50 {p50:.1} ms, p99 {p99:.1} ms");
    let (rate, p50, p99): (fn(&Load) -> f64, fn(&Load) -> f64, fn(&Load) -> f64) =
        (|load| load.per_second, |load| load.latencies.p50_ms(), |load| load.latencies.p99_ms());
    Ok(vec![Row {
        name: "propose",
        measured: text(rounds.measured(rate), rounds.measured(p50), rounds.measured(p99)),
        limit: format!("pgbench {}", text(rounds.limit(rate), rounds.limit(p50), rounds.limit(p99))),
        ratio: Some(rounds.ratio()),
        target: format!("≥ {TARGET:.2}"),
        is_ok: rounds.ratio() >= TARGET,
        details: json!({"rounds": rounds.json()}),
    }])
}
