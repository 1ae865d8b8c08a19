//! How long the server takes for the inbox page with a full page of cards, however many actions are stored.

use std::time::Instant;

use anyhow::ensure;
use serde_json::json;

use crate::http::Connection;
use crate::latencies::Latencies;
use crate::report::Row;
use crate::requests::{browse, sign_in};
use crate::seed;
use crate::settings::Settings;

const STORED: i64 = 200_000;
const STORED_QUICK: i64 = 20_000;
const STORED_FULL: i64 = 2_000_000;
const WAITING: i64 = 500;
const CARDS: usize = 50;
const TARGET_MS: f64 = 20.0;
const TARGET_FLAT: f64 = 1.5;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    let (stored, views) = if settings.quick { (STORED_QUICK, 60) } else { (STORED, 300) };
    seed::clear(settings).await?;
    let mut connection = Connection::open(settings.address).await?;
    let cookie = sign_in(&mut connection, settings).await?;
    // The page without cards: what it takes to be asked, to know who asks, and to draw the frame.
    let empty = look(&mut connection, &cookie, views, None).await?;

    seed::decided(settings, stored - WAITING).await?;
    seed::waiting(settings, WAITING).await?;
    seed::settle(settings).await?;
    let base = look(&mut connection, &cookie, views, Some(CARDS)).await?;
    let mut rows = vec![row(format!("inbox, {stored} stored"), &base, &empty, stored, WAITING)];

    if settings.full {
        seed::decided(settings, STORED_FULL - stored).await?;
        seed::settle(settings).await?;
        let times = look(&mut connection, &cookie, views, Some(CARDS)).await?;
        let growth = times.p50_ms() / base.p50_ms();
        let mut full = row(format!("inbox, {STORED_FULL} stored"), &times, &base, STORED_FULL, WAITING);
        full.limit = format!("with {stored} p50 {:.1} ms", base.p50_ms());
        full.target = format!("≤ {TARGET_FLAT:.1} × of {stored}");
        full.is_ok = growth <= TARGET_FLAT;
        rows.push(full);
    }

    seed::waiting(settings, stored).await?;
    seed::settle(settings).await?;
    let times = look(&mut connection, &cookie, views, Some(CARDS)).await?;
    rows.push(row(format!("inbox, {stored} waiting"), &times, &empty, stored, stored));
    seed::clear(settings).await?;
    Ok(rows)
}

fn row(name: String, times: &Latencies, beside: &Latencies, stored: i64, waiting: i64) -> Row {
    Row {
        name,
        measured: format!("p50 {:.1} ms, p95 {:.1} ms", times.p50_ms(), times.p95_ms()),
        limit: format!("without cards p50 {:.1} ms", beside.p50_ms()),
        ratio: Some(times.p50_ms() / beside.p50_ms()),
        target: format!("p50 ≤ {TARGET_MS:.0} ms"),
        is_ok: times.p50_ms() <= TARGET_MS,
        details: json!({
            "stored": stored, "waiting": waiting, "latency": times.json(), "limit": beside.json()}),
    }
}

/// Asks for the page so many times, one after the other, as a browser does.
async fn look(
    connection: &mut Connection,
    cookie: &str,
    views: usize,
    cards: Option<usize>,
) -> anyhow::Result<Latencies> {
    let plain = connection.exchange(&browse("/inbox", cookie, "identity")).await?;
    ensure!(plain.status == 200, "the inbox was answered with {}", plain.status);
    if let Some(cards) = cards {
        let found = plain.text().matches("row-title").count();
        ensure!(found >= cards, "the page shows {found} cards and not {cards}");
    }
    let request = browse("/inbox", cookie, "gzip, deflate, br, zstd");
    let mut times = Vec::new();
    for view in 0..views + 20 {
        let sent = Instant::now();
        let status = connection.exchange(&request).await?.status;
        ensure!(status == 200, "the inbox was answered with {status}");
        // The first ones warm up.
        if view >= 20 {
            times.push(sent.elapsed());
        }
    }
    Ok(Latencies::new(times))
}
