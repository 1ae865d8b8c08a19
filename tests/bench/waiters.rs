//! Agents that wait, each on a connection and an action of its own, and the decisions that wake them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures::future::try_join_all;
use tokio::task::JoinHandle;

use crate::http::{Connection, find};
use crate::latencies::Latencies;
use crate::requests;
use crate::settings::Settings;

/// Connections that decisions come on.
const DECIDERS: usize = 4;
/// An agent that hears nothing for this long after the last decision is lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// Agents that were told to wait.
pub struct Parked {
    ids: Vec<String>,
    waiters: Vec<JoinHandle<anyhow::Result<Heard>>>,
}

struct Heard {
    at: Instant,
    /// How many times the agent had to ask again because a minute was over.
    asked_again: usize,
}

/// What became of them.
pub struct Woken {
    pub latencies: Latencies,
    /// Agents that got no answer or another one than the decision.
    pub lost: Vec<String>,
    pub asked_again: usize,
    pub took: Duration,
}

/// Opens connections at a pace that every listen queue can take.
pub async fn connect(settings: &Settings, count: usize) -> anyhow::Result<Vec<Connection>> {
    let mut connections = Vec::with_capacity(count);
    while connections.len() < count {
        let batch = (count - connections.len()).min(200);
        connections.extend(try_join_all((0..batch).map(|_| Connection::open(settings.address))).await?);
    }
    Ok(connections)
}

/// Parks one agent per connection, `per_second` of them, and gives the server time to settle.
pub async fn park(
    settings: &Settings,
    connections: Vec<Connection>,
    per_second: f64,
) -> anyhow::Result<Parked> {
    let ids = requests::propose_many(settings, connections.len()).await?;
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / per_second));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let mut waiters = Vec::with_capacity(ids.len());
    for (connection, id) in connections.into_iter().zip(&ids) {
        ticks.tick().await;
        waiters.push(tokio::spawn(wait(connection, requests::read(settings, id, "?wait=60"))));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(Parked { ids, waiters })
}

async fn wait(mut connection: Connection, request: Vec<u8>) -> anyhow::Result<Heard> {
    let mut asked_again = 0;
    loop {
        let reply = connection.exchange(&request).await?;
        let at = Instant::now();
        ensure!(reply.status == 200, "answered {}: {}", reply.status, reply.text());
        if find(&reply.body, b"\"status\":\"pending\"").is_none() {
            ensure!(find(&reply.body, b"\"status\":\"approved\"").is_some(), "answered {}", reply.text());
            return Ok(Heard { at, asked_again });
        }
        asked_again += 1;
    }
}

/// Approves one action after the other at a steady pace and listens who hears of it.
pub async fn wake(settings: &Settings, parked: Parked, per_second: f64) -> anyhow::Result<Woken> {
    let began = Instant::now();
    let ids: Arc<[String]> = parked.ids.into();
    let sent = decide_all(settings, &ids, per_second).await?;
    let took = began.elapsed();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let (mut times, mut lost, mut asked_again) = (Vec::new(), Vec::new(), 0);
    for (waiter, (_, sent_at)) in parked.waiters.into_iter().zip(sent) {
        let stop = waiter.abort_handle();
        let Ok(heard) = tokio::time::timeout_at(deadline, waiter).await else {
            stop.abort();
            lost.push("heard nothing".to_owned());
            continue;
        };
        match heard.context("an agent broke down")? {
            Ok(heard) => {
                times.push(heard.at.saturating_duration_since(sent_at));
                asked_again += heard.asked_again;
            }
            Err(error) => lost.push(format!("{error:#}")),
        }
    }
    Ok(Woken { latencies: Latencies::new(times), lost, asked_again, took })
}

/// Approves them at a steady pace; says when each decision was sent.
pub async fn decide_all(
    settings: &Settings,
    ids: &[String],
    per_second: f64,
) -> anyhow::Result<Vec<(usize, Instant)>> {
    let began = Instant::now();
    let deciding = (0..DECIDERS).map(|lane| decide(settings, ids, lane, began, per_second));
    let mut sent: Vec<(usize, Instant)> = try_join_all(deciding).await?.concat();
    sent.sort_unstable_by_key(|(index, _)| *index);
    Ok(sent)
}

/// Decides every [`DECIDERS`]th action, so that all of them together keep the pace.
async fn decide(
    settings: &Settings,
    ids: &[String],
    lane: usize,
    began: Instant,
    per_second: f64,
) -> anyhow::Result<Vec<(usize, Instant)>> {
    let mut connection = Connection::open(settings.address).await?;
    let mut sent = Vec::new();
    let mut request = Vec::new();
    let mut due = began;
    for (index, id) in ids.iter().enumerate().skip(lane).step_by(DECIDERS) {
        #[expect(clippy::cast_precision_loss, reason = "thousands")]
        let planned = began + Duration::from_secs_f64(index as f64 / per_second);
        due = due.max(planned);
        tokio::time::sleep_until(due.into()).await;
        request.clear();
        requests::write_approval(&mut request, settings, id);
        sent.push((index, Instant::now()));
        let reply = connection.exchange(&request).await?;
        ensure!(reply.status == 200, "a decision was answered with {}: {}", reply.status, reply.text());
    }
    Ok(sent)
}
