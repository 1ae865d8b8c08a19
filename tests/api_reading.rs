//! An agent reads its action.

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_unknown_id_and_a_text_that_is_no_id_are_the_same_404(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let mut sentences = Vec::new();
    for id in [
        "act_BwcHBwcHBwcHBwcHBwcHBw",
        "act_1",
        "key_BwcHBwcHBwcHBwcHBwcHBw",
        "1' or '1'='1",
        "%00",
        "%ff",
        "..%2f",
    ] {
        let answer = agent.get(&format!("/v1/actions/{id}")).await;
        sentences.push(answer.refusal(404).to_owned());
    }
    sentences.dedup();
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(sentences[0].contains("Check the id and which key is used"), "{sentences:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_projects_action_does_not_exist(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign_agent, foreign_decider) = app.foreign_project().await;
    let id = app.agent().proposed(&mail()).await;
    let (agent, decider) = (app.with_key(&foreign_agent.key), app.with_key(&foreign_decider.key));
    for answer in [
        agent.get(&format!("/v1/actions/{id}")).await,
        agent.wait_for(&id, 30).await,
        decider.get(&format!("/v1/actions/{id}")).await,
        decider.decide(&id, &json!({"decision": "approve"})).await,
        agent.report(&id, &json!({"status": "executed"})).await,
    ] {
        answer.refusal(404);
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_that_decides_reads_and_one_that_only_audits_does_not(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    assert_eq!(app.decider().read(&id).await["id"], id);
    let auditor = app.key("auditor", &[Scope::Audit], None).await;
    let answer = app.with_key(&auditor.key).get(&format!("/v1/actions/{id}")).await;
    assert!(answer.refusal(403).contains("actions or decide"), "{}", answer.text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stored_action_reads_the_same_on_every_server(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail_with(json!({"payload": {"z": 1e2, "a": "\u{202e}x"}}))).await;
    let (here, mut there) = (app.agent().read(&id).await, other.agent().read(&id).await);
    // Each names the inbox at its own address, as no public one is set.
    there["inbox_url"] = here["inbox_url"].clone();
    assert_eq!(here, there);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_payload_keeps_the_agents_key_order_and_spelling_of_numbers(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id =
        app.agent().proposed(&mail_with(json!({"payload": {"zeta": 1.0, "a": {"y": 2, "b": 0.5}}}))).await;
    let text = app.agent().get(&format!("/v1/actions/{id}")).await.text;
    assert!(text.contains(r#""payload":{"zeta":1.0,"a":{"y":2,"b":0.5}}"#), "{text}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_inbox_url_is_the_public_address_and_opens_the_card(db: PgPool) {
    let settings =
        crate::support::Settings { public_url: Some("https://impri.example".into()), ..Default::default() };
    let app = TestApp::start_with(&db, settings).await;
    let made = app.agent().propose(&mail()).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    assert_eq!(made["inbox_url"], format!("https://impri.example/inbox/{id}"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn health_and_readiness_need_no_key(db: PgPool) {
    let app = TestApp::start(&db).await;
    let anyone = app.without_key();
    let now = app.clock.now().unix_timestamp();
    assert_eq!(anyone.get("/healthz").await.expect(200), json!({"status": "ok", "ts": now}));
    let ready = anyone.get("/readyz").await;
    assert_eq!(ready.json["checks"]["db_reachable"], "ok");
    assert!(ready.header("x-request-id").starts_with("req-"));
    assert_ne!(ready.header("x-request-id"), anyone.get("/readyz").await.header("x-request-id"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_the_api_answers_is_never_kept_or_run_by_a_browser(db: PgPool) {
    let app = TestApp::start(&db).await;
    let answer = app.agent().propose(&mail()).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    assert_eq!(answer.header("access-control-allow-origin"), "", "no other site's page may read it");
}
