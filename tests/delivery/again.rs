//! A callback is sent again because somebody asked for it, through the API.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail, api::mail_with};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agent_has_its_callback_sent_again(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let replay = async |id: &str| agent.post(&format!("/v1/actions/{id}/replay-callback"), &json!({})).await;
    let id = agent.proposed(&mail_with(json!({"callback_url": "https://hooks.example/x"}))).await;
    assert!(replay(&id).await.refusal(409).contains("nothing was decided yet"));
    app.decider().approve(&id).await;
    sqlx::query("update outbox set state = 'dlq', attempt = 6, done_at = created_at, leased_until = null")
        .execute(&db)
        .await
        .expect("a message");
    let answer = replay(&id).await.expect(202);
    assert_eq!((&answer["id"], &answer["webhook_delivery"]["status"]), (&json!(id), &json!("pending")));
    assert!(replay(&id).await.refusal(409).contains("still on its way"));
    let (kind, _, name, channel, _) = app.events(&id).await.pop().expect("an event");
    assert_eq!((kind.as_str(), name.as_str(), channel.as_str()), ("delivery.replayed", "first-agent", "api"));

    let without = agent.proposed(&mail()).await;
    app.decider().approve(&without).await;
    assert!(replay(&without).await.refusal(409).contains("named no callback_url"));
    replay("act_AAAAAAAAAAAAAAAAAAAAAA").await.refusal(404);
    app.decider().post(&format!("/v1/actions/{id}/replay-callback"), &json!({})).await.refusal(403);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_person_has_a_callback_sent_again_from_the_card(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail_with(json!({"callback_url": "https://hooks.example/x"}))).await;
    app.decider().approve(&id).await;
    let ada = app.ada().await;
    let address = format!("/inbox/{id}");
    let state = async || ada.open(&address).await.attributes(".delivery", "data-delivery");
    assert_eq!(state().await, ["pending"]);
    sqlx::query(
        "update outbox set state = 'dlq', attempt = 6, last_error = 'HTTP 500', done_at = created_at, leased_until = null",
    )
    .execute(&db)
    .await
    .expect("a message");
    let card = ada.open(&address).await;
    assert!(
        card.texts(".delivery p")[0].contains("no more tries: HTTP 500"),
        "{:?}",
        card.texts(".delivery p")
    );
    let answer = ada.submit("/rpc/replay_callback", &[("id", id.as_str())]).await;
    assert_eq!((answer.status, answer.location()), (302, address.as_str()));
    assert_eq!(state().await, ["pending"]);
    let (kind, _, name, channel, _) = app.events(&id).await.pop().expect("an event");
    assert_eq!((kind.as_str(), name.as_str(), channel.as_str()), ("delivery.replayed", "Ada", "web"));
    let answer = ada.submit("/rpc/replay_callback", &[("id", "//evil.example\r\nx: y")]).await;
    assert_eq!((answer.status, answer.location()), (302, "/inbox"));
}
