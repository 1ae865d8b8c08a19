//! What the tools refuse, and in which words.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::host::{Era, Host, Way};
use super::{look, one, push_with};
use crate::support::TestApp;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn refusals_name_the_field_and_the_fix(db: PgPool) {
    let app = TestApp::start(&db).await;
    for way in [Way::Stdio, Way::Http] {
        let mut host = Host::start(&app, way, Era::Auto);
        let long = "x".repeat(501);
        for (members, words) in [
            (json!({"expires_in": 5}), ["expires_in", "300"]),
            (json!({"title": long}), ["title", "500"]),
            (json!({"title": 5}), ["title", "expected a string"]),
            (json!({"editable": ["decision"]}), ["editable", "decision"]),
            (json!({"idempotant": false}), ["idempotant", "`idempotent`"]),
        ] {
            let said = host.failed("impri_push_action", push_with(members)).await;
            assert!(words.iter().all(|word| said.contains(word)), "{words:?}: {said}");
        }
        for id in ["act_AAAAAAAAAAAAAAAAAAAAAA", "act_1", "../keys"] {
            let said = host.failed("impri_await_decision", look(id)).await;
            assert!(said.contains("id"), "{said}");
        }
        host.done("impri_push_action", push_with(json!({"idempotency_key": "k"}))).await;
        let said = host
            .failed("impri_push_action", push_with(json!({"idempotency_key": "k", "title": "Other"})))
            .await;
        assert!(said.contains("title") && said.contains("new idempotency_key"), "{said}");
    }
    assert_eq!(app.count("select count(*) from action").await, 1, "nothing else was stored");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_tool_decides_whatever_the_key_may(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.key("root", &[Scope::Admin], None).await;
    let id = app.agent().proposed(&push_with(json!({}))).await;
    for way in [Way::Stdio, Way::Http] {
        let mut host = Host::start_at(&app.url, &admin.key, way, Era::Auto, "x");
        for tool in ["impri_approve_action", "impri_decide", "impri_reject_action", "decide_action"] {
            let said = host.failed(tool, json!({"action_id": id, "decision": "approve"})).await;
            assert!(said.contains("no such tool"), "{said}");
        }
        let with = |more: Value| {
            let mut arguments = one(&id);
            arguments
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            arguments
        };
        let decision = json!({"decision": "approve", "verdict": "approve"});
        for (tool, arguments) in [
            ("impri_claim_action", with(decision.clone())),
            ("impri_cancel_action", with(decision.clone())),
            ("impri_await_decision", with(decision.clone())),
            ("impri_report_result", with(json!({"status": "approved"}))),
            ("impri_report_result", with(json!({"status": "executed"}))),
            ("impri_report_result", json!({"action_id": format!("{id}/decision#"), "status": "approve"})),
            ("impri_claim_action", one(&format!("{id}/decision"))),
        ] {
            host.failed(tool, arguments).await;
        }
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn keys_may_do_by_a_tool_what_they_may_do_without_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, _) = app.foreign_project().await;
    let id = app.agent().proposed(&push_with(json!({}))).await;
    for way in [Way::Stdio, Way::Http] {
        let mut host = Host::start_at(&app.url, &app.house().decider.key, way, Era::Auto, "x");
        let said = host.failed("impri_push_action", push_with(json!({}))).await;
        assert!(said.contains("scope actions"), "{said}");
        let mut host = Host::start_at(&app.url, &foreign.key, way, Era::Auto, "x");
        for (tool, arguments) in [("impri_await_decision", look(&id)), ("impri_cancel_action", one(&id))] {
            let said = host.failed(tool, arguments).await;
            assert!(said.contains("nothing with this id"), "{said}");
        }
        let inbox = host.done("impri_inbox_status", json!({})).await;
        assert_eq!(inbox["pending"], 0, "another project's actions are not listed");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_key_is_said_by_the_tool_or_at_the_door(db: PgPool) {
    let app = TestApp::start(&db).await;
    let wrong = format!("im_{}", "x".repeat(43));
    let mut host = Host::start_at(&app.url, &wrong, Way::Stdio, Era::Auto, "x");
    let said = host.failed("impri_inbox_status", json!({})).await;
    assert!(said.contains("not valid") && said.contains("tell the person"), "{said}");
    for era in [Era::Legacy, Era::Auto] {
        let said = Host::refusal(&app.url, &wrong, Way::Http, era).await;
        assert!(said.contains("Error"), "{said}");
    }
}
