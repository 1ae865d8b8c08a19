//! How soon people's programs are told of a proposal, at a steady twenty proposals a second over three channels.
//!
//! The channels are webhooks, which are told of each proposal; in a chat so many become a list.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::http::Connection;
use crate::latencies::Latencies;
use crate::report::Row;
use crate::settings::Settings;
use crate::{requests, seed};

const CHANNELS: usize = 3;
const EVERY: Duration = Duration::from_millis(50);
const TARGET_MS: f64 = 1_000.0;
/// What has not arrived this long after the last proposal is lost.
const PATIENCE: Duration = Duration::from_secs(20);

/// When each channel was first told of each action, and how often.
type Told = Arc<Mutex<HashMap<(usize, String), (Instant, u32)>>>;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    seed::clear(settings).await?;
    let told = Told::default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}", listener.local_addr()?);
    let receiver = Router::new().route("/{channel}", post(hear)).with_state(Arc::clone(&told));
    let receiving = tokio::spawn(axum::serve(listener, receiver).into_future());
    let mut connection = Connection::open(settings.address).await?;
    let mut channels = Vec::new();
    for number in 0..CHANNELS {
        let body = json!({"name": format!("bench {number}"), "type": "webhook",
            "config": {"url": format!("{base}/{number}"), "hmac_secret": "0123456789abcdef0123456789abcdef"}});
        let request = requests::post(&settings.admin_key, "/v1/notification-channels", &body.to_string());
        channels.push(id_of(&mut connection, &request).await?);
    }

    let count = if settings.quick { 100 } else { 600 };
    let mut sent = Vec::new();
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for _ in 0..count {
        ticks.tick().await;
        let mut request = Vec::new();
        requests::write_proposal(&mut request, settings);
        let at = Instant::now();
        sent.push((id_of(&mut connection, &request).await?, at));
    }
    let deadline = Instant::now() + PATIENCE;
    while lock(&told).len() < count * CHANNELS && Instant::now() < deadline {
        sleep(Duration::from_millis(20)).await;
    }
    receiving.abort();
    for id in channels {
        let request = requests::delete(&settings.admin_key, &format!("/v1/notification-channels/{id}"));
        let reply = connection.exchange(&request).await?;
        ensure!(reply.status == 204, "a channel could not be deleted: {}", reply.status);
    }

    let told = lock(&told);
    let (mut times, mut lost) = (Vec::new(), 0);
    for (id, at) in sent {
        for channel in 0..CHANNELS {
            match told.get(&(channel, id.clone())) {
                Some((heard, _)) => times.push(heard.saturating_duration_since(at)),
                None => lost += 1,
            }
        }
    }
    let twice = told.values().filter(|(_, count)| *count > 1).count();
    ensure!(!times.is_empty(), "no message arrived: is the server allowed to send to this machine?");
    let latencies = Latencies::new(times);
    let (p50, p95) = (latencies.p50_ms(), latencies.p95_ms());
    let trouble = if lost + twice > 0 { format!(", {lost} LOST, {twice} twice") } else { String::new() };
    Ok(vec![Row {
        name: "proposal → 3 channels, 20/s".to_owned(),
        measured: format!("p50 {p50:.1} ms, p95 {p95:.1} ms{trouble}"),
        limit: String::new(),
        ratio: None,
        target: format!("p95 ≤ {TARGET_MS:.0} ms"),
        is_ok: p95 <= TARGET_MS && lost + twice == 0,
        details: json!({"latency": latencies.json(), "lost": lost, "twice": twice}),
    }])
}

async fn id_of(connection: &mut Connection, request: &[u8]) -> anyhow::Result<String> {
    let reply = connection.exchange(request).await?;
    ensure!(reply.status == 201, "a request was answered with {}: {}", reply.status, reply.text());
    let answer: Value = serde_json::from_slice(&reply.body)?;
    Ok(answer["id"].as_str().context("the answer names no id")?.to_owned())
}

async fn hear(State(told): State<Told>, Path(channel): Path<usize>, Json(event): Json<Value>) {
    let id = event["action_id"].as_str().unwrap_or_default().to_owned();
    lock(&told).entry((channel, id)).or_insert((Instant::now(), 0)).1 += 1;
}

fn lock(told: &Told) -> std::sync::MutexGuard<'_, HashMap<(usize, String), (Instant, u32)>> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}
