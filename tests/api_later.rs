//! What other servers of this contract have: lists are empty, making is refused with a sentence, nothing is a surprise.

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn lists_are_empty_and_making_is_refused_with_a_sentence(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let watcher = app.program(&[Scope::Watch]).await;
    for (path, answer) in [
        ("/v1/watchers?status=active&limit=10", json!({"items": [], "has_more": false})),
        ("/v1/watcher-presets", json!({"presets": []})),
    ] {
        assert_eq!(watcher.get(path).await.expect(200), answer);
        assert_eq!(admin.get(path).await.expect(200), answer);
        assert!(app.agent().get(path).await.refusal(403).contains("scope watch"));
        app.without_key().get(path).await.refusal(401);
    }
    assert_eq!(admin.get("/v1/rules").await.expect(200), json!({"items": []}));
    assert!(app.agent().get("/v1/rules").await.refusal(403).contains("scope admin"));
    app.without_key().get("/v1/rules").await.refusal(401);
    for path in [
        "/v1/watchers",
        "/v1/watchers/from-preset",
        "/v1/rules",
        "/v1/billing/checkout",
        "/v1/billing/portal",
    ] {
        let answer = admin.post(path, &json!({"name": "x"})).await;
        assert!(answer.refusal(501).len() > 20, "{path}: {}", answer.text);
        assert_eq!(answer.json["error"], "Not Implemented");
        app.without_key().post(path, &json!({})).await.refusal(401);
    }
    assert!(app.agent().post("/v1/rules", &json!({})).await.refusal(403).contains("scope admin"));
    for path in ["/v1/watchers/wat_x", "/v1/rules/rul_x"] {
        for method in [Method::GET, Method::PATCH, Method::DELETE] {
            admin.send(method, path, &[], "{}").await.refusal(404);
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn there_is_nothing_to_pay_and_no_sign_up(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let billing = admin.get("/v1/billing").await.expect(200);
    assert_eq!((&billing["status"], &billing["billing_enabled"]), (&json!("self_host"), &json!(false)));
    app.without_key().post("/v1/signup", &json!({"name": "x"})).await.refusal(404);
    for path in ["/v1/usage", "/v1/billing"] {
        assert!(app.agent().get(path).await.refusal(403).contains("scope admin"));
        app.without_key().get(path).await.refusal(401);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn usage_counts_this_month_and_this_project(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let (foreign, _) = app.foreign_project().await;
    app.with_key(&foreign.key).proposed(&mail()).await;
    app.agent().proposed(&mail()).await;
    // The next month, wherever in this one the clock stands.
    app.advance(31 * 86_400);
    let callback = json!({"title": "second", "callback_url": "https://hooks.example/x"});
    let approved = app.agent().proposed(&mail_with(callback)).await;
    app.decider().approve(&approved).await;
    app.agent().proposed(&mail_with(json!({"title": "third"}))).await;
    let usage = admin.get("/v1/usage").await.expect(200);
    let expected = json!({"created_this_period": 2, "pending": 1, "approved": 1, "rejected": 0, "expired": 0,
        "cancelled": 0, "executed": 0, "execute_failed": 0});
    assert_eq!(usage["actions"], expected);
    assert_eq!(usage["approvals"], json!({"used": 2, "limit": null, "remaining": null}));
    assert_eq!(usage["webhook_delivery"], json!({"dlq_size": 0, "pending": 1, "in_retry": 0}));
    assert_eq!(usage["project_id"], app.project().to_string());
    let (start, end) = (usage["period"]["start"].as_i64(), usage["period"]["end"].as_i64());
    let now = Some(app.clock.now().unix_timestamp());
    assert!(start <= now && now < end && usage["ts"].as_i64() == now, "{usage}");
    sqlx::query("update outbox set state = 'dlq'").execute(&db).await.expect("a row");
    let usage = admin.get("/v1/usage").await.expect(200);
    assert_eq!(usage["webhook_delivery"], json!({"dlq_size": 1, "pending": 0, "in_retry": 0}));
}
