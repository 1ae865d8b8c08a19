//! A server goes and another one comes: nothing that was said is lost.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_action_outlives_its_server_between_propose_and_decide(db: PgPool) {
    let first = TestApp::start(&db).await;
    let id = first.agent().proposed(&mail()).await;
    let waiting = first.agent().wait_aside(&id, 60);
    first.parked(1).await;
    let house = first.house().clone();
    first.begin_stop();
    assert_eq!(waiting.await.expect("an answer").expect(200)["status"], "pending", "the agent asks again");
    drop(first);

    let second = TestApp::again(&db, house);
    let waiting = second.agent().wait_aside(&id, 60);
    second.parked(1).await;
    second.decider().decide(&id, &json!({"decision": "approve"})).await.expect(200);
    assert_eq!(waiting.await.expect("an answer").expect(200)["status"], "approved");
    drop(second);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn people_stay_signed_in(db: PgPool) {
    let first = TestApp::start(&db).await;
    let id = first.agent().proposed(&mail()).await;
    let ada = first.ada().await;
    let house = first.house().clone();
    drop(first);
    let second = TestApp::again(&db, house);
    let ada = ada.at(&second.url);
    assert_eq!(ada.submit_decide_form(&id, "approve", &[]).await.location(), format!("/inbox/{id}?done=1"));
    let person = ada.open("/inbox").await;
    assert_eq!(person.text(".person-name"), "Ada");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_form_of_the_old_server_works_on_the_new_one_and_so_does_a_retried_proposal(db: PgPool) {
    let first = TestApp::start(&db).await;
    let proposal = crate::support::api::mail_with(json!({"idempotency_key": "k1"}));
    let id = first.agent().proposed(&proposal).await;
    let ada = first.ada().await;
    let form = ada.open(&format!("/inbox/{id}")).await.decide_form();
    let house = first.house().clone();
    drop(first);

    let second = TestApp::again(&db, house);
    assert_eq!(second.agent().propose(&proposal).await.expect(200)["id"], id);
    let mut fields: Vec<_> = form.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    fields.push(("verdict", "reject"));
    let answer = ada.at(&second.url).submit("/rpc/decide_action", &fields).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1"));
    assert_eq!(second.agent().read(&id).await["status"], "rejected");
}
