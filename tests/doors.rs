//! Every door refuses what must not be: an agent that decides, a stranger, another site, another project.

use std::collections::BTreeSet;

use impri::domain::scope::Scope;
use leptos::server_fn::axum::server_fn_paths;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail};

/// Server functions that answer without a session. Whoever adds one changes this list on purpose.
const PUBLIC: [&str; 6] = [
    "/rpc/current_door",
    "/rpc/join",
    "/rpc/load_invitation",
    "/rpc/load_set_up",
    "/rpc/set_up",
    "/rpc/sign_in",
];
/// Signing out is open to whoever is signed out: there is nothing to end.
const HARMLESS: &str = "/rpc/sign_out";

/// Fields that satisfy every server function, so that none is refused for a missing one.
fn all_fields(id: &str) -> [(&str, &str); 19] {
    [
        ("id", id),
        ("seen", "0000000000000000000000000000000000000000000000000000000000000000"),
        ("verdict", "approve"),
        ("comment", ""),
        ("email", "nobody@example.org"),
        ("password", "not the password"),
        ("next", ""),
        ("token", "x"),
        ("name", "Mallory"),
        ("project", "Theirs"),
        ("cursor", ""),
        ("filter[action]", ""),
        ("role", "admin"),
        ("theme", "dark"),
        ("current", "not the password"),
        ("sent[verdict]", "approve"),
        ("kind", "webhook"),
        ("platform", "telegram"),
        ("user", "1"),
    ]
}

/// Every server function that the router serves.
fn functions() -> BTreeSet<&'static str> {
    server_fn_paths()
        .map(|(path, method)| {
            assert_eq!(method, "POST", "{path}: a function that answers to GET can be called by a link");
            path
        })
        .collect()
}

