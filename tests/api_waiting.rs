//! An agent waits for a decision. Every wait here is far longer than the test may take: what answers early was woken.

use std::time::{Duration, Instant};

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Answer, TestApp, api::mail, eventually};

/// What a wake-up may take, on a busy machine too.
const SOON: Duration = Duration::from_secs(1);

/// The answer to a wait, and that it came soon after `since`.
async fn soon(since: Instant, waiting: tokio::task::JoinHandle<Answer>) -> serde_json::Value {
    let answer = waiting.await.expect("an answer").expect(200);
    assert!(since.elapsed() < SOON, "woken after {:?}", since.elapsed());
    answer
}

/// Cuts the connections that listen for signals, as a restart of the database would; says how many.
async fn cut_listeners(db: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity
         where datname = current_database() and query ilike 'listen %'",
    )
    .fetch_one(db)
    .await
    .expect("a superuser")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_wakes_the_waiting_agent_within_a_second(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    let since = Instant::now();
    app.decider().approve(&id).await;
    let seen = soon(since, waiting).await;
    assert_eq!((&seen["status"], &seen["decision"]["verdict"]), (&json!("approved"), &json!("approve")));
    app.parked(0).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_that_was_revoked_meanwhile_hears_of_no_decision(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let key = app.key("short-lived", &[Scope::Actions], None).await;
    let one = app.with_key(&key.key).wait_aside(&id, 60);
    app.parked(1).await;
    app.revoke(&key).await;
    app.decider().approve(&id).await;
    one.await.expect("an answer").refusal(401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_on_one_server_wakes_agents_on_all(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail()).await;
    let waiting: Vec<_> = (0..3).map(|_| other.agent().wait_aside(&id, 60)).collect();
    other.parked(3).await;
    let since = Instant::now();
    app.decider().decide(&id, &json!({"decision": "reject", "comment": "no"})).await.expect(200);
    for wait in waiting {
        let seen = soon(since, wait).await;
        assert_eq!((&seen["status"], &seen["decision"]["comment"]), (&json!("rejected"), &json!("no")));
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_reviewers_form_wakes_the_agent_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let ada = app.ada().await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    ada.submit_decide_form(&id, "approve", &[]).await;
    let since = Instant::now();
    assert_eq!(soon(since, waiting).await["decision"]["decided_by"]["name"], "Ada");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn somebody_elses_decision_wakes_nobody(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let another = app.agent().proposed(&crate::support::api::mail_with(json!({"title": "Another"}))).await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    app.decider().approve(&another).await;
    assert_eq!(app.agent().wait_for(&another, 60).await.json["status"], "approved");
    assert!(!waiting.is_finished());
    waiting.abort();
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wait_that_times_out_is_a_success_that_says_pending(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let since = Instant::now();
    let seen = app.agent().wait_for(&id, 1).await.expect(200);
    assert_eq!(seen["status"], "pending");
    assert!(since.elapsed() >= Duration::from_secs(1));
    let since = Instant::now();
    assert_eq!(app.agent().wait_for(&id, 0).await.expect(200)["status"], "pending");
    assert!(since.elapsed() < SOON, "zero seconds is a plain read");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_decided_already_is_answered_at_once(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    let since = Instant::now();
    assert_eq!(app.agent().wait_for(&id, 60).await.expect(200)["status"], "approved");
    assert!(since.elapsed() < SOON);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wait_out_of_bounds_is_refused_by_name(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    for wait in ["61", "-1", "1.5", "soon", "", "99999999999999999999"] {
        let answer = app.agent().get(&format!("/v1/actions/{id}?wait={wait}")).await;
        assert!(
            answer.issue("wait")["message"].as_str().expect("words").contains("0 to 60"),
            "{}",
            answer.text
        );
    }
    app.agent().get(&format!("/v1/actions/{id}?wait=1&wait=2")).await.issue("wait");
    assert_eq!(app.agent().get(&format!("/v1/actions/{id}?other=1")).await.status, 200, "others are ignored");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agent_that_hangs_up_withdraws_nothing_and_leaves_no_trace(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    waiting.abort();
    app.parked(0).await;
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    app.decider().approve(&id).await;
    assert_eq!(app.agent().wait_for(&id, 60).await.json["status"], "approved");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_stops_answers_pending(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    let since = Instant::now();
    app.begin_stop();
    assert_eq!(soon(since, waiting).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_end_of_its_time_wakes_the_agent(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let left = impri::domain::Instant::from_unix_timestamp(
        app.agent().read(&id).await["expires_at"].as_i64().expect("a time"),
    )
    .expect("a time")
        - app.clock.now();
    let left = Duration::try_from(left).expect("it is ahead");
    // A quarter of a second before its end, by a clock that stands still there.
    app.clock.advance(left.saturating_sub(Duration::from_millis(250)));
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    app.clock.advance(Duration::from_millis(250));
    let since = Instant::now();
    let seen = soon(since, waiting).await;
    assert_eq!(seen["status"], "expired");
    assert!(seen.get("decision").is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_lost_listener_loses_no_wake_up(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail()).await;
    let waiting = other.agent().wait_aside(&id, 60);
    other.parked(1).await;
    assert_eq!(cut_listeners(&db).await, 2, "one for each server");
    // While nobody listens, so that no signal reaches the other server.
    app.decider().approve(&id).await;
    assert_eq!(waiting.await.expect("an answer").expect(200)["status"], "approved");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn signals_arrive_again_after_the_listener_came_back(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    cut_listeners(&db).await;
    let listeners =
        "select count(*) from pg_stat_activity where datname = current_database() and query ilike 'listen %'";
    eventually("both listen again", async || app.count(listeners).await == 2).await;
    let id = app.agent().proposed(&mail()).await;
    let waiting = other.agent().wait_aside(&id, 60);
    other.parked(1).await;
    let since = Instant::now();
    app.decider().approve(&id).await;
    assert_eq!(soon(since, waiting).await["status"], "approved");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn waiting_agents_hold_no_connections_to_the_database(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    // Many more than the server has connections.
    let waiting: Vec<_> = (0..100).map(|_| app.agent().wait_aside(&id, 60)).collect();
    app.parked(100).await;
    let since = Instant::now();
    app.decider().approve(&id).await;
    for wait in waiting {
        assert_eq!(wait.await.expect("an answer").expect(200)["status"], "approved");
    }
    assert!(since.elapsed() < 5 * SOON, "all of them within {:?}", since.elapsed());
}
