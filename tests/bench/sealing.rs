//! What the seal of the history costs: proposals a second while it is sealed behind them, beside proposals while it is
//! not.
//!
//! Nothing switches sealing off. Rounds without it hold the lock of the one that seals, as another server that seals
//! would; what was left is sealed before the next round begins.

use std::time::{Duration, Instant};

use anyhow::ensure;
use impri::server::db::seals;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

use crate::load::{self, Load, Round, Rounds};
use crate::report::Row;
use crate::settings::Settings;
use crate::{requests, seed};

const TARGET: f64 = 0.95;
/// The sealer catches up within this time.
const PATIENCE: Duration = Duration::from_mins(2);

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let mut conn = PgConnection::connect(&settings.database).await?;
    let (count, time) = settings.rounds();
    let mut rounds = Vec::new();
    // One round of each more: what is compared differs by little.
    for number in 0..=count {
        // Whatever gets slower or faster with time does so for both.
        let (limit, measured) = if number % 2 == 0 {
            let limit = without(settings, &mut conn, time).await?;
            (limit, with(settings, &mut conn, time).await?)
        } else {
            let measured = with(settings, &mut conn, time).await?;
            (without(settings, &mut conn, time).await?, measured)
        };
        rounds.push(Round { limit, measured });
    }
    conn.close().await?;
    let rounds = Rounds(rounds);
    Ok(vec![Row {
        name: "propose, sealed".to_owned(),
        measured: rounds.measured(),
        limit: format!("unsealed {}", rounds.limit()),
        ratio: Some(rounds.ratio()),
        target: format!("≥ {TARGET:.2}"),
        is_ok: rounds.ratio() >= TARGET,
        details: json!({"rounds": rounds.json()}),
    }])
}

async fn with(settings: &Settings, conn: &mut PgConnection, time: Duration) -> anyhow::Result<Load> {
    let before = sealed(conn).await?;
    let load = propose(settings, time).await?;
    let during = sealed(conn).await? - before;
    ensure!(during > 0, "nothing was sealed meanwhile");
    until_sealed(conn).await?;
    Ok(load)
}

async fn without(settings: &Settings, conn: &mut PgConnection, time: Duration) -> anyhow::Result<Load> {
    sqlx::query("select pg_advisory_lock($1)").bind(seals::LOCK).execute(&mut *conn).await?;
    let before = sealed(conn).await?;
    let load = propose(settings, time).await;
    let during = sealed(conn).await? - before;
    sqlx::query("select pg_advisory_unlock($1)").bind(seals::LOCK).execute(&mut *conn).await?;
    ensure!(during == 0, "{during} events were sealed although nobody could");
    until_sealed(conn).await?;
    load
}

async fn propose(settings: &Settings, time: Duration) -> anyhow::Result<Load> {
    load::run(settings, time, 201, |out| requests::write_proposal(out, settings)).await
}

async fn sealed(conn: &mut PgConnection) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar("select coalesce(max(seq), 0) from audit_seal").fetch_one(conn).await?)
}

async fn until_sealed(conn: &mut PgConnection) -> anyhow::Result<()> {
    let began = Instant::now();
    loop {
        let waits: bool = sqlx::query_scalar(
            "select exists (select from audit_event e where e.event_id > (select settled_to from audit_sealer)
               and not exists (select from audit_seal s where s.event_id = e.event_id))",
        )
        .fetch_one(&mut *conn)
        .await?;
        if !waits {
            return Ok(());
        }
        ensure!(began.elapsed() < PATIENCE, "the sealer does not catch up");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
