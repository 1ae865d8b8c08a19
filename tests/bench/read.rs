//! How often one action can be read, beside how often the same server can say that it is there.

use std::cell::Cell;

use serde_json::json;

use crate::load::{self, Round, Rounds};
use crate::report::Row;
use crate::requests;
use crate::seed;
use crate::settings::Settings;

/// Actions that are read in turn.
const ACTIONS: usize = 1_000;
const TARGET: f64 = 0.35;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let ids = requests::propose_many(settings, ACTIONS).await?;
    let reads: Vec<Vec<u8>> = ids.iter().map(|id| requests::read(settings, id, "")).collect();
    let turn = Cell::new(0);
    let health: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: impri\r\n\r\n";
    let (count, time) = settings.rounds();
    let mut rounds = Vec::new();
    for _ in 0..count {
        let limit = load::run(settings, time, 200, |out| out.extend_from_slice(health)).await?;
        let measured = load::run(settings, time, 200, |out| {
            turn.set((turn.get() + 1) % ACTIONS);
            out.extend_from_slice(&reads[turn.get()]);
        })
        .await?;
        rounds.push(Round { limit, measured });
    }
    let rounds = Rounds(rounds);
    Ok(vec![Row {
        name: "read one action".to_owned(),
        measured: rounds.measured(),
        limit: format!("/healthz {}", rounds.limit()),
        ratio: Some(rounds.ratio()),
        target: format!("≥ {TARGET:.2}"),
        is_ok: rounds.ratio() >= TARGET,
        details: json!({"rounds": rounds.json()}),
    }])
}
