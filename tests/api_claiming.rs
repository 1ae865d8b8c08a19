//! The agent's side takes the one permission to run an approved action, or withdraws what it proposed.

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    Answer, Api, TestApp,
    api::{mail, mail_with},
};

async fn claim(executor: &Api, id: &str) -> Answer {
    executor.send(Method::POST, &format!("/v1/actions/{id}/claim"), &[], "").await
}

async fn cancel(agent: &Api, id: &str) -> Answer {
    agent.send(Method::POST, &format!("/v1/actions/{id}/cancel"), &[], "").await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn of_sixteen_executors_on_two_servers_one_may_run_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail_with(json!({"idempotent": false}))).await;
    app.decider().approve(&id).await;
    let executors = (0..16).map(|n| {
        let (executor, id) = (if n % 2 == 0 { app.agent() } else { other.agent() }, id.clone());
        async move { claim(&executor, &id).await }
    });
    let answers = futures::future::join_all(executors).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert!(answer.refusal(409).contains("Don't run it again"), "{}", answer.text);
    }
    let read = app.agent().read(&id).await;
    assert_eq!(read["status"], "approved", "a claim is a fact, not another status");
    assert_eq!(read["claimed_at"], app.clock.now().unix_timestamp());
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.claimed'").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_an_approved_action_can_be_claimed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    assert_eq!(claim(&app.agent(), &id).await.json["current_status"], "pending");
    app.decider().decide(&id, &json!({"decision": "reject"})).await.expect(200);
    let answer = claim(&app.agent(), &id).await;
    assert!(answer.refusal(409).contains("rejected"), "{}", answer.text);
    claim(&app.agent(), "act_BwcHBwcHBwcHBwcHBwcHBw").await.refusal(404);
    let (foreign, _) = app.foreign_project().await;
    claim(&app.with_key(&foreign.key), &id).await.refusal(404);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_approval_that_is_too_old_cannot_be_claimed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (fresh, stale) =
        (mail_with(json!({"title": "fresh", "valid_for": 60})), mail_with(json!({"valid_for": 60})));
    let (fresh, stale) = (app.agent().proposed(&fresh).await, app.agent().proposed(&stale).await);
    for id in [&fresh, &stale] {
        app.decider().approve(id).await;
    }
    app.advance(59);
    claim(&app.agent(), &fresh).await.expect(200);
    app.advance(2);
    let answer = claim(&app.agent(), &stale).await;
    assert!(answer.refusal(410).contains("too old"), "{}", answer.text);
    let until = app.agent().read(&stale).await["valid_until"].clone();
    assert_eq!(answer.json["valid_until"], until);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_withdrawn_proposal_cannot_be_decided_and_wakes_who_waits(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    assert_eq!(cancel(&app.agent(), &id).await.expect(200)["status"], "cancelled");
    assert_eq!(waiting.await.expect("an answer").expect(200)["status"], "cancelled");
    cancel(&app.agent(), &id).await.expect(200);
    let answer = app.decider().decide(&id, &json!({"decision": "approve"})).await;
    answer.refusal(409);
    assert_eq!(answer.json["current_status"], "cancelled");
    let kinds: Vec<String> = app.events(&id).await.into_iter().map(|event| event.0).collect();
    assert_eq!(kinds, ["action.created", "action.cancelled"], "twice is once");
    let card = app.ada().await.open(&format!("/inbox/{id}")).await;
    assert!(!card.has("#decide") && card.text(".decision-view").contains("withdrew"), "{}", card.html);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_the_proposer_or_an_administrator_withdraws(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let colleague = app.key("colleague", &[Scope::Actions], None).await;
    let answer = cancel(&app.with_key(&colleague.key), &id).await;
    assert!(answer.refusal(403).contains("proposed"), "{}", answer.text);
    cancel(&app.decider(), &id).await.refusal(403);
    cancel(&app.without_key(), &id).await.refusal(401);
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    let admin = app.key("admin", &[Scope::Admin], None).await;
    cancel(&app.with_key(&admin.key), &id).await.expect(200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_and_a_withdrawal_at_once_are_one_end(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    for number in 0..10 {
        let id = app.agent().proposed(&mail_with(json!({"title": format!("{number}")}))).await;
        let decision = json!({"decision": "approve"});
        let agent = other.agent();
        let decider = app.decider();
        let (decided, withdrawn) = tokio::join!(decider.decide(&id, &decision), cancel(&agent, &id));
        assert!(decided.status == 200 || withdrawn.status == 200, "{} {}", decided.text, withdrawn.text);
        assert!(decided.status == 409 || withdrawn.status == 409, "{} {}", decided.text, withdrawn.text);
        assert_eq!(app.events(&id).await.len(), 2);
    }
}
