//! Keys by the API: making, listing and revoking them, and the last way in.

use std::time::Duration;

use impri::{
    domain::{audit::Actor, decision::Channel, scope::Scope},
    server::{error::ServiceError, service::NewKey},
};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{ADA, Api, TestApp, api::mail};

/// Makes a key by the API.
async fn make(admin: &Api, scopes: &[&str]) -> Value {
    admin.post("/v1/keys", &json!({"name": "made", "scopes": scopes})).await.expect(201)
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} in {value}"))
}

async fn disable_ada(app: &TestApp) -> Result<(), ServiceError> {
    let project = app.project();
    app.on_server(move |services| async move {
        let id = services.person_behind(project, ADA).await?.id;
        services.disable_person(project, id, Actor::Operator, Channel::cli()).await
    })
    .await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_is_made_shown_once_listed_and_revoked(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let asked = json!({"name": "deploy-bot", "scopes": ["actions", "watch", "actions"], "expires_in": 60});
    let made = admin.post("/v1/keys", &asked).await.expect(201);
    let (id, key) = (text(&made, "id"), text(&made, "key"));
    assert!(id.starts_with("key_") && key.starts_with("im_") && key.len() == 46, "{made}");
    assert_eq!(made["prefix"], key[..16]);
    assert_eq!((&made["name"], &made["scopes"]), (&json!("deploy-bot"), &json!(["actions", "watch"])));
    assert_eq!(made["project_id"], app.project().to_string());
    let now = app.clock.now().unix_timestamp();
    assert_eq!((&made["created_at"], &made["expires_at"]), (&json!(now), &json!(now + 60)));
    assert!(text(&made, "note").contains("can't be shown again"));

    let action = app.with_key(key).proposed(&mail()).await;
    let listed = admin.get("/v1/keys").await.expect(200);
    let found = listed["items"].as_array().expect("a list").iter().find(|item| item["id"] == id);
    let expected = json!({"id": id, "project_id": app.project(), "prefix": key[..16], "name": "deploy-bot",
        "scopes": ["actions", "watch"], "created_at": now, "expires_at": now + 60, "revoked": false});
    let mut found = found.expect("the new key").clone();
    found.as_object_mut().expect("an object").remove("last_used_at");
    assert_eq!(found, expected);
    assert!(!listed.to_string().contains(key), "the key itself is in no list");

    let path = format!("/v1/keys/{id}");
    let gone = admin.delete(&path).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    app.with_key(key).get(&format!("/v1/actions/{action}")).await.refusal(401);
    admin.delete(&path).await.refusal(404);
    let listed = admin.get("/v1/keys").await.expect(200);
    let found = listed["items"].as_array().expect("a list").iter().find(|item| item["id"] == id);
    assert_eq!(found.expect("it stays in the list")["revoked"], true);

    let sql = "select count(*) from audit_event where kind in ('key.created', 'key.revoked')
                 and actor_kind = 'key' and channel = 'api'";
    assert_eq!(app.count(sql).await, 2, "the history says which key did it");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_wrong_with_a_new_key_is_named_and_nothing_is_made(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let before = app.count("select count(*) from api_key").await;
    let nothing = admin.post("/v1/keys", &json!({})).await;
    nothing.issue("name");
    let wrong = json!({"name": "x", "scopes": ["actions", "everything"], "expires_in": 0});
    let wrong = admin.post("/v1/keys", &wrong).await;
    assert!(wrong.issue("scopes.1")["message"].as_str().expect("a sentence").contains("everything"));
    wrong.issue("expires_in");
    admin.post("/v1/keys", &json!({"name": "x", "scopes": []})).await.issue("scopes");
    admin.post("/v1/keys", &json!({"name": "x", "scopes": "actions"})).await.issue("scopes");
    admin.post("/v1/keys", &json!({"name": "", "scopes": ["actions"]})).await.issue("name");
    let long = json!({"name": "x".repeat(101), "scopes": ["actions"]});
    assert_eq!(admin.post("/v1/keys", &long).await.issue("name")["limit"], 100);
    let ages = json!({"name": "x", "scopes": ["actions"], "expires_in": i64::MAX});
    admin.post("/v1/keys", &ages).await.issue("expires_in");
    assert_eq!(app.count("select count(*) from api_key").await, before);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn keys_are_for_admins_of_their_project_only(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent_key = format!("/v1/keys/{}", app.house().agent.stored.id);
    let endpoints =
        [(Method::POST, "/v1/keys"), (Method::GET, "/v1/keys"), (Method::DELETE, agent_key.as_str())];
    for scopes in [&[Scope::Actions, Scope::Decide][..], &[Scope::Audit], &[Scope::Watch]] {
        let program = app.program(scopes).await;
        for (method, path) in &endpoints {
            let answer = program.send(method.clone(), path, &[], "{}").await;
            assert!(answer.refusal(403).contains("scope admin"), "{method} {path}: {}", answer.text);
        }
    }
    for (method, path) in endpoints {
        app.without_key().send(method, path, &[], "{}").await.refusal(401);
    }
    let (foreign, _) = app.foreign_project().await;
    let admin = app.program(&[Scope::Admin]).await;
    for id in [foreign.stored.id.to_string(), "key_AAAAAAAAAAAAAAAAAAAAAA".into(), "x".into(), "%ff".into()] {
        admin.delete(&format!("/v1/keys/{id}")).await.refusal(404);
    }
    let listed = admin.get("/v1/keys").await.expect(200).to_string();
    assert!(!listed.contains("foreign agent"), "{listed}");
    app.with_key(&foreign.key).proposed(&mail()).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_last_way_in_cannot_be_revoked(db: PgPool) {
    let app = TestApp::start(&db).await;
    let first = app.key("admin", &[Scope::Admin], None).await;
    let admin = app.with_key(&first.key);
    let own = format!("/v1/keys/{}", first.stored.id);
    let refused = disable_ada(&app).await;
    assert!(matches!(refused, Err(ServiceError::LastAdmin)), "a key opens no pages and makes no people");
    sqlx::query("update reviewer set disabled_at = now()").execute(&db).await.expect("a row");
    assert!(admin.delete(&own).await.refusal(409).contains("last key with the scope admin"));
    assert_eq!(admin.get("/v1/keys").await.status, 200, "nothing was revoked");

    let dying = json!({"name": "dying", "scopes": ["admin"], "expires_in": 60});
    let dying = admin.post("/v1/keys", &dying).await.expect(201);
    app.advance(60);
    assert!(admin.delete(&own).await.refusal(409).contains("admin"), "a key past its end is no way in");
    let dead = format!("/v1/keys/{}", text(&dying, "id"));
    assert_eq!(admin.delete(&dead).await.status, 204, "and so it may go");
    let agent = make(&admin, &["actions"]).await;
    admin.delete(&own).await.refusal(409);
    let agent = format!("/v1/keys/{}", text(&agent, "id"));
    assert_eq!(admin.delete(&agent).await.status, 204, "any other key may go");

    let second = make(&admin, &["actions", "admin"]).await;
    assert_eq!(admin.delete(&own).await.status, 204, "now there is another one");
    admin.get("/v1/keys").await.refusal(401);
    let second_key = app.with_key(text(&second, "key"));
    second_key.delete(&format!("/v1/keys/{}", text(&second, "id"))).await.refusal(409);

    let (code, _, errors) = crate::api_keys::impri(&db, &["keys", "revoke", text(&second, "id")]);
    assert!(code != Some(0) && errors.contains("last way in"), "the command keeps the same rule: {errors}");
    app.person("Cleo", "cleo@example.org", true).await;
    let (code, _, errors) = crate::api_keys::impri(&db, &["keys", "revoke", text(&second, "id")]);
    assert_eq!(code, Some(0), "a person with the role can sign in: {errors}");
    disable_ada(&app).await.expect_err("she is gone already");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_admin_keys_that_revoke_each_other_leave_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let project = app.project();
    sqlx::query("update reviewer set disabled_at = now()").execute(&db).await.expect("a row");
    for _ in 0..10 {
        let keys = app
            .on_server(move |services| async move {
                let new = |name: &str| NewKey { name: name.into(), scopes: vec![Scope::Admin], lasts: None };
                let make = async |name: &str| {
                    services
                        .create_key(project, new(name), Actor::Operator, Channel::cli())
                        .await
                        .expect("a key")
                };
                [make("one").await, make("two").await]
            })
            .await;
        let [one, two] = &keys;
        let (by_one, by_two) = (app.with_key(&one.key), other.with_key(&two.key));
        let (other_id, one_id) = (two.stored.id, one.stored.id);
        let (a, b) =
            tokio::join!(async { by_one.delete(&format!("/v1/keys/{other_id}")).await.status }, async {
                by_two.delete(&format!("/v1/keys/{one_id}")).await.status
            },);
        let left = "select count(*) from api_key where 'admin' = any(scopes) and revoked_at is null";
        assert_eq!(app.count(left).await, 1, "{a} {b}");
        sqlx::query("update api_key set revoked_at = now() where 'admin' = any(scopes)")
            .execute(&db)
            .await
            .expect("rows");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
