//! How many proposals a second are stored durably, beside what pgbench reaches with the same inserts.

use serde_json::json;

use crate::limit::Limit;
use crate::load::{self, Round, Rounds};
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
    Ok(vec![Row {
        name: "propose".to_owned(),
        measured: rounds.measured(),
        limit: format!("pgbench {}", rounds.limit()),
        ratio: Some(rounds.ratio()),
        target: format!("≥ {TARGET:.2}"),
        is_ok: rounds.ratio() >= TARGET,
        details: json!({"rounds": rounds.json()}),
    }])
}
