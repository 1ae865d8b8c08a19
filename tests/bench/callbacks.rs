//! How soon a receiver hears of a decision, at a steady hundred decisions a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::ensure;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::latencies::Latencies;
use crate::report::Row;
use crate::settings::Settings;
use crate::{requests, seed, waiters};

const DECISIONS_PER_SECOND: f64 = 100.0;
const TARGET_MS: f64 = 1_000.0;
/// What has not arrived this long after the last decision is lost.
const PATIENCE: Duration = Duration::from_secs(20);

type Heard = Arc<Mutex<HashMap<String, (Instant, u32)>>>;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let heard = Heard::default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = format!("http://{}/heard", listener.local_addr()?);
    let receiver = Router::new().route("/heard", post(hear)).with_state(Arc::clone(&heard));
    let receiving = tokio::spawn(axum::serve(listener, receiver).into_future());

    let count = if settings.quick { 300 } else { 2_000 };
    let ids: Arc<[String]> = requests::propose_many_to(settings, count, Some(&target)).await?.into();
    let sent = waiters::decide_all(settings, &ids, DECISIONS_PER_SECOND).await?;
    let deadline = Instant::now() + PATIENCE;
    while lock(&heard).len() < count && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    receiving.abort();
    let heard = lock(&heard);
    let (mut times, mut lost) = (Vec::new(), 0);
    for (index, sent_at) in sent {
        match heard.get(&ids[index]) {
            Some((at, _)) => times.push(at.saturating_duration_since(sent_at)),
            None => lost += 1,
        }
    }
    let twice = heard.values().filter(|(_, count)| *count > 1).count();
    ensure!(!times.is_empty(), "no callback arrived: is the server allowed to send to this machine?");
    let latencies = Latencies::new(times);
    let (p50, p99) = (latencies.p50_ms(), latencies.p99_ms());
    let trouble = if lost + twice > 0 { format!(", {lost} LOST, {twice} twice") } else { String::new() };
    Ok(vec![Row {
        name: "decision → callback, 100/s".to_owned(),
        measured: format!("p50 {p50:.1} ms, p99 {p99:.1} ms{trouble}"),
        limit: String::new(),
        ratio: None,
        target: format!("p99 ≤ {TARGET_MS:.0} ms"),
        is_ok: p99 <= TARGET_MS && lost + twice == 0,
        details: json!({"latency": latencies.json(), "lost": lost, "twice": twice}),
    }])
}

async fn hear(State(heard): State<Heard>, Json(event): Json<Value>) {
    let id = event["action_id"].as_str().unwrap_or_default().to_owned();
    lock(&heard).entry(id).or_insert((Instant::now(), 0)).1 += 1;
}

fn lock(heard: &Heard) -> std::sync::MutexGuard<'_, HashMap<String, (Instant, u32)>> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
