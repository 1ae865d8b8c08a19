//! The keys of receipts: one signs, the others verify, and everybody gets the public parts.

use impri::domain::audit::Actor;
use impri::domain::decision::Channel;
use impri::server::db::receipt_keys::Withdrawal;
use impri::server::service::{Rotation, Services};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{content, independently, jwks, part, receipt};
use crate::support::{Settings, TestApp, api::mail, api::mail_with, eventually};

async fn rotate(app: &TestApp) -> Rotation {
    let project = app.project();
    app.on_server(move |services| async move {
        services.rotate_receipt_key(project, Actor::Operator, Channel::cli()).await.expect("a database")
    })
    .await
}

async fn withdraw(app: &TestApp, kid: &str) -> Withdrawal {
    let (project, kid) = (app.project(), kid.to_owned());
    app.on_server(move |services| async move {
        services
            .withdraw_receipt_key(project, &kid, Actor::Operator, Channel::cli())
            .await
            .expect("a database")
    })
    .await
}

/// Approves something new; returns it.
async fn approved(app: &TestApp, title: &str) -> Value {
    let id = app.agent().proposed(&mail_with(json!({"title": title}))).await;
    app.decider().approve(&id).await;
    app.agent().read(&id).await
}

fn kids(set: &Value) -> Vec<String> {
    let keys = set["keys"].as_array().expect("keys").iter();
    keys.map(|key| key["kid"].as_str().expect("a kid").to_owned()).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn everybody_gets_the_public_keys_and_nothing_else_of_them(db: PgPool) {
    let settings = Settings { public_url: Some("https://impri.example/".into()), ..Settings::default() };
    let app = TestApp::start_with(&db, settings).await;
    let answer = app.without_key().get("/.well-known/jwks.json").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/jwk-set+json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    let keys = answer.json["keys"].as_array().expect("keys");
    let members: Vec<&str> = keys[0].as_object().expect("a key").keys().map(String::as_str).collect();
    assert_eq!(members, ["kty", "crv", "use", "alg", "kid", "x"], "and no d, which is private");
    assert_eq!(keys.len(), 1);
    app.without_key().post("/.well-known/jwks.json", &json!({})).await.refusal(405);
    let claims = part(&receipt(&approved(&app, "One").await), 1);
    assert_eq!(claims["iss"], "https://impri.example", "receipts name the address that people know");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn after_a_rotation_old_receipts_verify_and_every_server_signs_with_the_new_key(db: PgPool) {
    let app = TestApp::start(&db).await;
    let beside = app.beside();
    let before = approved(&app, "Before").await;
    approved(&beside, "The other server has read the key").await;
    let first = kids(&jwks(&app).await).remove(0);

    let rotated = rotate(&app).await;
    assert_eq!(rotated.retired.as_deref(), Some(first.as_str()));
    let after = approved(&app, "After").await;
    assert_eq!(part(&receipt(&after), 0)["kid"], rotated.signing.as_str());
    let published = [first.clone(), rotated.signing.clone()];
    eventually("the other server hears of it", async || kids(&jwks(&beside).await) == published).await;
    let there = approved(&beside, "There").await;
    assert_eq!(part(&receipt(&there), 0)["kid"], rotated.signing.as_str());

    let cases = [&before, &after, &there].map(|action| (receipt(action), content(action)));
    for said in independently(&app, &cases).await {
        assert!(said["claims"].is_object(), "{said}");
    }
    assert_eq!(app.count("select count(*) from receipt_key where sealed_key is not null").await, 1);
    let sql =
        "select count(*) from audit_event where kind = 'receipt_key.rotated' and actor_kind = 'operator'";
    assert_eq!(app.count(sql).await, 1);
    let page = app.ada().await.open("/history?event=receipt_key.rotated").await;
    assert!(page.text("main").contains(&format!("now {}", rotated.signing)), "{}", page.text("main"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_a_withdrawn_key_signed_verifies_no_more(db: PgPool) {
    let app = TestApp::start(&db).await;
    let before = approved(&app, "Before").await;
    let first = kids(&jwks(&app).await).remove(0);
    assert_eq!(withdraw(&app, &first).await, Withdrawal::StillSigns);
    assert_eq!(withdraw(&app, "nobody").await, Withdrawal::Unknown);
    rotate(&app).await;
    let after = approved(&app, "After").await;
    assert_eq!(withdraw(&app, &first).await, Withdrawal::Done);
    assert_eq!(withdraw(&app, &first).await, Withdrawal::Unknown, "once");
    let cases = [&before, &after].map(|action| (receipt(action), content(action)));
    let said = independently(&app, &cases).await;
    assert!(said[0]["refused"].is_string() && said[1]["claims"].is_object(), "{said:?}");
    let events = "select count(*) from audit_event where kind = 'receipt_key.withdrawn'";
    assert_eq!(app.count(events).await, 1);
    assert!(app.ada().await.open("/history").await.text("main").contains("Receipt key withdrawn"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn several_servers_at_the_first_start_make_one_key(db: PgPool) {
    let apps: Vec<TestApp> = (0..3).map(|_| TestApp::empty(&db)).collect();
    let signing = async |services: Services| {
        let keys = services.receipt_keys().await.expect("a database");
        keys.signing_kid().to_owned()
    };
    let (one, two, three) =
        tokio::join!(apps[0].on_server(signing), apps[1].on_server(signing), apps[2].on_server(signing));
    assert_eq!((&one, &one), (&two, &three));
    assert_eq!(apps[0].count("select count(*) from receipt_key").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn rotations_at_the_same_time_leave_one_key_that_signs(db: PgPool) {
    let app = TestApp::start(&db).await;
    let beside = app.beside();
    jwks(&app).await;
    let (one, two) = tokio::join!(rotate(&app), rotate(&beside));
    assert_ne!(one.signing, two.signing);
    assert_eq!(app.count("select count(*) from receipt_key").await, 3);
    assert_eq!(app.count("select count(*) from receipt_key where retired_at is null").await, 1);
    assert_eq!(kids(&jwks(&app).await).len(), 3);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_key_that_signs_nothing_is_decided(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    // Another seed than the one that the public part belongs to.
    sqlx::query("insert into receipt_key values ($1, $2, $2, now())")
        .bind("x".repeat(43))
        .bind(vec![7_u8; 32])
        .execute(&db)
        .await
        .expect("a row");
    app.decider().decide(&id, &json!({"decision": "approve"})).await.refusal(500);
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    assert!(app.ada().await.submit_decide_form(&id, "approve", &[]).await.location().contains("refused="));
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}
