//! Agents and deciders who ask one server or the other, ask again when they hear nothing, and remember every yes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use impri::server::receipts::KeySet;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::Dice;
use super::machines::Machines;
use crate::managed_postgres::support::PATIENCE;

/// How many ask at a time.
const WORKERS: usize = 8;

/// What was answered with yes.
#[derive(Debug, Default, Clone)]
pub(super) struct Accepted {
    /// By the idempotency key: the action.
    pub(super) proposals: BTreeMap<String, String>,
    /// By the action: the verdict of every yes.
    pub(super) decisions: BTreeMap<String, Vec<&'static str>>,
    /// By the action: how many were told to run it.
    pub(super) claims: BTreeMap<String, u32>,
    /// Actions whose result was taken.
    pub(super) reports: Vec<String>,
}

struct Shared {
    urls: [String; 2],
    agent: String,
    decider: String,
    callback: String,
    http: reqwest::Client,
    stop: AtomicBool,
    next: AtomicU64,
    accepted: Mutex<Accepted>,
}

#[derive(Clone)]
pub(super) struct Load(Arc<Shared>);

impl Load {
    pub(super) fn new(machines: &Machines, callback: &str) -> Self {
        let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(10)).build();
        Self(Arc::new(Shared {
            urls: machines.urls(),
            agent: machines.key("actions"),
            decider: machines.key("decide"),
            callback: callback.to_owned(),
            http: http.expect("a client"),
            stop: AtomicBool::new(false),
            next: AtomicU64::new(0),
            accepted: Mutex::default(),
        }))
    }

    /// Begins.
    pub(super) fn start(&self, dice: &mut Dice) -> Vec<JoinHandle<()>> {
        let worker = |mut dice: Dice| {
            let load = self.clone();
            tokio::spawn(async move {
                while !load.0.stop.load(Ordering::SeqCst) {
                    load.live(&mut dice).await;
                }
            })
        };
        (0..WORKERS).map(|_| worker(dice.for_somebody())).collect()
    }

    /// Nobody begins with another action.
    pub(super) fn stop(&self) {
        self.0.stop.store(true, Ordering::SeqCst);
    }

    pub(super) fn accepted(&self) -> MutexGuard<'_, Accepted> {
        self.0.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys that verify receipts, as everybody gets them.
    pub(super) async fn public_keys(&self) -> KeySet {
        let answer = self.0.http.get(format!("{}/.well-known/jwks.json", self.0.urls[1])).send().await;
        let text = answer.expect("an answer").text().await.expect("a text");
        KeySet::parse(&text).expect("public keys")
    }

    /// One action from its proposal to its result, with two who decide and two who want to run it.
    async fn live(&self, dice: &mut Dice) {
        let key = format!("k{}", self.0.next.fetch_add(1, Ordering::SeqCst));
        let proposal = json!({
            "kind": "email.send", "title": format!("Letter {key}"), "preview": {"format": "plain", "body": key},
            "editable": ["title"], "callback_url": self.0.callback, "idempotency_key": key,
        });
        let (status, made) = self.ask(&self.0.agent, "/v1/actions", &proposal, dice).await;
        assert!(matches!(status, 200 | 201), "{status} {made}");
        let id = made["id"].as_str().expect("an id").to_owned();
        let before = self.accepted().proposals.insert(key, id.clone());
        assert_eq!(before, None);

        let mut other = dice.for_somebody();
        tokio::join!(self.decide(&id, dice), self.decide(&id, &mut other));
        tokio::join!(self.run(&id, dice), self.run(&id, &mut other));
    }

    async fn decide(&self, id: &str, dice: &mut Dice) {
        let (verdict, decision) = match dice.below(4) {
            0 => ("reject", json!({"decision": "reject", "comment": "No."})),
            1 => ("approve", json!({"decision": "approve", "edited": {"title": "A letter"}})),
            _ => ("approve", json!({"decision": "approve"})),
        };
        let path = format!("/v1/actions/{id}/decision");
        let (status, answer) = self.ask(&self.0.decider, &path, &decision, dice).await;
        match status {
            200 => self.accepted().decisions.entry(id.to_owned()).or_default().push(verdict),
            // Somebody else decided, or we did and the answer was lost.
            409 => {}
            _ => panic!("{status} {answer}"),
        }
    }

    async fn run(&self, id: &str, dice: &mut Dice) {
        let path = format!("/v1/actions/{id}/claim");
        let (status, answer) = self.ask(&self.0.agent, &path, &json!({}), dice).await;
        match status {
            200 => *self.accepted().claims.entry(id.to_owned()).or_default() += 1,
            // It was rejected, or claimed: by somebody else, or by us and the answer was lost.
            409 => return,
            _ => panic!("{status} {answer}"),
        }
        let report = json!({"status": "executed", "detail": "done"});
        let (status, answer) =
            self.ask(&self.0.agent, &format!("/v1/actions/{id}/result"), &report, dice).await;
        assert_eq!(status, 200, "{answer}");
        self.accepted().reports.push(id.to_owned());
    }

    /// Asks one of the servers, and again until one answers: a dead one says nothing, one without a database that it
    /// can't.
    async fn ask(&self, key: &str, path: &str, body: &Value, dice: &mut Dice) -> (u16, Value) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let url = &self.0.urls[usize::from(dice.below(2) == 0)];
            let request = self.0.http.post(format!("{url}{path}")).bearer_auth(key).json(body);
            if let Ok(answer) = request.send().await {
                let status = answer.status().as_u16();
                if let (true, Ok(body)) = (status < 500, answer.json().await) {
                    return (status, body);
                }
            }
            assert!(Instant::now() < deadline, "nobody answers {path}");
            sleep(dice.within(Duration::from_millis(100))).await;
        }
    }
}
