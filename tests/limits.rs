//! What protects the server from a key that asks too much, and what tells its operator how it fares.

use impri::domain::scope::Scope;
use impri::server::config::{MetricsAccess, RateSettings};
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Settings, TestApp, api::mail, api::mail_with};

fn limited(rates: &str) -> Settings {
    Settings { rates: RateSettings::parse(rates).expect("limits"), ..Settings::default() }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_over_its_limit_is_told_when_and_nothing_was_stored(db: PgPool) {
    let app = TestApp::start_with(&db, limited("propose=2,decide=1,read=6")).await;
    let agent = app.agent();
    let one = agent.proposed(&mail()).await;
    agent.proposed(&mail_with(json!({"title": "Two"}))).await;
    let refused = agent.propose(&mail_with(json!({"title": "Three"}))).await;
    assert!(refused.refusal(429).contains("try again"));
    let wait = refused.json["retry_after"].as_u64().expect("seconds");
    assert_eq!(refused.header("retry-after"), wait.to_string());
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(app.count("select count(*) from action").await, 2);
    let other = app.key("other", &[Scope::Actions], None).await;
    app.with_key(&other.key).proposed(&mail_with(json!({"title": "Mine"}))).await;

    app.decider().approve(&one).await;
    app.decider().decide(&one, &json!({"decision": "approve"})).await.refusal(429);
    // A refused read loses nothing: the decision is there when the key may ask again.
    for _ in 0..6 {
        assert_eq!(agent.read(&one).await["status"], "approved");
    }
    agent.wait_for(&one, 60).await.refusal(429);
    app.advance(wait);
    agent.proposed(&mail_with(json!({"title": "Three"}))).await;
    assert_eq!(agent.read(&one).await["status"], "approved");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_limits_nothing_is_refused(db: PgPool) {
    let app = TestApp::start_with(&db, limited("off")).await;
    let id = app.agent().proposed(&mail()).await;
    for _ in 0..200 {
        app.agent().read(&id).await;
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn metrics_are_there_for_whoever_has_the_token(db: PgPool) {
    let plain = TestApp::start(&db).await;
    assert_eq!(plain.with_key("secret").get("/metrics").await.status, 404, "nobody asked for them");
    let house = plain.house().clone();
    drop(plain);
    let access = MetricsAccess::new(true, Some("secret".to_owned()));
    let settings = Settings { metrics: access, ..limited("propose=1") };
    let app = TestApp::again_with(&db, house, settings);
    app.without_key().get("/metrics").await.refusal(401);
    app.with_key("secreT").get("/metrics").await.refusal(401);
    let id = app.agent().proposed(&mail()).await;
    app.agent().propose(&mail_with(json!({"title": "Too many"}))).await.refusal(429);
    app.advance(70);
    app.decider().decide(&id, &json!({"verdict": "approve", "channel": "made-up"})).await.expect(200);
    app.agent().proposed(&mail_with(json!({"title": "Waits"}))).await;
    app.advance(10);
    let answer = app.with_key("secret").get("/metrics").await;
    assert!(answer.header("content-type").starts_with("application/openmetrics-text"));
    for line in [
        "impri_http_requests_total{route=\"/v1/actions\",method=\"POST\",status_class=\"2xx\"} 2",
        "impri_action_decisions_total{verdict=\"approve\",channel=\"other\"} 1",
        "impri_action_decision_latency_seconds_bucket{le=\"60.0\"} 0",
        "impri_action_decision_latency_seconds_bucket{le=\"300.0\"} 1",
        "impri_rate_limited_total{bucket=\"propose\"} 1",
        "impri_pending_actions 1",
        "impri_oldest_pending_age_seconds 10.0",
        "impri_waiters 0",
        "impri_outbox_messages 0",
    ] {
        assert!(answer.text.contains(line), "{line} is not in\n{}", answer.text);
    }
    assert!(!answer.text.contains("made-up") && !answer.text.contains(&id));
}
