//! The history by the API: who may read it, what a fact looks like, filters and pages.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    Api, TestApp,
    api::{mail, mail_with},
};

/// The events of a page.
async fn events(auditor: &Api, query: &str) -> Vec<String> {
    let page = auditor.get(&format!("/v1/audit?{query}")).await.expect(200);
    let items = page["items"].as_array().expect("a list");
    items.iter().map(|item| item["event"].as_str().expect("a text").to_owned()).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_history_is_for_auditors_and_admins(db: PgPool) {
    let app = TestApp::start(&db).await;
    for path in ["/v1/audit", "/v1/audit/export"] {
        for scopes in [&[Scope::Actions, Scope::Decide][..], &[Scope::Watch]] {
            let answer = app.program(scopes).await.get(path).await;
            assert!(answer.refusal(403).contains("scope audit"), "{path}: {}", answer.text);
        }
        app.without_key().get(path).await.refusal(401);
        for scope in [Scope::Audit, Scope::Admin] {
            assert_eq!(app.program(&[scope]).await.get(path).await.status, 200, "{path} {}", scope.as_str());
        }
    }
    let sql = "select count(*) from audit_event where kind = 'audit.exported'";
    assert_eq!(app.count(sql).await, 2, "who takes it away is a fact; who was refused took nothing");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_fact_says_who_did_what_through_which_door_and_with_which_particulars(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    let id = app.agent().proposed(&mail_with(json!({"editable": ["title"]}))).await;
    let ada = app.ada().await;
    app.advance(60);
    ada.submit_decide_form(&id, "approve", &[("edits[0]", "Outreach: ACME"), ("comment", "typo")]).await;
    let page = auditor.get(&format!("/v1/audit?entity_id={id}")).await.expect(200);
    assert_eq!((&page["has_more"], page.get("next_cursor")), (&json!(false), None));
    let [approved, created] = page["items"].as_array().expect("a list").as_slice() else { panic!("{page}") };
    let members: Vec<&str> = approved.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected =
        ["id", "event", "action_id", "actor", "actor_name", "actor_type", "channel", "data", "created_at"];
    assert_eq!(members, expected);
    assert!(approved["id"].as_i64() > created["id"].as_i64(), "{page}");
    assert_eq!((&approved["event"], &approved["action_id"]), (&json!("action.approved"), &json!(id)));
    assert!(approved["actor"].as_str().expect("an id").starts_with("rev_"), "{approved}");
    assert_eq!((&approved["actor_name"], &approved["actor_type"]), (&json!("Ada"), &json!("reviewer")));
    assert_eq!((&approved["channel"], &approved["data"]["comment"]), (&json!("web"), &json!("typo")));
    let edit = json!({"path": "title", "before": "Outreach: Acme", "after": "Outreach: ACME"});
    assert_eq!(approved["data"]["edits"], json!([edit]));
    assert_eq!(approved["created_at"], app.clock.now().unix_timestamp());
    assert_eq!(created["actor"], app.house().agent.stored.id.to_string());
    assert_eq!((&created["actor_type"], &created["channel"]), (&json!("key"), &json!("api")));

    let operator = auditor.get("/v1/audit?actor=operator&type=key.created&limit=1").await.expect(200);
    let fact = &operator["items"][0];
    assert_eq!((fact.get("actor"), &fact["actor_name"]), (None, &json!("operator")), "{fact}");
    assert!(fact.get("action_id").is_none() && fact["data"]["key_id"].is_string(), "{fact}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn filters_find_what_they_name_and_only_that(db: PgPool) {
    let app = TestApp::start(&db).await;
    let start = app.clock.now().unix_timestamp();
    let auditor = app.program(&[Scope::Audit]).await;
    let first = app.agent().proposed(&mail()).await;
    app.decider().approve(&first).await;
    app.advance(10);
    let second = app.agent().proposed(&mail()).await;
    app.advance(10);
    app.decider().decide(&second, &json!({"decision": "reject"})).await.expect(200);
    app.ada().await;

    assert_eq!(events(&auditor, "type=action.rejected").await, ["action.rejected"]);
    let actions = ["action.rejected", "action.created", "action.approved", "action.created"];
    assert_eq!(events(&auditor, "type=action.").await, actions);
    assert_eq!(events(&auditor, "type=watcher.hit").await, Vec::<String>::new(), "another server's event");
    let agent = app.house().agent.stored.id;
    assert_eq!(events(&auditor, &format!("actor={agent}")).await, ["action.created", "action.created"]);
    assert_eq!(events(&auditor, "actor=clock").await, Vec::<String>::new());
    assert_eq!(events(&auditor, &format!("entity_id={agent}")).await, ["key.created"]);
    app.revoke(&app.house().decider).await;
    let decider = app.house().decider.stored.id;
    assert_eq!(events(&auditor, &format!("entity_id={decider}")).await, ["key.revoked", "key.created"]);
    let ada: uuid::Uuid =
        sqlx::query_scalar("select reviewer_id from reviewer").fetch_one(&db).await.expect("Ada");
    let ada = impri::domain::ids::ReviewerId::from_uuid(ada);
    assert_eq!(events(&auditor, &format!("entity_id={ada}")).await, ["person.signed_in", "person.created"]);
    assert_eq!(events(&auditor, &format!("actor={ada}")).await, ["person.signed_in"]);
    let both = format!("entity_id={second}&type=action.created");
    assert_eq!(events(&auditor, &both).await, ["action.created"]);

    let at = start + 10;
    assert_eq!(events(&auditor, &format!("since={at}&until={at}")).await, ["action.created"]);
    assert_eq!(
        events(&auditor, &format!("type=action.&since={at}")).await.len(),
        2,
        "its second is included"
    );
    assert_eq!(events(&auditor, &format!("type=action.&until={at}")).await.len(), 3);
    assert_eq!(events(&auditor, &format!("since={}", at + 1000)).await, Vec::<String>::new());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_the_action_says_and_what_was_decided_are_filters_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    let mail = app.agent().proposed(&mail_with(json!({"editable": ["title"]}))).await;
    let other = app.program(&[Scope::Actions]).await;
    let shell = json!({"kind": "shell.run", "title": "ls", "preview": {"format": "plain", "body": "ls"}});
    let shell = other.proposed(&shell).await;
    let edited = json!({"decision": "approve", "edited": {"title": "Another"}, "channel": "pager"});
    app.decider().decide(&mail, &edited).await.expect(200);
    app.decider().decide(&shell, &json!({"decision": "reject"})).await.expect(200);
    assert_eq!(events(&auditor, "kind=shell.run").await, ["action.rejected", "action.created"]);
    assert_eq!(events(&auditor, "agent=first-agent").await, ["action.approved", "action.created"]);
    assert_eq!(events(&auditor, "channel=pager").await, ["action.approved"]);
    assert_eq!(events(&auditor, "verdict=reject").await, ["action.rejected"]);
    assert_eq!(events(&auditor, "edited=true").await, ["action.approved"]);
    assert_eq!(events(&auditor, "edited=false&kind=email.send").await.len(), 2, "no filter");
    assert_eq!(events(&auditor, "verdict=approve&type=action.created").await, Vec::<String>::new());
    let export = auditor.get("/v1/audit/export?kind=shell.run&verdict=reject").await;
    assert_eq!((export.status, export.text.lines().count()), (200, 1), "{}", export.text);
    let noted = "select count(*) from audit_event where kind = 'audit.exported'
                 and data->'filter'->>'kind' = 'shell.run' and data->'filter'->>'verdict' = 'reject'";
    assert_eq!(app.count(noted).await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_cannot_be_read_is_named(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    for path in ["/v1/audit", "/v1/audit/export"] {
        let several = "type=weather&actor=Ada&entity_id=act_1&since=yesterday&until=-1";
        let answer = auditor.get(&format!("{path}?{several}")).await;
        for field in ["since", "until"] {
            answer.issue(field);
        }
        let answer = auditor.get(&format!("{path}?type=weather&actor=Ada&entity_id=act_1")).await;
        for field in ["type", "actor", "entity_id"] {
            answer.issue(field);
        }
        auditor.get(&format!("{path}?verdict=maybe")).await.issue("verdict");
        auditor.get(&format!("{path}?edited=1")).await.issue("edited");
        auditor.get(&format!("{path}?agent={}", "x".repeat(101))).await.issue("agent");
    }
    for limit in ["0", "201", "ten", "-1", "1.5"] {
        auditor.get(&format!("/v1/audit?limit={limit}")).await.issue("limit");
    }
    for cursor in ["1", "x", "MTAuMQ", "1.", ".1", "99999999999999999999.1", "1.99999999999999999999", "%00"]
    {
        auditor.get(&format!("/v1/audit?cursor={cursor}")).await.issue("cursor");
    }
    auditor.get("/v1/audit/export?format=xml").await.issue("format");
    let sql = "select count(*) from audit_event where kind = 'audit.exported'";
    assert_eq!(app.count(sql).await, 0, "what is refused is no export");
    assert_eq!(
        events(&auditor, "type=&actor=&entity_id=&cursor=").await.len(),
        events(&auditor, "").await.len()
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_miss_nothing_and_repeat_nothing_while_more_happens(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    for number in 0..25 {
        // All in one instant, so that the number decides.
        app.agent().proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for rows in [10, 10, 5] {
        let path = format!("/v1/audit?type=action.created&limit=10&cursor={cursor}");
        let page = auditor.get(&path).await.expect(200);
        let items = page["items"].as_array().expect("a list");
        assert_eq!(items.len(), rows, "{page}");
        assert_eq!(page["has_more"], rows == 10);
        seen.extend(items.iter().map(|item| item["id"].as_i64().expect("a number")));
        page["next_cursor"].as_str().unwrap_or_default().clone_into(&mut cursor);
        app.agent().proposed(&mail_with(json!({"title": format!("later, after {}", seen.len())}))).await;
    }
    assert!(seen.is_sorted_by(|a, b| a > b), "the newest first, each once: {seen:?}");
    assert_eq!(seen.len(), 25);
    assert_eq!(auditor.get("/v1/audit?limit=200").await.expect(200)["has_more"], false);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_projects_history_is_not_there(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    let (foreign, _) = app.foreign_project().await;
    let id = app.with_key(&foreign.key).proposed(&mail_with(json!({"kind": "foreign.kind"}))).await;
    for entity in [id, foreign.stored.id.to_string()] {
        assert_eq!(events(&auditor, &format!("entity_id={entity}")).await, Vec::<String>::new());
    }
    assert_eq!(events(&auditor, &format!("actor={}", foreign.stored.id)).await, Vec::<String>::new());
    let all: Value = auditor.get("/v1/audit?limit=200").await.expect(200);
    assert!(!all.to_string().contains("foreign"), "{all}");
    let export = auditor.get("/v1/audit/export").await;
    assert!(export.status == 200 && !export.text.contains("foreign"), "{}", export.text);
}
