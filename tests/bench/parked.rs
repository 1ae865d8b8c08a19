//! What ten thousand parked agents weigh, and that every one of them is woken.

use std::time::Duration;

use serde_json::json;

use crate::idle::resident_mb;
use crate::report::Row;
use crate::settings::Settings;
use crate::{seed, waiters};

const AGENTS: usize = 10_000;
const AGENTS_QUICK: usize = 2_000;
const DECISIONS_PER_SECOND: f64 = 400.0;
const PARKED_PER_SECOND: f64 = 1_500.0;
const TARGET_MB: f64 = 300.0;
/// Files that are open beside the connections.
const OTHER_FILES: usize = 200;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let wanted = if settings.quick { AGENTS_QUICK } else { AGENTS };
    let most = open_files()?.saturating_sub(OTHER_FILES);
    let agents = wanted.min(most);
    if agents < wanted {
        eprintln!("  only {agents} of {wanted}: more files may not be open at once here (ulimit -Hn)");
    }
    let before = resident_mb(settings.pid)?;
    let mut connections = waiters::connect(settings, agents).await?;
    // What the connections alone weigh, after each has been used once.
    for connection in &mut connections {
        connection.exchange(b"GET /healthz HTTP/1.1\r\nHost: impri\r\n\r\n").await?;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let connected = resident_mb(settings.pid)?;
    let parked = waiters::park(settings, connections, PARKED_PER_SECOND).await?;
    let loaded = resident_mb(settings.pid)?;
    let woken = waiters::wake(settings, parked, DECISIONS_PER_SECOND).await?;
    let after = resident_mb(settings.pid)?;
    let is_whole = woken.lost.is_empty() && agents == wanted;
    Ok(vec![Row {
        name: "parked agents".to_owned(),
        measured: format!("{agents}: {loaded:.0} MB, {} lost", woken.lost.len()),
        limit: format!("{agents} idle connections: {connected:.0} MB"),
        ratio: Some(loaded / connected),
        target: format!("{wanted} in ≤ {TARGET_MB:.0} MB, 0 lost"),
        is_ok: loaded <= TARGET_MB && is_whole,
        details: json!({
            "agents": agents, "rss_before_mb": before, "rss_connected_mb": connected, "rss_parked_mb": loaded,
            "rss_after_mb": after, "lost": woken.lost.len(), "lost_first": woken.lost.first(),
            "asked_again": woken.asked_again, "wake": woken.latencies.json(), "seconds": woken.took.as_secs_f64(),
        }),
    }])
}

/// How many files this process may have open.
fn open_files() -> anyhow::Result<usize> {
    let (soft, _) = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE)?;
    Ok(usize::try_from(soft).unwrap_or(usize::MAX))
}
