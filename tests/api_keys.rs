//! Keys: which may do what, and when they end.

use std::{process::Command, time::Duration};

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
    eventually,
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_key_every_endpoint_says_how_to_send_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let nobody = app.without_key();
    for (method, path) in endpoints(&id) {
        let answer = nobody.send(method, &path, &[], "{}").await;
        assert!(answer.refusal(401).contains("Authorization: Bearer im_"), "{path}: {}", answer.text);
        assert!(answer.header("www-authenticate").starts_with("Bearer"), "{path}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_key_is_refused_whatever_it_looks_like(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let real = &app.house().agent.key;
    assert!(real.starts_with("im_") && real.len() == 46, "{real}");
    let (changed, cut) = (format!("{}A", &real[..45]), &real[..16]);
    let changed = if changed == *real { format!("{}B", &real[..45]) } else { changed };
    for key in ["im_x", "x", &changed, cut, &real.to_uppercase()] {
        let answer = app.with_key(key).get(&format!("/v1/actions/{id}")).await;
        assert!(answer.refusal(401).contains("unknown, revoked or expired"), "{}", answer.text);
        assert!(!answer.text.contains(key) || key.len() < 5, "the key is not repeated");
    }
    let basic = [("authorization", "Basic im_x")];
    app.without_key().send(Method::GET, "/v1/actions/x", &basic, "").await.refusal(401);
    let lower = format!("bearer {real}");
    let answer = app
        .without_key()
        .send(Method::GET, &format!("/v1/actions/{id}"), &[("authorization", &lower)], "")
        .await;
    assert_eq!(answer.status, 200, "the scheme's case does not matter");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn each_scope_opens_its_own_endpoints_and_a_refusal_names_what_is_missing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    for (scope, open) in [
        (Scope::Actions, [true, true, false, true, true]),
        (Scope::Decide, [false, true, true, false, false]),
        (Scope::Audit, [false; 5]),
        (Scope::Watch, [false; 5]),
        (Scope::Admin, [true; 5]),
    ] {
        let key = app.key(scope.as_str(), &[scope], None).await;
        let needs = ["actions", "actions or decide", "decide", "actions", "actions"];
        for (((method, path), is_open), needed) in endpoints(&id).into_iter().zip(open).zip(needs) {
            let answer = app.with_key(&key.key).send(method.clone(), &path, &[], "{}").await;
            if is_open {
                assert_ne!(answer.status, 403, "{} {method} {path}: {}", scope.as_str(), answer.text);
                continue;
            }
            let sentence = answer.refusal(403);
            let expected = format!("a key with the scope {needed}; this key has {}", scope.as_str());
            assert!(sentence.contains(&expected), "{method} {path}: {sentence}");
            assert!(answer.json["required_scopes"].is_array(), "{}", answer.text);
        }
    }
}

/// Propose, read, decide, report, claim.
fn endpoints(id: &str) -> [(Method, String); 5] {
    [
        (Method::POST, "/v1/actions".to_owned()),
        (Method::GET, format!("/v1/actions/{id}")),
        (Method::POST, format!("/v1/actions/{id}/decision")),
        (Method::POST, format!("/v1/actions/{id}/result")),
        (Method::POST, format!("/v1/actions/{id}/claim")),
    ]
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_revoked_key_ends_at_once_on_every_server(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail()).await;
    let key = app.key("short-lived", &[Scope::Actions], None).await;
    // Both servers remember it now.
    for server in [&app, &other] {
        server.with_key(&key.key).read(&id).await;
    }
    app.revoke(&key).await;
    app.with_key(&key.key).get(&format!("/v1/actions/{id}")).await.refusal(401);
    let path = format!("/v1/actions/{id}");
    let since = std::time::Instant::now();
    eventually("the other server refuses it too", async || {
        other.with_key(&key.key).get(&path).await.status == 401
    })
    .await;
    assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
    assert_eq!(app.agent().get(&path).await.status, 200, "other keys go on");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_hears_nobody_trusts_no_remembered_key(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let key = app.key("short-lived", &[Scope::Actions], None).await;
    app.with_key(&key.key).read(&id).await;
    // Revoked where no signal comes from, in the moment in which the listener is gone.
    sqlx::query("update api_key set revoked_at = now() where name = 'short-lived'")
        .execute(&db)
        .await
        .expect("a row");
    sqlx::query(
        "select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike 'listen %'",
    )
    .execute(&db)
    .await
    .expect("a superuser");
    let path = format!("/v1/actions/{id}");
    let since = std::time::Instant::now();
    eventually("it is refused", async || app.with_key(&key.key).get(&path).await.status == 401).await;
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_with_an_end_works_until_its_second(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let key = app.key("for a minute", &[Scope::Actions], Some(Duration::from_mins(1))).await;
    app.clock.advance(Duration::from_micros(59_999_999));
    app.with_key(&key.key).read(&id).await;
    app.clock.advance(Duration::from_micros(1));
    app.with_key(&key.key).get(&format!("/v1/actions/{id}")).await.refusal(401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_last_use_is_noted_at_most_once_a_minute(db: PgPool) {
    let app = TestApp::start(&db).await;
    let used = async || -> Option<i64> {
        let sql =
            "select floor(extract(epoch from last_used_at))::bigint from api_key where name = 'first-agent'";
        sqlx::query_scalar(sql).fetch_one(&db).await.expect("the key")
    };
    assert_eq!(used().await, None);
    app.agent().proposed(&mail()).await;
    let first = app.clock.now().unix_timestamp();
    eventually("the first use is noted", async || used().await == Some(first)).await;
    app.advance(59);
    app.agent().propose(&mail()).await.expect(200);
    app.advance(2);
    let third = app.clock.now().unix_timestamp();
    app.agent().propose(&mail()).await.expect(200);
    eventually("the next one is noted after a minute", async || {
        let now = used().await;
        assert!(now == Some(first) || now == Some(third), "and nothing in between: {now:?}");
        now == Some(third)
    })
    .await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_the_digest_of_a_key_is_stored(db: PgPool) {
    let app = TestApp::start(&db).await;
    let key = &app.house().agent.key;
    let dump: Vec<String> =
        sqlx::query_scalar("select k::text from api_key k union all select a::text from audit_event a")
            .fetch_all(&db)
            .await
            .expect("rows");
    assert!(dump.iter().any(|row| row.contains(&key[..16])), "the visible prefix is");
    assert!(dump.iter().all(|row| !row.contains(&key[..20])), "and no more");
}

/// Runs the program's own command on the database of the test.
pub(crate) fn impri(db: &PgPool, arguments: &[&str]) -> (Option<i32>, String, String) {
    let options = db.connect_options();
    let database = options.get_database().expect("a database");
    let base = std::env::var_os("DATABASE_URL").expect("sqlx::test needs it too");
    let mut address = url::Url::parse(base.to_str().expect("text")).expect("an address");
    address.set_path(database);
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("IMPRI_")) {
        command.env_remove(name);
    }
    command.args(arguments).env("DATABASE_URL", address.as_str());
    command.env("IMPRI_SECRET_KEY", crate::support::VAULT_KEY);
    let output = command.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_operator_makes_and_revokes_keys_while_the_server_runs(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (code, key, errors) = impri(&db, &["keys", "create", "--name", "cli agent", "--scope", "actions"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(key.starts_with("im_") && key.len() == 47 && key.ends_with('\n'), "the key alone: {key:?}");
    let api = app.with_key(key.trim());
    let id = api.proposed(&mail()).await;
    assert_eq!(api.read(&id).await["agent"], "cli agent");
    let (_, list, _) = impri(&db, &["keys", "list"]);
    assert!(list.contains("cli agent") && !list.contains(key.trim()), "{list}");
    let (code, _, errors) = impri(&db, &["keys", "revoke", &key[..16]]);
    assert_eq!(code, Some(0), "{errors}");
    let path = format!("/v1/actions/{id}");
    eventually("the running server refuses it", async || api.get(&path).await.status == 401).await;
    let (code, _, errors) = impri(&db, &["keys", "create", "--name", "x", "--scope", "everything"]);
    assert!(code != Some(0) && errors.contains("everything"), "{errors}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_flood_of_one_agents_proposals_takes_nothing_from_another(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.key("quiet agent", &[Scope::Actions], None).await;
    let flood = (0..200).map(|n| {
        let agent = app.agent();
        async move { agent.propose(&mail_with(json!({"title": format!("{n}")}))).await.status }
    });
    let (flood, quiet) = tokio::join!(futures::future::join_all(flood), async {
        app.with_key(&other.key).propose(&mail()).await.status
    });
    assert!(flood.into_iter().all(|status| status == 201));
    assert_eq!(quiet, 201);
}
