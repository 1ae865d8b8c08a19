//! Keys as an administrator manages them in the browser.

use std::time::Duration;

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_is_made_shown_once_and_works(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.advance(1);
    let ada = app.ada().await;
    let fields = [("name", " deploy-bot "), ("actions", "on"), ("days", "30")];
    let made = ada.submit("/rpc/create_key", &fields).await;
    assert_eq!((made.status, made.location()), (302, "/keys?done=made"));
    assert!(!made.html.contains("im_"), "the answer to the form holds no key");
    assert!(!ada.glance("/keys").await.has(".secret"), "what nobody looks at takes no key");
    let page = ada.follow(&made).await;
    let key = page.text(".secret code");
    assert!(key.starts_with("im_") && key.len() == 46, "{key}");
    assert_eq!(page.text(".secret h2"), "The key of deploy-bot");
    assert_eq!(page.header("cache-control"), "no-store");
    app.with_key(&key).proposed(&mail()).await;

    let again = ada.follow(&made).await;
    assert!(!again.html.contains(&key) && !again.has(".secret"), "shown once");
    let first = &again.texts("ul[aria-label=Keys] .entry")[0];
    assert!(first.starts_with("deploy-bot"), "the newest first: {first}");
    assert!(first.contains(&key[..16]) && first.contains("may use actions"), "{first}");
    assert!(first.contains("expires in 30 d") && first.contains("1 waiting"), "{first}");
    let stored: Vec<String> = sqlx::query_scalar("select encode(data, 'escape') from session")
        .fetch_all(&db)
        .await
        .expect("sessions");
    assert!(stored.iter().all(|data| !data.contains(&key)), "and kept nowhere");
    app.advance(30 * 86_400);
    app.with_key(&key).propose(&mail()).await.refusal(401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_that_nobody_looked_at_is_not_shown_later(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    ada.submit("/rpc/create_key", &[("name", "x"), ("actions", "on")]).await;
    app.advance(300);
    assert!(!ada.open("/keys").await.has(".secret"));
    ada.submit("/rpc/create_key", &[("name", "y"), ("actions", "on")]).await;
    assert!(!app.ada().await.open("/keys").await.has(".secret"), "nor in another browser");
    assert!(ada.open("/keys").await.has(".secret"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_form_that_does_not_fit_makes_no_key(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let long = "x".repeat(101);
    for (fields, refusal, sentence) in [
        (vec![("name", "x")], "bad-scopes", "at least one thing"),
        (vec![("name", " "), ("actions", "on")], "bad-name", "1 to 100 characters"),
        (vec![("name", &long), ("actions", "on")], "bad-name", "1 to 100 characters"),
        (vec![("name", "x"), ("actions", "on"), ("days", "0")], "bad-lifetime", "from the list"),
        (vec![("name", "x"), ("actions", "on"), ("days", "ever")], "bad-lifetime", "from the list"),
        (vec![("name", "x"), ("actions", "on"), ("days", "99999999999")], "bad-lifetime", "from the list"),
    ] {
        let refused = ada.submit("/rpc/create_key", &fields).await;
        assert_eq!(refused.location(), format!("/keys?refused={refusal}"), "{fields:?}");
        let page = ada.follow(&refused).await;
        assert!(page.text("[role=alert]").contains(sentence), "{}", page.text("[role=alert]"));
    }
    assert_eq!(app.count("select count(*) from api_key").await, 2);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn revoking_asks_first_and_ends_the_key_on_every_server(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    app.advance(1);
    let key = app.key("deploy-bot", &[Scope::Actions], None).await;
    for number in 0..3 {
        app.with_key(&key.key).proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
    }
    let ada = app.ada().await;
    let page = ada.open("/keys").await;
    let bot = &page.texts("ul[aria-label=Keys] .entry")[0];
    assert!(bot.contains("3 waiting"), "{bot}");
    assert!(bot.contains("Its 3 waiting actions stay in the inbox"), "{bot}");
    assert!(bot.contains("last used just now"), "{bot}");
    assert!(page.has("details:not([open]) form[action='/rpc/revoke_key']"), "it has to be opened first");
    let id = page.attributes("form[action='/rpc/revoke_key'] input[name=id]", "value").remove(0);
    assert_eq!(id, key.stored.id.to_string());
    let revoked = ada.submit("/rpc/revoke_key", &[("id", &id)]).await;
    assert_eq!(revoked.location(), "/keys?done=revoked");
    for server in [&app, &other] {
        server.with_key(&key.key).propose(&mail()).await.refusal(401);
    }
    let page = ada.follow(&revoked).await;
    assert!(page.text(".notice").contains("refused from now on"));
    assert_eq!(page.texts("ul[aria-label=Keys] .entry-name").len(), 2);
    let ended = page.text("ul[aria-label='Revoked and expired keys'] .entry");
    assert!(ended.contains("deploy-bot") && ended.contains("revoked just now"), "{ended}");
    assert!(!page.has("ul[aria-label='Revoked and expired keys'] form"));
    let twice = ada.submit("/rpc/revoke_key", &[("id", &id)]).await;
    assert_eq!(twice.location(), "/keys?refused=not-found");
    let actor: String = sqlx::query_scalar("select actor_name from audit_event where kind = 'key.revoked'")
        .fetch_one(&db)
        .await
        .expect("an event");
    assert_eq!(actor, "Ada");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_what_waits_is_counted_and_only_this_projects_keys_are_listed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, _) = app.foreign_project().await;
    app.with_key(&foreign.key).proposed(&mail()).await;
    app.advance(1);
    let short = app.key("short-lived", &[Scope::Actions], Some(Duration::from_secs(400))).await;
    let decided = app.with_key(&short.key).proposed(&mail_with(json!({"title": "decided"}))).await;
    app.with_key(&short.key).proposed(&mail_with(json!({"title": "late", "expires_in": 300}))).await;
    app.with_key(&short.key).proposed(&mail_with(json!({"title": "waits"}))).await;
    app.decider().approve(&decided).await;
    let ada = app.ada().await;
    let word =
        async || ada.open("/keys").await.texts(".entry:has(.entry-name):first-child .entry-word")[0].clone();
    assert_eq!(word().await, "2 waiting");
    app.advance(300);
    assert_eq!(word().await, "1 waiting", "by the second, not by a sweep");
    app.advance(100);
    let page = ada.open("/keys").await;
    assert!(page.text("ul[aria-label='Revoked and expired keys']").contains("expired just now"));
    assert!(!page.html.contains("foreign"));
    let id = foreign.stored.id.to_string();
    assert_eq!(ada.submit("/rpc/revoke_key", &[("id", &id)]).await.location(), "/keys?refused=not-found");
    app.with_key(&foreign.key).proposed(&mail_with(json!({"title": "still there"}))).await;
}