async fn state(app: &TestApp, id: &str) -> serde_json::Value {
    app.agent().read(id).await["status"].clone()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agents_key_never_decides(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let decision = json!({"decision": "approve"});
    assert!(app.agent().decide(&id, &decision).await.refusal(403).contains("scope decide"));
    let auditor = app.key("auditor", &[Scope::Audit, Scope::Actions], None).await;
    app.with_key(&auditor.key).decide(&id, &decision).await.refusal(403);
    assert_eq!(state(&app, &id).await, "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_key_decides_what_it_proposed_whatever_its_scopes(db: PgPool) {
    let app = TestApp::start(&db).await;
    for scopes in [
        &[Scope::Actions, Scope::Decide][..],
        &[Scope::Admin],
        &[Scope::Actions, Scope::Decide, Scope::Admin],
    ] {
        let key = app.key("both hats", scopes, None).await;
        let both = app.with_key(&key.key);
        let id = both.proposed(&mail()).await;
        for verdict in ["approve", "reject"] {
            let answer = both.decide(&id, &json!({"decision": verdict})).await;
            let sentence = answer.refusal(403);
            assert!(sentence.contains("nothing decides what it proposed itself"), "{sentence}");
            assert!(
                sentence.contains("allow-self-approval"),
                "it says what a one-person set-up does: {sentence}"
            );
        }
        assert_eq!(state(&app, &id).await, "pending");
        app.decider().approve(&id).await;
    }
    let own = app.key("both hats", &[Scope::Actions, Scope::Decide], None).await;
    let another = app.key("colleague", &[Scope::Actions, Scope::Decide], None).await;
    let id = app.with_key(&own.key).proposed(&mail()).await;
    app.with_key(&another.key).approve(&id).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_project_may_allow_self_approval_on_purpose_and_visibly(db: PgPool) {
    let app = TestApp::start(&db).await;
    let key = app.key("both hats", &[Scope::Actions, Scope::Decide], None).await;
    let both = app.with_key(&key.key);
    let id = both.proposed(&mail()).await;
    app.allow_self_approval(true).await;
    both.approve(&id).await;
    let sql = "select count(*) from audit_event where kind = 'project.updated' and actor_kind = 'operator'
                 and data->'allow_self_approval'->>'after' = 'true'";
    assert_eq!(app.count(sql).await, 1, "and the history tells");
    app.agent().decide(&id, &json!({"decision": "approve"})).await.refusal(403);
    app.allow_self_approval(false).await;
    let id = both.proposed(&mail()).await;
    both.decide(&id, &json!({"decision": "approve"})).await.refusal(403);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stranger_is_refused_by_every_server_function_but_the_public_ones(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let functions = functions();
    assert!(functions.len() >= 8, "{functions:?}");
    for path in PUBLIC.iter().chain([&HARMLESS]) {
        assert!(functions.contains(path), "{path} is still there");
    }
    let name = |path: &'static str| path.trim_start_matches("/rpc/");
    for path in functions.iter().filter(|path| !PUBLIC.contains(path) && **path != HARMLESS) {
        let stranger = app.browser();
        let answer = stranger.call(name(path), &all_fields(&id)).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.html);
        assert!(answer.html.contains("SignedOut"), "{path}: {}", answer.html);
        // A session that never signed in, or that somebody made up, is no better.
        stranger.set_cookie("impri_session", "AAAAAAAAAAAAAAAAAAAAAA");
        assert_eq!(stranger.call(name(path), &all_fields(&id)).await.status, 401, "{path}");
        let plain = stranger.submit(path, &all_fields(&id)).await;
        assert!(plain.status == 302 || plain.status == 401, "{path}: {}", plain.status);
    }
    assert_eq!(state(&app, &id).await, "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_api_key_opens_no_server_function_and_a_session_no_api(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let admin = app.key("admin", &[Scope::Admin], None).await;
    for path in functions().into_iter().filter(|path| !PUBLIC.contains(path) && *path != HARMLESS) {
        let headers =
            [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
        let answer = app.with_key(&admin.key).send(Method::POST, path, &headers, format!("id={id}")).await;
        assert!(matches!(answer.status, 400 | 401), "{path}: {} {}", answer.status, answer.text);
    }
    let session = app.ada().await.cookie("impri_session").expect("a session");
    let cookie = [("cookie", format!("impri_session={session}"))];
    let cookie: Vec<_> = cookie.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = json!({"decision": "approve"}).to_string();
    for (method, path) in [
        (Method::POST, "/v1/actions".to_owned()),
        (Method::GET, format!("/v1/actions/{id}")),
        (Method::POST, format!("/v1/actions/{id}/decision")),
        (Method::POST, format!("/v1/actions/{id}/result")),
    ] {
        app.without_key().send(method, &path, &cookie, body.clone()).await.refusal(401);
    }
    assert_eq!(state(&app, &id).await, "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_site_can_use_a_signed_in_browser_for_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let ada = app.ada().await;
    let seen = app.agent().read(&id).await["content_sha256"].as_str().expect("a digest").to_owned();
    let mut fields = all_fields(&id);
    fields[1].1 = &seen;
    let evil: [&[(&str, &str)]; 7] = [
        &[("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", &app.url)],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1.evil.example")],
        &[],
    ];
    for path in functions() {
        for headers in evil {
            for kind in ["text/html", "application/json"] {
                let headers = [headers, &[("accept", kind), ("referer", "https://evil.example/")]].concat();
                let answer = ada.post(path, &fields, &headers).await;
                assert_eq!(answer.status, 403, "{path} {headers:?}");
                assert_eq!(answer.location(), "", "{path} {headers:?}: nobody is led anywhere");
            }
        }
    }
    assert_eq!(state(&app, &id).await, "pending");
    assert_eq!(ada.open("/inbox").await.status, 200, "and she is still signed in");
    let own = [("origin", app.url.as_str()), ("accept", "application/json")];
    let answer = ada.post("/rpc/decide_action", &fields, &own).await;
    assert_eq!(answer.status, 200, "an older browser that sends only its origin may: {}", answer.html);
    assert_eq!(state(&app, &id).await, "approved");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_link_cannot_decide(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let ada = app.ada().await;
    for path in functions() {
        let query = format!("{path}?id={id}&verdict=approve&seen={}", "0".repeat(64));
        let answer = ada.open(&query).await;
        assert!(matches!(answer.status, 404 | 405), "{path}: {}", answer.status);
    }
    assert_eq!(state(&app, &id).await, "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_reviewer_sees_nothing_of_another_project(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, _) = app.foreign_project().await;
    let made = app.with_key(&foreign.key).propose(&mail()).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    let ada = app.ada().await;
    assert_eq!(ada.open(&format!("/inbox/{id}")).await.status, 404);
    assert_eq!(ada.call("load_card", &[("id", id)]).await.status, 404);
    let seen = made["content_sha256"].as_str().expect("a digest");
    let fields = [("id", id), ("seen", seen), ("verdict", "approve")];
    assert_eq!(ada.call("decide_action", &fields).await.status, 404);
    assert_eq!(app.with_key(&foreign.key).read(id).await["status"], "pending");
    assert!(!ada.open("/inbox").await.html.contains(id));
    let history = ada.open(&format!("/history?action={id}")).await;
    assert!(history.has(".nothing") && !history.html.contains("Outreach: Acme"), "{}", history.html);
    assert!(!ada.open("/history").await.html.contains("Outreach: Acme"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_event_stream_is_for_who_is_signed_in_and_about_their_project(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, foreign_decider) = app.foreign_project().await;
    assert_eq!(app.browser().open("/events").await.status, 401);
    assert_eq!(app.agent().get("/events").await.status, 401);

    let session = app.ada().await.cookie("impri_session").expect("a session");
    let mut answer = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
        .get(format!("{}/events", app.url))
        .header("cookie", format!("impri_session={session}"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    assert!(answer.headers().get("content-encoding").is_none(), "compression would hold events back");
    let theirs = app.with_key(&foreign.key).proposed(&mail()).await;
    app.with_key(&foreign_decider.key).approve(&theirs).await;
    let ours = app.agent().proposed(&mail()).await;
    app.decider().approve(&ours).await;
    let mut heard = String::new();
    let until_ours = async {
        while !heard.contains("\"decided\"") {
            let bytes = answer.chunk().await.expect("bytes").expect("the stream goes on");
            heard.push_str(&String::from_utf8_lossy(&bytes));
        }
    };
    tokio::time::timeout(crate::support::PATIENCE, until_ours).await.expect("it is told within a moment");
    assert!(heard.contains(&ours) && !heard.contains(&theirs), "{heard}");
    assert!(!heard.contains("Outreach"), "ids and kinds, never content: {heard}");
}
