//! Time decides what nobody decided: at its second, once, and visibly before anything was written down.

use std::time::Duration;

use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail_with};

/// Proposes something that waits five minutes, and moves the clock to the last microsecond of it.
async fn about_to_expire(app: &TestApp, title: &str) -> String {
    let proposal =
        mail_with(json!({"title": title, "expires_in": 300, "callback_url": "https://agent.example/hook"}));
    let made = app.agent().propose(&proposal).await.expect(201);
    let end = made["expires_at"].as_i64().expect("an end");
    let end = impri::domain::Instant::from_unix_timestamp(end).expect("an instant");
    let left = Duration::try_from(end - app.clock.now()).expect("it is ahead");
    app.clock.advance(left.saturating_sub(Duration::from_micros(1)));
    made["id"].as_str().expect("an id").to_owned()
}

async fn sweep(app: &TestApp) -> usize {
    app.on_server(|services| async move { services.expire_due().await.expect("a database") }).await
}

async fn stored_status(app: &TestApp) -> String {
    sqlx::query_scalar("select status from action").fetch_one(&app.db).await.expect("the action")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_action_can_be_decided_until_the_last_microsecond(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = about_to_expire(&app, "in time").await;
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    app.decider().approve(&id).await;
    app.clock.advance(Duration::from_micros(1));
    assert_eq!(sweep(&app).await, 0);
    assert_eq!(app.agent().read(&id).await["status"], "approved", "and stays decided");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn at_its_second_nobody_decides_through_any_door_before_any_sweep(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = about_to_expire(&app, "too late").await;
    let ada = app.ada().await;
    let form = ada.open(&format!("/inbox/{id}")).await.decide_form();
    let seen = &form.iter().find(|field| field.0 == "seen").expect("a digest").1;
    app.clock.advance(Duration::from_micros(1));

    let answer = app.decider().decide(&id, &json!({"decision": "approve"})).await;
    assert!(answer.refusal(409).contains("expired"), "{}", answer.text);
    assert_eq!(answer.json["current_status"], "expired");
    let fields = [("id", id.as_str()), ("seen", seen), ("verdict", "approve")];
    let answer = ada.submit("/rpc/decide_action", &fields).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?refused=expired"));
    let card = ada.follow(&answer).await;
    assert!(
        !card.has("#decide") && card.text("[role=alert]").contains("The time to decide is over"),
        "{}",
        card.html
    );

    let read = app.agent().read(&id).await;
    assert_eq!(read["status"], "expired");
    assert_eq!(read["updated_at"], read["expires_at"], "it changed at its second");
    assert!(!ada.open("/inbox").await.has(&format!(".row[href*='{id}']")), "it waits in no list");
    assert_eq!(stored_status(&app).await, "pending", "nothing was swept meanwhile");
    assert_eq!(app.agent().wait_for(&id, 60).await.json["status"], "expired", "and a wait answers at once");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_sweep_writes_one_event_by_the_clock_at_the_second_of_the_end(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = about_to_expire(&app, "swept").await;
    assert_eq!(sweep(&app).await, 0, "not before");
    app.clock.advance(Duration::from_secs(90));
    assert_eq!(sweep(&app).await, 1);
    assert_eq!(sweep(&app).await, 0, "once");
    assert_eq!(stored_status(&app).await, "expired");
    let events = app.events(&id).await;
    assert_eq!(events.len(), 2);
    let (kind, actor, name, channel, _) = &events[1];
    assert_eq!([kind, actor, name, channel], ["action.expired", "clock", "clock", "clock"]);
    let at: impri::domain::Instant =
        sqlx::query_scalar("select at from audit_event where kind = 'action.expired'")
            .fetch_one(&db)
            .await
            .expect("it");
    let read = app.agent().read(&id).await;
    assert_eq!(read["expires_at"], at.unix_timestamp(), "when it ended, not when that was noticed");
    assert_eq!(app.count("select count(*) from outbox").await, 1, "who asked to be called back is");
    assert_eq!(app.count("select count(*) from decision").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_sweeping_servers_write_one_event_each(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    for number in 0..450 {
        app.agent().proposed(&mail_with(json!({"title": format!("{number}"), "expires_in": 300}))).await;
    }
    app.advance(301);
    let (here, there) = tokio::join!(sweep(&app), sweep(&other));
    assert_eq!(here + there, 450, "more than one batch, shared");
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.expired'").await, 450);
    let distinct = "select count(distinct action_id) from audit_event where kind = 'action.expired'";
    assert_eq!(app.count(distinct).await, 450);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_expired_action_looks_expired_on_its_page_and_in_the_history(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = about_to_expire(&app, "nobody came").await;
    app.clock.advance(Duration::from_secs(1));
    sweep(&app).await;
    let ada = app.ada().await;
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.attributes("article.card", "data-state"), ["expired"]);
    assert!(card.text(".decision-view").contains("Nobody decided within"), "{}", card.html);
    let history = ada.open("/history?event=action.expired").await;
    assert_eq!(history.attributes(".history-who", "data-who"), ["clock"]);
    let said = history.text(".history-sentence");
    assert!(said.starts_with("Time ran out for nobody came: nobody decided within "), "{said}");
}
