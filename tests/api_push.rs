//! Web push for programs that decide: who may subscribe, and what a subscription has to be.

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::TestApp;

/// A subscription as a browser gives it (RFC 8291, appendix A).
fn subscription() -> Value {
    json!({
        "endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "expirationTime": null,
        "keys": {
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        },
    })
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_program_that_decides_subscribes_and_ends_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let key = app.without_key().get("/v1/push/vapid-public-key").await.expect(200);
    assert_eq!((&key["enabled"], key["public_key"].as_str().map(str::len)), (&json!(true), Some(87)));
    let decider = app.program(&[Scope::Decide]).await;
    for _ in 0..2 {
        let answer = decider.post("/v1/push/subscribe", &subscription()).await.expect(201);
        assert_eq!(answer, json!({"subscribed": true}));
    }
    let count = || sqlx::query_scalar::<_, i64>("select count(*) from push_device where gone_at is null");
    assert_eq!(count().fetch_one(&db).await.expect("a database"), 1);
    let ended = json!({"endpoint": subscription()["endpoint"]}).to_string();
    for _ in 0..2 {
        let answer = decider.send(Method::DELETE, "/v1/push/subscribe", &[], ended.clone()).await;
        assert_eq!(answer.status, 204);
    }
    assert_eq!(count().fetch_one(&db).await.expect("a database"), 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_no_subscription_is_refused_by_name(db: PgPool) {
    let app = TestApp::start(&db).await;
    let decider = app.program(&[Scope::Decide]).await;
    let mut wrong = subscription();
    wrong["keys"]["auth"] = json!("short");
    decider.post("/v1/push/subscribe", &wrong).await.issue("keys.auth");
    let mut wrong = subscription();
    wrong["endpoint"] = json!("ftp://push.example.net/x");
    decider.post("/v1/push/subscribe", &wrong).await.issue("endpoint");
    let answer = decider.post("/v1/push/subscribe", &json!({})).await;
    for field in ["endpoint", "keys.p256dh", "keys.auth"] {
        answer.issue(field);
    }
    decider.send(Method::DELETE, "/v1/push/subscribe", &[], "{}").await.issue("endpoint");
    let agent = app.agent().post("/v1/push/subscribe", &subscription()).await;
    assert!(agent.refusal(403).contains("decide"), "{}", agent.text);
    app.without_key().post("/v1/push/subscribe", &subscription()).await.refusal(401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_endpoint_that_is_somebody_elses_is_refused_without_saying_whose(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (first, second) = (app.program(&[Scope::Decide]).await, app.program(&[Scope::Decide]).await);
    first.post("/v1/push/subscribe", &subscription()).await.expect(201);
    let mut guessed = subscription();
    guessed["keys"]["auth"] = json!("AAAAAAAAAAAAAAAAAAAAAA");
    let said = second.post("/v1/push/subscribe", &guessed).await.refusal(409).to_owned();
    assert!(said.contains("registered already"), "{said}");
    // The one of a person is refused with the same words, whatever is sent.
    sqlx::query("update push_device set api_key_id = null, reviewer_id = (select reviewer_id from reviewer)")
        .execute(&db)
        .await
        .expect("a database");
    for sent in [subscription(), guessed] {
        let answer = second.post("/v1/push/subscribe", &sent).await;
        assert_eq!(answer.refusal(409), said);
    }
    let ended = json!({"endpoint": subscription()["endpoint"]}).to_string();
    assert_eq!(second.send(Method::DELETE, "/v1/push/subscribe", &[], ended).await.status, 204);
    let left = "select count(*) from push_device where gone_at is null and reviewer_id is not null";
    assert_eq!(app.count(left).await, 1, "it is still there");
    for endpoint in
        ["https://user@push.example.net/x", "https://push.example.net/x#y", "https://push.example.net/\r\nx"]
    {
        let mut wrong = subscription();
        wrong["endpoint"] = json!(endpoint);
        second.post("/v1/push/subscribe", &wrong).await.issue("endpoint");
    }
}
