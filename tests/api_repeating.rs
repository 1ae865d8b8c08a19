//! An agent proposes the same again: by name, or without one.

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_same_idempotency_key_with_the_same_proposal_is_the_first_action(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = mail_with(json!({"idempotency_key": "k1", "payload": {"a": 1}}));
    let first = app.agent().propose(&proposal).await.expect(201);
    let again = app.agent().propose(&proposal).await.expect(200);
    assert_eq!(again, first);
    let id = first["id"].as_str().expect("an id");
    app.decider().approve(id).await;
    let after = app.agent().propose(&proposal).await.expect(200);
    assert_eq!((&after["id"], &after["status"]), (&first["id"], &json!("approved")), "whatever became of it");
    assert_eq!(app.count("select count(*) from action").await, 1);
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.created'").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_same_idempotency_key_with_another_proposal_is_a_conflict_that_names_the_fields(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.agent().proposed(&mail_with(json!({"idempotency_key": "k1", "payload": {"to": "sarah"}}))).await;
    let other = mail_with(
        json!({"idempotency_key": "k1", "payload": {"to": "mallory"}, "undo": "none", "valid_for": 60}),
    );
    let answer = app.agent().propose(&other).await;
    assert!(answer.refusal(409).contains("payload, undo, valid_for"), "{}", answer.text);
    assert_eq!(answer.json["fields"], json!(["payload", "undo", "valid_for"]));
    assert_eq!(app.count("select count(*) from action").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_idempotency_key_belongs_to_its_project_and_may_come_as_a_header(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, _) = app.foreign_project().await;
    let mine = app.agent().propose(&mail_with(json!({"idempotency_key": "k1"}))).await.expect(201);
    let header = [("idempotency-key", "k1")];
    let replay = app.agent().send(Method::POST, "/v1/actions", &header, mail().to_string()).await.expect(200);
    assert_eq!(replay["id"], mine["id"]);
    let theirs =
        app.with_key(&foreign.key).propose(&mail_with(json!({"idempotency_key": "k1"}))).await.expect(201);
    assert_ne!(theirs["id"], mine["id"]);
    let both = mail_with(json!({"idempotency_key": "k2"})).to_string();
    app.agent().send(Method::POST, "/v1/actions", &header, both).await.issue("idempotency_key");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn sixteen_agents_with_one_idempotency_key_make_one_action(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let proposal = mail_with(json!({"idempotency_key": "k1"}));
    let sent = (0..16).map(|n| {
        let (agent, proposal) = (if n % 2 == 0 { app.agent() } else { other.agent() }, proposal.clone());
        async move { agent.propose(&proposal).await }
    });
    let answers = futures::future::join_all(sent).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 15);
    assert!(answers.iter().all(|answer| answer.json["id"] == answers[0].json["id"]));
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.created'").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_identical_proposal_that_still_waits_is_a_duplicate_and_another_one_is_not(db: PgPool) {
    let app = TestApp::start(&db).await;
    let first = app.agent().propose(&mail()).await.expect(201);
    let again = app.agent().propose(&mail()).await.expect(200);
    assert_eq!((&again["id"], &again["duplicate_of"]), (&first["id"], &first["id"]));
    assert_eq!(again["inbox_url"], first["inbox_url"]);
    // Unlike the service that the contract comes from, a changed payload is another proposal, never dropped.
    app.agent().propose(&mail_with(json!({"payload": {"a": 1}}))).await.expect(201);
    app.agent().propose(&mail_with(json!({"target_url": "https://x.example/"}))).await.expect(201);
    app.decider().approve(first["id"].as_str().expect("an id")).await;
    let next = app.agent().propose(&mail()).await.expect(201);
    assert_ne!(next["id"], first["id"], "once decided, the same is a new question");
    app.advance(259_200);
    app.agent().propose(&mail()).await.expect(201);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_agents_identical_proposal_is_its_own(db: PgPool) {
    let app = TestApp::start(&db).await;
    let second = app.key("second agent", &[Scope::Actions], None).await;
    let first = app.agent().proposed(&mail()).await;
    assert_ne!(app.with_key(&second.key).proposed(&mail()).await, first);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_duplicate_that_asks_for_more_is_not_swallowed(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.agent().proposed(&mail()).await;
    // The content is the same, but what a reviewer may do with it, or who hears of it, is not.
    for members in [
        json!({"editable": ["preview.body"]}),
        json!({"callback_url": "https://agent.example/hook"}),
        json!({"idempotent": false}),
        json!({"undo": "Send an apology."}),
    ] {
        let answer = app.agent().propose(&mail_with(members.clone())).await;
        assert_eq!(answer.status, 201, "{members} would be lost: {}", answer.text);
    }
}
