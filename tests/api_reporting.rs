//! The agent reports what came of an approved action.

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

/// An approved action.
async fn approved(app: &TestApp) -> String {
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    id
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_result_ends_the_action_and_is_read_with_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = approved(&app).await;
    app.advance(5);
    let now = app.clock.now().unix_timestamp();
    let report = json!({"status": "executed", "detail": "sent", "payload": {"message_id": "m1"}});
    let answer = app.agent().report(&id, &report).await.expect(200);
    assert_eq!(answer, json!({"id": id, "action_id": id, "status": "executed", "updated_at": now}));
    let seen = app.agent().read(&id).await;
    assert_eq!(seen["status"], "executed");
    assert_eq!((&seen["result_payload"], &seen["result_detail"]), (&report["payload"], &report["detail"]));
    assert_eq!((&seen["result_at"], &seen["updated_at"]), (&json!(now), &json!(now)));
    assert_eq!(seen["decision"]["verdict"], "approve", "the decision stays");
    let (kind, _, name, channel, data) = app.events(&id).await.pop().expect("an event");
    assert_eq!((kind.as_str(), name.as_str(), channel.as_str()), ("action.executed", "first-agent", "api"));
    assert_eq!(data, json!({"detail": "sent", "payload": {"message_id": "m1"}}));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_failure_is_a_result_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = approved(&app).await;
    app.agent().report(&id, &json!({"status": "execute_failed"})).await.expect(200);
    let seen = app.agent().read(&id).await;
    assert_eq!(seen["status"], "execute_failed");
    assert!(seen.get("result_payload").is_none() && seen.get("result_detail").is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_same_report_again_changes_nothing_and_another_one_is_a_conflict(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = approved(&app).await;
    let report = json!({"status": "executed", "payload": {"exit_code": 0}});
    let first = app.agent().report(&id, &report).await.expect(200);
    app.advance(60);
    assert_eq!(app.agent().report(&id, &report).await.expect(200), first);
    for other in [
        json!({"status": "execute_failed"}),
        json!({"status": "executed"}),
        json!({"status": "executed", "payload": {"exit_code": 1}}),
    ] {
        let answer = app.agent().report(&id, &other).await;
        assert!(answer.refusal(409).contains("reported before: executed"), "{}", answer.text);
        assert_eq!(answer.json["current_status"], "executed");
    }
    assert_eq!(app.count("select count(*) from audit_event where kind like 'action.execut%'").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn sixteen_same_reports_at_once_are_one_and_all_succeed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = approved(&app).await;
    let reports = (0..16).map(|n| {
        let (agent, id) = (if n % 2 == 0 { app.agent() } else { other.agent() }, id.clone());
        async move { agent.report(&id, &json!({"status": "executed", "detail": "once"})).await }
    });
    for answer in futures::future::join_all(reports).await {
        assert_eq!(answer.status, 200, "reporting the same twice is a success: {}", answer.text);
    }
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.executed'").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_an_approved_action_can_be_reported(db: PgPool) {
    let app = TestApp::start(&db).await;
    let report = json!({"status": "executed"});
    let pending = app.agent().proposed(&mail_with(json!({"title": "pending"}))).await;
    let rejected = app.agent().proposed(&mail_with(json!({"title": "rejected"}))).await;
    app.decider().decide(&rejected, &json!({"decision": "reject"})).await.expect(200);
    for (id, status) in [(&pending, "pending"), (&rejected, "rejected")] {
        let answer = app.agent().report(id, &report).await;
        assert!(answer.refusal(409).contains(status), "{}", answer.text);
        assert_eq!(answer.json["current_status"], status);
    }
    app.advance(259_200);
    assert_eq!(app.agent().report(&pending, &report).await.json["current_status"], "expired");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_report_over_a_limit_is_refused_by_name(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = approved(&app).await;
    let kib16 = 16 * 1024;
    for (field, report, limits) in [
        ("status", json!({}), None),
        ("status", json!({"status": "done"}), None),
        ("detail", json!({"status": "executed", "detail": "x".repeat(4001)}), Some((4000, 4001))),
        ("detail", json!({"status": "executed", "detail": "a\0b"}), None),
        ("payload", json!({"status": "executed", "payload": [1]}), None),
        ("payload", json!({"status": "executed", "payload": "x"}), None),
        (
            "payload",
            json!({"status": "executed", "payload": {"a": "x".repeat(kib16 - 7)}}),
            Some((16_384, 16_385)),
        ),
        ("payload.n", json!({"status": "executed", "payload": {"n": u64::MAX}}), None),
    ] {
        let answer = app.agent().report(&id, &report).await;
        let issue = answer.issue(field);
        assert_eq!(issue["limit"].as_u64().zip(issue["sent"].as_u64()), limits, "{}", answer.text);
    }
    assert_eq!(app.agent().read(&id).await["status"], "approved");
    let largest = json!({"status": "executed", "payload": {"a": "x".repeat(kib16 - 8)}});
    app.agent().report(&id, &largest).await.expect(200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_that_only_decides_cannot_report(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = approved(&app).await;
    let answer = app.decider().report(&id, &json!({"status": "executed"})).await;
    assert!(answer.refusal(403).contains("scope actions"), "{}", answer.text);
    let colleague = app.key("another agent", &[Scope::Actions], None).await;
    let colleague = app.with_key(&colleague.key);
    colleague.report(&id, &json!({"status": "executed"})).await.expect(200);
}
