//! An agent's author misspells a member: what would be missed by nobody is refused.

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{Answer, TestApp, api::mail_with};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_misspelt_member_is_refused_and_a_foreign_one_is_ignored(db: PgPool) {
    let app = TestApp::start(&db).await;
    let refused =
        app.agent().propose(&mail_with(json!({"idempotant": false, "metadata": {"undoo": 1}}))).await;
    let message = refused.refusal(400);
    assert!(message.contains("idempotant") && message.contains("Did you mean idempotent?"), "{message}");
    let inside = json!({"preview": {"undoo": "diff", "body": "-a"}, "payload": {"idempotant": 1}});
    let refused = app.agent().propose(&mail_with(inside)).await;
    let message = refused.refusal(400);
    assert!(message.contains("preview.undoo") && !message.contains("payload"), "{message}");
    for kind in ["Impri.test", "impriꓸtest", "іmprı.test"] {
        let own = app.agent().propose(&mail_with(json!({"kind": kind}))).await;
        assert!(own.refusal(400).contains("only this server's own actions"), "{}", own.text);
    }
    let stored = sqlx::query_scalar::<_, i64>("select count(*) from action").fetch_one(&db).await;
    assert_eq!(stored.expect("a count"), 0, "nothing is stored");
    app.agent().propose(&mail_with(json!({"metadata": {"idempotant": 1}, "id": "mine"}))).await.expect(201);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_name_that_stands_in_a_payload_twice_is_refused(db: PgPool) {
    let app = TestApp::start(&db).await;
    let send = async |payload: &str| -> Answer {
        let body =
            format!(r#"{{"kind": "mail", "title": "t", "preview": {{"body": "b"}}, "payload": {payload}}}"#);
        app.agent().send(reqwest::Method::POST, "/v1/actions", &[], body).await
    };
    let refused = send(r#"{"to": "a@b.example", "cc": [{"x": 1, "x": 2}]}"#).await;
    let message = refused.refusal(400);
    assert!(message.contains("payload") && message.contains("twice"), "{message}");
    let stored = sqlx::query_scalar::<_, i64>("select count(*) from action").fetch_one(&db).await;
    assert_eq!(stored.expect("a count"), 0, "nothing is stored");
    send(r#"{"to": "a@b.example", "cc": [{"x": 1}, {"x": 2}]}"#).await.expect(201);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_misspelt_filter_is_refused_and_a_foreign_one_is_ignored(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit, Scope::Actions]).await;
    for (address, meant) in [
        ("/v1/audit?verdct=approve", "verdict"),
        ("/v1/audit/export?Kind=mail", "kind"),
        ("/v1/actions?statu=x", "status"),
    ] {
        let refused = auditor.get(address).await;
        let message = refused.refusal(400);
        assert!(message.contains(&format!("Did you mean {meant}?")), "{message}");
    }
    auditor.get("/v1/audit?page=2&utm=x").await.expect(200);
}
