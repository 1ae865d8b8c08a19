//! Erasing what was sealed: the chain stays whole, and says what was erased, when and by whom.

use impri::domain::scope::Scope;
use impri::server::proof::{Finding, Line};
use serde_json::json;
use sqlx::PgPool;

use super::export;
use crate::support::TestApp;

async fn erase(app: &TestApp) {
    app.program(&[Scope::Admin]).await.delete("/v1/project/data").await.expect(200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_erased_history_is_intact_and_says_who_erased_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    app.seal().await;
    let before = app.verify_history().await.expect("it is intact");
    assert_eq!(before.erased, 0);
    app.advance(5);
    erase(&app).await;
    app.seal().await;
    let after = app.verify_history().await.expect("it is intact");
    assert_eq!(after.trail.hashes[..before.trail.hashes.len()], before.trail.hashes[..], "the same chain");
    assert!(after.erased > 5, "{}", after.erased);
    let record = after.trail.last();
    assert_eq!(after.erasures.keys().copied().collect::<Vec<_>>(), [record], "the last event is its record");
    let (at, by) = &after.erasures[&record];
    assert_eq!((at, by.as_str()), (&impri::domain::seal::instant(app.clock.now()), "program"));

    let lines = export(&app).await;
    let approved = lines.iter().find_map(|line| match line {
        Line::Event(line) if line.event.as_ref().is_some_and(|e| e["event"] == "action.approved") => {
            Some(line)
        }
        _ => None,
    });
    let approved = approved.expect("an approval");
    assert!(approved.erasable.is_none() && approved.salt.is_none());
    assert_eq!(approved.erased.as_ref().and_then(|erased| erased.event), Some(record));
    let kept = &approved.event.as_ref().expect("an event")["kept"];
    assert!(kept["approved_sha256"].is_string() && kept.get("edits").is_none(), "{kept}");
    assert_eq!(
        app.count("select count(*) from audit_seal where salt is not null and erased_at is not null").await,
        0
    );

    app.advance(5);
    erase(&app).await;
    app.seal().await;
    app.verify_history().await.expect("twice changes nothing");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_erased_before_it_was_sealed_is_sealed_as_it_is_left(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    erase(&app).await;
    app.seal().await;
    let outcome = app.verify_history().await.expect("it is intact");
    assert_eq!(outcome.erased, 0, "the chain never knew it otherwise");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn particulars_that_go_without_a_record_are_found(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    app.seal().await;
    let mut conn = db.acquire().await.expect("a connection");
    sqlx::raw_sql(
        "set session_replication_role = replica;
         update audit_event set data = erased_data(data) where kind = 'action.approved';
         update audit_seal set salt = null, erased_at = sealed_at
         where event_id = (select event_id from audit_event where kind = 'action.approved');
         reset session_replication_role",
    )
    .execute(&mut *conn)
    .await
    .expect("somebody's work");
    let found = app.verify_history().await.expect_err("it is found");
    assert!(matches!(&found, Finding::ErasedUnrecorded(what) if what.contains("action.approved")), "{found}");
    erase(&app).await;
    app.seal().await;
    app.verify_history().await.expect("an erasure that is done again records it");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn erasing_and_sealing_at_the_same_time_agree(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    for _ in 0..8 {
        app.live_a_little().await;
    }
    let erasing = async {
        for _ in 0..4 {
            assert_eq!(admin.delete("/v1/project/data").await.expect(200)["erased"], json!(true));
            app.live_a_little().await;
        }
    };
    let sealing = async {
        for _ in 0..40 {
            app.seal_round().await;
        }
    };
    tokio::join!(erasing, sealing);
    app.seal().await;
    app.verify_history().await.expect("it is intact");
}
