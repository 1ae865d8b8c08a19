//! The project by the API and on the command line: settings, secret, export.

use impri::domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::api_keys::impri;
use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

const ENDPOINTS: [(Method, &str); 5] = [
    (Method::GET, "/v1/project"),
    (Method::PATCH, "/v1/project"),
    (Method::POST, "/v1/project/rotate-webhook-secret"),
    (Method::GET, "/v1/project/export"),
    (Method::DELETE, "/v1/project/data"),
];

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_project_is_for_admins_only(db: PgPool) {
    let app = TestApp::start(&db).await;
    for scopes in [&[Scope::Actions, Scope::Decide][..], &[Scope::Audit], &[Scope::Watch]] {
        let program = app.program(scopes).await;
        for (method, path) in ENDPOINTS {
            let answer = program.send(method.clone(), path, &[], "{\"allow_self_approval\":true}").await;
            assert!(answer.refusal(403).contains("scope admin"), "{method} {path}: {}", answer.text);
        }
    }
    for (method, path) in ENDPOINTS {
        app.without_key().send(method, path, &[], "{}").await.refusal(401);
    }
    assert_eq!(app.count("select count(*) from project where allow_self_approval").await, 0);
    let sql = "select count(*) from audit_event where kind ~ '^(gdpr|project\\.(updated|secret))'";
    assert_eq!(app.count(sql).await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn settings_are_read_and_changed_and_the_history_says_from_what_to_what(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let project = &app.house().project;
    let read = admin.get("/v1/project").await.expect(200);
    let expected = json!({"id": project.id, "name": "My project", "timezone": "UTC", "allow_self_approval": false,
        "webhook_secret": app.house().webhook_secret, "created_at": project.created_at.unix_timestamp()});
    assert_eq!(read, expected);

    let change =
        json!({"name": " Our desk ", "timezone": "Europe/Berlin", "allow_self_approval": true, "id": "x"});
    let changed = admin.patch("/v1/project", &change).await.expect(200);
    let mut expected = expected;
    expected.as_object_mut().expect("an object").remove("webhook_secret");
    expected["name"] = "Our desk".into();
    expected["timezone"] = "Europe/Berlin".into();
    expected["allow_self_approval"] = true.into();
    assert_eq!(changed, expected);
    let noted: Vec<Value> = sqlx::query_scalar("select data from audit_event where kind = 'project.updated'")
        .fetch_all(&db)
        .await
        .expect("events");
    let what = json!({"name": {"before": "My project", "after": "Our desk"},
        "timezone": {"before": "UTC", "after": "Europe/Berlin"},
        "allow_self_approval": {"before": false, "after": true}});
    assert_eq!(noted, [what]);

    for same in [json!({}), json!({"name": null}), json!({"timezone": "Europe/Berlin", "name": "Our desk"})] {
        assert_eq!(admin.patch("/v1/project", &same).await.expect(200), expected, "{same}");
    }
    let sql = "select count(*) from audit_event where kind = 'project.updated'";
    assert_eq!(app.count(sql).await, 1, "what changes nothing is no fact");
    let history = app.ada().await.open("/history?event=project.updated").await;
    let what = history.text(".history-what");
    assert!(
        what.contains("Our desk") && what.contains("Europe/Berlin") && what.contains("self-approval allowed")
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_setting_that_does_not_fit_is_named_and_nothing_is_changed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let wrong = admin.patch("/v1/project", &json!({"name": "New", "timezone": "Mars/Olympus"})).await;
    assert!(wrong.issue("timezone")["message"].as_str().expect("a sentence").contains("IANA"));
    for zone in
        ["", "berlin", "europe/berlin", "posix/Europe/Berlin", "localtime", "Factory", "UTC'; --", "+02:00"]
    {
        admin.patch("/v1/project", &json!({"timezone": zone})).await.issue("timezone");
    }
    for name in [String::new(), "x".repeat(201), "two\nlines".into()] {
        admin.patch("/v1/project", &json!({"name": name})).await.issue("name");
    }
    admin.patch("/v1/project", &json!({"allow_self_approval": "on"})).await.issue("allow_self_approval");
    let read = admin.get("/v1/project").await.expect(200);
    assert_eq!((&read["name"], &read["timezone"]), (&json!("My project"), &json!("UTC")));
    for zone in ["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5"] {
        admin.patch("/v1/project", &json!({"timezone": zone})).await.expect(200);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_new_secret_replaces_the_old_one_and_the_history_does_not_know_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    // As clients of this contract send it: no body and no Content-Type.
    let rotated = admin.send(Method::POST, "/v1/project/rotate-webhook-secret", &[], "").await.expect(200);
    let secret = rotated["webhook_secret"].as_str().expect("a secret");
    assert_ne!(secret, app.house().webhook_secret);
    assert!(secret.len() == 43 && rotated["note"].is_string(), "{rotated}");
    assert_eq!(admin.get("/v1/project").await.expect(200)["webhook_secret"], secret);
    let events: Vec<String> =
        sqlx::query_scalar("select e::text from audit_event e where kind = 'project.secret_rotated'")
            .fetch_all(&db)
            .await
            .expect("events");
    assert!(events.len() == 1 && !events[0].contains(secret), "{events:?}");
    assert_eq!(app.ada().await.open("/history?event=project.secret_rotated").await.status, 200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_export_holds_everything_but_secrets_and_nothing_of_others(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (foreign, _) = app.foreign_project().await;
    app.with_key(&foreign.key).proposed(&mail_with(json!({"title": "not ours"}))).await;
    let mut ids = Vec::new();
    for number in 0..60 {
        let mail = mail_with(json!({"title": format!("number {number}"), "editable": ["title"]}));
        ids.push(app.agent().proposed(&mail).await);
    }
    let edited =
        json!({"decision": "approve", "edited": {"title": "\"quoted\" 🦓 title"}, "comment": "typo"});
    app.decider().decide(&ids[0], &edited).await.expect(200);
    app.decider().decide(&ids[1], &json!({"decision": "reject"})).await.expect(200);
    let admin = app.key("admin", &[Scope::Admin], None).await;
    let ntfy = json!({"name": "on call", "type": "ntfy", "enabled": false,
        "config": {"url": "https://ntfy.example", "topic": "ops", "token": "tk_not_to_be_seen"}});
    app.with_key(&admin.key).post("/v1/notification-channels", &ntfy).await.expect(201);
    sqlx::query(
        "insert into chat_account select 'telegram', '777001', reviewer_id, '@ada', now() from reviewer",
    )
    .execute(&db)
    .await
    .expect("an account");
    let answer = app.with_key(&admin.key).get("/v1/project/export").await;
    assert_eq!(answer.header("content-type"), "application/json");
    assert!(answer.header("content-disposition").contains(&app.project().to_string()));
    let text = answer.text.clone();
    let export = answer.expect(200);
    let members: Vec<&str> = export.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = [
        "exported_at",
        "project",
        "keys",
        "people",
        "channels",
        "watchers",
        "actions",
        "decisions",
        "audit_log",
    ];
    assert_eq!(members, expected);
    let exported: Vec<&str> = export["actions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|action| action["id"].as_str().expect("an id"))
        .collect();
    let mut all: Vec<&str> = ids.iter().map(String::as_str).collect();
    all.sort_unstable();
    let mut sorted = exported.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, all, "every action once");
    let decisions = export["decisions"].as_array().expect("a list");
    assert_eq!(decisions.len(), 2);
    let approval = decisions.iter().find(|decision| decision["action_id"] == ids[0]).expect("the approval");
    assert_eq!(approval["edits"], json!([{"path": "title", "value": "\"quoted\" 🦓 title"}]));
    assert_eq!((&approval["comment"], &approval["decided_by"]["name"]), (&json!("typo"), &json!("decider")));
    let events = export["audit_log"].as_array().expect("a list");
    assert_eq!(events[0]["event"], "gdpr.export", "it is a fact itself, the newest");
    let ours = "select count(*) from audit_event where project_id <> '00000000-0000-0000-0000-000000000007'";
    let stored = app.count(ours).await;
    assert_eq!(i64::try_from(events.len()), Ok(stored));
    assert_eq!(export["people"][0]["email"], "ada@example.org");
    assert_eq!(export["people"][0]["chat_accounts"][0]["user"], "777001");
    assert_eq!(
        (&export["channels"][0]["name"], &export["channels"][0]["pending"]),
        (&json!("on call"), &json!(0))
    );
    assert_eq!(export["keys"].as_array().expect("a list").len(), 3);
    for secret in
        [&app.house().webhook_secret, &admin.key, &app.house().agent.key, "argon2", "not ours", "not_to_be"]
    {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_export_of_nothing_is_whole_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let export = admin.get("/v1/project/export").await.expect(200);
    assert_eq!((&export["actions"], &export["decisions"]), (&json!([]), &json!([])));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_operator_reads_and_changes_the_project(db: PgPool) {
    let app = TestApp::start(&db).await;
    let project = app.house().project.clone();
    let (code, shown, errors) = impri(&db, &["project", "show"]);
    assert_eq!(code, Some(0), "{errors}");
    for fact in [project.id.to_string().as_str(), "My project", "UTC", "allow_self_approval  off"] {
        assert!(shown.contains(fact), "{fact} in {shown}");
    }
    assert!(!shown.contains(&app.house().webhook_secret), "{shown}");
    let (_, shown, _) = impri(&db, &["project", "show", "--secret"]);
    assert!(shown.contains(&app.house().webhook_secret), "{shown}");

    let allowed = "select count(*) from project where allow_self_approval";
    for (spelling, value, count) in [
        ("allow_self_approval", "on", 1),
        ("allow-self-approval", "off", 0),
        ("allow-self-approval", "on", 1),
    ] {
        let (code, said, errors) = impri(&db, &["project", "set", spelling, value]);
        assert_eq!(code, Some(0), "{errors}");
        assert_eq!(said, format!("allow_self_approval is {value}.\n"));
        assert_eq!(app.count(allowed).await, count, "{spelling} {value}");
    }
    let noted = "select count(*) from audit_event where kind = 'project.updated' and actor_kind = 'operator'
                   and channel = 'cli'";
    assert_eq!(app.count(noted).await, 3);

    let (code, secret, errors) = impri(&db, &["project", "rotate-webhook-secret"]);
    assert_eq!(code, Some(0), "{errors}");
    let admin = app.program(&[Scope::Admin]).await;
    assert_eq!(admin.get("/v1/project").await.expect(200)["webhook_secret"], secret.trim_end());
    app.agent().proposed(&mail()).await;
}
