//! The API of notification channels: shapes of the contract, secrets that nobody sees, refusals that name the field.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::TestApp;

const PATH: &str = "/v1/notification-channels";

fn ntfy() -> Value {
    json!({"name": "on call", "type": "ntfy",
        "config": {"url": "https://ntfy.example.org", "topic": "impri", "token": "tk_secret_9876"}})
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_channel_is_made_changed_paused_and_deleted(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let made = admin.post(PATH, &ntfy()).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    assert!(id.starts_with("nchan_"), "{id}");
    assert_eq!(made["config"], json!({"topic": "impri", "url": "****.org", "token": "****9876"}));
    assert_eq!((&made["enabled"], &made["digest_window_sec"]), (&json!(true), &json!(60)));
    assert_eq!((&made["fail_count"], &made["pending"]), (&json!(0), &json!(0)));
    let list = admin.get(PATH).await.expect(200);
    assert_eq!((&list["items"], &list["channels"]), (&json!([made]), &json!([made])));

    let one = format!("{PATH}/{id}");
    app.advance(5);
    let change =
        json!({"enabled": false, "kinds": ["mail.*"], "config": {"topic": "other", "token": "****9876"}});
    let changed = admin.patch(&one, &change).await.expect(200);
    assert_eq!(changed["config"], json!({"topic": "other", "url": "****.org", "token": "****9876"}));
    assert_eq!((&changed["enabled"], &changed["kinds"]), (&json!(false), &json!(["mail.*"])));
    assert!(changed["updated_at"].as_i64() > made["updated_at"].as_i64());
    // A token goes to no other server than the one that it was given for.
    for config in
        [json!({"url": "https://evil.example"}), json!({"url": "https://evil.example", "token": "****9876"})]
    {
        admin.patch(&one, &json!({"config": config})).await.issue("config.token");
    }
    let bare = admin.patch(&one, &json!({"config": {"token": null}})).await.expect(200);
    assert_eq!(bare["config"], json!({"topic": "other", "url": "****.org"}));
    assert_eq!(admin.get(&one).await.expect(200), bare);

    assert_eq!(admin.delete(&one).await.status, 204);
    for answer in [admin.get(&one).await, admin.delete(&one).await, admin.patch(&one, &json!({})).await] {
        answer.refusal(404);
    }
    assert_eq!(admin.get(PATH).await.expect(200)["items"], json!([]));
    let sql = "select count(*) from audit_event where kind like 'channel.%' and actor_kind = 'key' and channel = 'api'";
    assert_eq!(app.count(sql).await, 4);
    assert_eq!(app.count("select count(*) from notification_channel where secrets is not null").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_secret_is_in_the_database_in_the_history_or_in_an_answer(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let made = admin.post(PATH, &ntfy()).await;
    assert_eq!(made.status, 201);
    let list = admin.get(PATH).await;
    let stored: Vec<(String,)> = sqlx::query_as(
        "select row_to_json(c)::text from notification_channel c union all select row_to_json(e)::text from audit_event e",
    )
    .fetch_all(&db)
    .await
    .expect("rows");
    let stored: String = stored.into_iter().map(|(row,)| row).collect();
    for text in [&made.text, &list.text, &stored] {
        assert!(!text.contains("tk_secret") && !text.contains("ntfy.example"), "{text}");
    }
    assert!(stored.contains("\"x1."), "{stored}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_breaks_a_rule_is_named_and_nothing_is_stored(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let with = |part: Value| {
        let mut all = ntfy();
        all.as_object_mut().expect("an object").extend(part.as_object().expect("an object").clone());
        all
    };
    for (part, field, word) in [
        (json!({"name": ""}), "name", "1 to 200"),
        (json!({"type": "pager"}), "type", "ntfy"),
        (json!({"type": "discord", "config": {"approval_mode": true}}), "config", "bot_token: is required"),
        (json!({"type": "discord", "config": {}}), "config", "url: is required"),
        (json!({"digest_window_sec": 5}), "digest_window_sec", "10 to 3600"),
        (json!({"config": {"url": "https://n.example"}}), "config", "topic"),
        (json!({"config": {"url": "file:///etc", "topic": "x"}}), "config", "http"),
        (json!({"config": {"url": "https://n.example", "topic": "x", "tokn": "y"}}), "config", "tokn"),
        (json!({"kinds": [""]}), "kinds", "1 to 100"),
        (json!({"fallback_id": "nchan_x"}), "fallback_id", "another channel"),
    ] {
        let answer = admin.post(PATH, &with(part.clone())).await;
        assert!(answer.refusal(400).contains(word), "{part}: {}", answer.text);
        assert_eq!(answer.json["issues"][0]["path"][0], field, "{part}");
    }
    assert_eq!(app.count("select count(*) from notification_channel").await, 0);
    let made = admin.post(PATH, &ntfy()).await.expect(201);
    let one = format!("{PATH}/{}", made["id"].as_str().expect("an id"));
    let own = json!({"fallback_id": made["id"]});
    for change in [json!({"type": "email"}), json!({"config": {"topic": "a b"}}), own] {
        admin.patch(&one, &change).await.refusal(400);
    }
    assert_eq!(admin.get(&one).await.expect(200), made);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_an_admins_key_manages_channels(db: PgPool) {
    let app = TestApp::start(&db).await;
    let made = app.program(&[Scope::Admin]).await.post(PATH, &ntfy()).await.expect(201);
    let one = format!("{PATH}/{}", made["id"].as_str().expect("an id"));
    let other = app.program(&[Scope::Actions, Scope::Decide, Scope::Audit]).await;
    other.post(PATH, &ntfy()).await.refusal(403);
    other.get(PATH).await.refusal(403);
    other.get(&one).await.refusal(403);
    other.patch(&one, &json!({})).await.refusal(403);
    other.delete(&one).await.refusal(403);
    other.post(&format!("{one}/test"), &json!({})).await.refusal(403);
    app.without_key().get(PATH).await.refusal(401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_test_says_what_the_platform_said(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    // This server is no ntfy server, and says so.
    let hook = json!({"name": "hook", "type": "webhook", "config": {"url": format!("{}/nowhere", app.url)}});
    let made = admin.post(PATH, &hook).await.expect(201);
    let test = format!("{PATH}/{}/test", made["id"].as_str().expect("an id"));
    let answer = admin.post(&test, &json!({})).await.expect(200);
    assert_eq!(
        (&answer["ok"], answer["error"].as_str().is_some_and(|text| text.starts_with("HTTP 4"))),
        (&json!(false), true)
    );
    assert_eq!(admin.get(PATH).await.expect(200)["items"][0]["fail_count"], 0, "its health stays");
    admin.post(&format!("{PATH}/nchan_x/test"), &json!({})).await.refusal(404);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn there_is_no_webhook_to_set_up(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let made = admin.post(PATH, &ntfy()).await.expect(201);
    let path = format!("{PATH}/{}/setup-webhook", made["id"].as_str().expect("an id"));
    let refused = admin.post(&path, &json!({})).await;
    assert!(refused.refusal(501).contains("by itself"), "{}", refused.text);
    app.agent().post(&path, &json!({})).await.refusal(403);
}
