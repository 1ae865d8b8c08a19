//! What a wait is: it ends pending, tells how far it is, can be given up, and is the same at every server.

use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;

use super::host::{Called, Era, Host, Way};
use super::{look, one};
use crate::support::TestApp;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wait_that_ends_undecided_is_a_success_and_tells_how_far_it_was(db: PgPool) {
    let app = TestApp::start(&db).await;
    let mut beside = Host::start(&app, Way::Stdio, Era::Legacy);
    let mut over_2025 = Host::start(&app, Way::Http, Era::Legacy);
    let mut over_2026 = Host::start(&app, Way::Http, Era::Auto);
    let id = beside.push(json!({})).await;
    let arguments = json!({"action_id": id, "timeout_s": 11});
    let began = Instant::now();
    let mut waits = Vec::new();
    for host in [&mut beside, &mut over_2025, &mut over_2026] {
        waits.push(host.begin("impri_await_decision", arguments.clone(), true).await.1);
    }
    for wait in waits {
        let called = wait.await.expect("an answer");
        assert!(began.elapsed() >= Duration::from_secs(10), "{called:?}");
        assert!(!called.is_error && called.data["status"] == "pending", "{called:?}");
        assert_eq!(called.data["retry_after_s"], 2);
        assert!(called.data["next"].as_str().expect("words").contains("again with the same action_id"));
        assert_progress(&called);
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

/// Rising, towards the whole, in words.
fn assert_progress(called: &Called) {
    let far: Vec<f64> = called.progress.iter().map(|heard| heard[0].as_f64().expect("a number")).collect();
    assert!(far.len() >= 2 && far.is_sorted_by(|a, b| a < b), "{:?}", called.progress);
    for heard in &called.progress {
        assert_eq!(heard[1], 11.0);
        assert!(heard[2].as_str().expect("words").contains("Waiting for a person"), "{heard}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn hosts_that_are_known_to_be_patient_may_ask_for_longer_waits(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (way, era, name, hold) in [
        (Way::Stdio, Era::Legacy, "claude-code", 110.0),
        (Way::Stdio, Era::Auto, "codex-mcp-client", 240.0),
        (Way::Http, Era::Auto, "Cursor", 240.0),
        (Way::Http, Era::Auto, "some-host", 50.0),
        // Between two requests of 2025 nothing is kept, so the name is forgotten.
        (Way::Http, Era::Legacy, "claude-code", 50.0),
    ] {
        let mut host = Host::start_at(&app.url, &app.house().agent.key, way, era, name);
        let id = host.push(json!({"title": format!("{way:?} {era:?} {name}")})).await;
        let arguments = json!({"action_id": id, "timeout_s": 300});
        let (_, waiting) = host.begin("impri_await_decision", arguments, true).await;
        app.parked(1).await;
        app.decider().approve(&id).await;
        let called = waiting.await.expect("an answer");
        assert_eq!(called.data["status"], "approved");
        assert!(called.data["receipt"].is_string(), "{called:?}");
        assert_eq!(called.data["receipt"], app.agent().read(&id).await["receipt"]);
        assert_eq!(called.progress[0][1], hold, "{way:?} {era:?} {name}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn giving_up_a_wait_ends_nothing_but_the_wait(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (way, era) in [(Way::Stdio, Era::Legacy), (Way::Stdio, Era::Auto), (Way::Http, Era::Auto)] {
        let mut host = Host::start(&app, way, era);
        let id = host.push(json!({"title": format!("{way:?} {era:?}")})).await;
        let (number, waiting) = host.begin("impri_await_decision", one(&id), false).await;
        app.parked(1).await;
        host.cancel(number).await;
        assert!(waiting.await.expect("an answer").is_given_up, "{way:?} {era:?}");
        app.parked(0).await;
        assert_eq!(host.done("impri_await_decision", look(&id)).await["status"], "pending");
        app.decider().approve(&id).await;
        assert_eq!(host.done("impri_await_decision", one(&id)).await["status"], "approved");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_host_that_dies_ends_nothing_but_the_wait(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (way, era) in [(Way::Stdio, Era::Auto), (Way::Http, Era::Legacy), (Way::Http, Era::Auto)] {
        let mut host = Host::start(&app, way, era);
        let id = host.push(json!({"title": format!("{way:?} {era:?}")})).await;
        let (_, waiting) = host.begin("impri_await_decision", one(&id), false).await;
        app.parked(1).await;
        waiting.abort();
        drop(host);
        app.parked(0).await;
        assert_eq!(app.agent().read(&id).await["status"], "pending");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_proposed_at_one_server_is_awaited_at_another(db: PgPool) {
    let here = TestApp::start(&db).await;
    let there = here.beside();
    for era in [Era::Legacy, Era::Auto] {
        let mut pushes = Host::start(&here, Way::Http, era);
        let mut waits = Host::start(&there, Way::Http, era);
        let id = pushes.push(json!({"title": format!("{era:?}"), "idempotent": false})).await;
        let (_, waiting) = waits.begin("impri_await_decision", one(&id), true).await;
        there.parked(1).await;
        here.decider().approve(&id).await;
        let seen = waiting.await.expect("an answer").data;
        assert_eq!((&seen["status"], &seen["must_claim"]), (&json!("approved"), &json!(true)));
        assert_eq!(waits.done("impri_claim_action", one(&id)).await["may_act"], true);
        assert!(pushes.failed("impri_claim_action", one(&id)).await.contains("do not act"));
    }
}
