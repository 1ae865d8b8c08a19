//! Erasing: content is gone from every table, history stays whole, and nothing that was erased can be decided or run.

use impri::domain::{ids::ActionId, scope::Scope};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Api, TestApp, api::mail_with, eventually};

/// Stands in everything that an agent or a reviewer wrote.
const MARK: &str = "zebra7";

/// A proposal with the mark in each of its members.
fn marked(number: u32) -> Value {
    json!({
        "kind": format!("{MARK}.send"),
        "title": format!("{MARK} title {number}"),
        "preview": {"format": "markdown", "body": format!("{MARK} body")},
        "payload": {MARK: [{"deep": MARK}], "amount": 1},
        "target_url": format!("https://target.example/{MARK}"),
        "callback_url": format!("https://{MARK}.example/hook"),
        "idempotency_key": format!("{MARK}-{number}"),
        "editable": ["title", format!("payload.{MARK}")],
        "undo": format!("{MARK} undo"),
    })
}

/// Where the mark still stands.
async fn traces(db: &PgPool) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.tables where table_schema = 'public' order by 1",
    )
    .fetch_all(db)
    .await
    .expect("tables");
    assert!(tables.len() >= 12, "{tables:?}");
    let mut found = Vec::new();
    for table in tables {
        let sql = format!("select row::text from \"{table}\" row where row::text ilike '%{MARK}%'");
        let rows: Vec<String> = sqlx::query_scalar(&sql).fetch_all(db).await.expect("rows");
        found.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
    }
    found
}

async fn erase(admin: &Api) -> Value {
    admin.delete("/v1/project/data").await.expect(200)
}

/// One action in each state, with the mark wherever somebody could write it.
async fn in_every_state(app: &TestApp) -> Vec<(String, &'static str)> {
    let agent = app.agent();
    let mut ids = Vec::new();
    for number in 0..9 {
        ids.push(agent.proposed(&marked(number)).await);
    }
    let comment = format!("{MARK} comment");
    let edited = json!({"title": format!("{MARK} edited"), format!("payload.{MARK}"): [MARK]});
    let approve = json!({"decision": "approve", "comment": comment, "edited": edited});
    for id in &ids[1..5] {
        app.decider().decide(id, &approve).await.expect(200);
    }
    app.decider().decide(&ids[5], &json!({"decision": "reject", "comment": comment})).await.expect(200);
    agent.post(&format!("/v1/actions/{}/cancel", ids[6]), &json!({})).await.expect(200);
    for id in &ids[2..5] {
        agent.post(&format!("/v1/actions/{id}/claim"), &json!({})).await.expect(200);
    }
    let result = |status: &str| json!({"status": status, "detail": MARK, "payload": {"log": MARK}});
    agent.report(&ids[3], &result("executed")).await.expect(200);
    agent.report(&ids[4], &result("execute_failed")).await.expect(200);
    let late: ActionId = ids[7].parse().expect("an id");
    sqlx::query("update action set status = 'expired' where action_id = $1")
        .bind(late.uuid())
        .execute(&app.db)
        .await
        .expect("a row");
    let late: ActionId = ids[8].parse().expect("an id");
    sqlx::query("update action set expires_at = $2 where action_id = $1")
        .bind(late.uuid())
        .bind(app.clock.now())
        .execute(&app.db)
        .await
        .expect("a row");
    let after = [
        "cancelled",
        "cancelled",
        "approved",
        "executed",
        "execute_failed",
        "rejected",
        "cancelled",
        "expired",
        "expired",
    ];
    ids.into_iter().zip(after).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_written_is_gone_from_every_table_and_what_happened_stays(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let actions = in_every_state(&app).await;
    assert!(traces(&db).await.len() > 20, "the mark is everywhere");
    let kept =
        "select string_agg(concat_ws(' ', event_id, at, kind, action_id, actor_id, actor_name, channel), ';'
                  order by event_id) from audit_event where kind !~ 'cancelled|gdpr|expired'";
    let before: String = sqlx::query_scalar(kept).fetch_one(&db).await.expect("facts");
    let digests = "select string_agg(concat_ws(' ', action_id, content_sha256, proposed_sha256, approved_sha256, verdict,
                     decided_at, decider_name), ';' order by action_id) from action left join decision using (action_id)";
    let sums: String = sqlx::query_scalar(digests).fetch_one(&db).await.expect("digests");

    assert_eq!(erase(&admin).await, json!({"erased": true, "actions": 9, "watchers": 0}));
    assert_eq!(traces(&db).await, Vec::<String>::new());
    assert_eq!(sqlx::query_scalar::<_, String>(kept).fetch_one(&db).await.expect("facts"), before);
    assert_eq!(sqlx::query_scalar::<_, String>(digests).fetch_one(&db).await.expect("digests"), sums);
    assert_eq!(
        app.count("select count(*) from decision where receipt is not null").await,
        0,
        "they name the kind"
    );
    let unmarked = "select count(*) from audit_event where (data->>'erased') is distinct from 'true'
                      and kind <> 'gdpr.erase'";
    assert_eq!(app.count(unmarked).await, 0, "every fact says that its particulars are gone");
    let with_digests = "select count(*) from audit_event where kind = 'action.approved'
                          and length(data->>'approved_sha256') = 64 and length(data->>'proposed_sha256') = 64";
    assert_eq!(app.count(with_digests).await, 4);

    for (id, status) in &actions {
        let read = app.agent().read(id).await;
        assert_eq!(read["status"], *status, "{read}");
        assert_eq!((&read["title"], &read["preview"]["body"]), (&json!("(erased)"), &json!("")));
        assert_eq!(read["erased_at"], app.clock.now().unix_timestamp());
        assert!(read.get("payload").is_none() && read["editable"] == json!([]), "{read}");
    }
    assert_eq!(erase(&admin).await["actions"], 0, "what is erased has nothing to erase");
    assert_eq!(app.count("select count(*) from audit_event where kind = 'gdpr.erase'").await, 2);
    assert_eq!(sqlx::query_scalar::<_, String>(kept).fetch_one(&db).await.expect("facts"), before);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_and_exports_show_what_was_erased_as_erased(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let actions = in_every_state(&app).await;
    erase(&admin).await;
    let ada = app.ada().await;
    for (id, status) in &actions {
        let card = ada.open(&format!("/inbox/{id}")).await;
        assert_eq!(card.status, 200, "{status}: {}", card.html);
        assert!(card.html.contains("(erased)") && card.html.contains("was erased on"), "{status}");
        assert!(!card.has("#decide"), "{status}: nothing is left to decide");
        assert!(!card.has(".delivery"), "{status}: nothing is left to send");
        assert!(!card.html.contains("The agent withdrew"), "{status}: nobody knows that any more");
    }
    for path in ["/history", "/history?event=action.", "/history?event=gdpr.erase", "/inbox"] {
        let page = ada.open(path).await;
        assert!(page.status == 200 && !page.has("[role=alert]"), "{path}: {}", page.html);
    }
    assert!(ada.open("/history?event=gdpr.erase").await.text(".history-what").contains("9 actions"));
    for path in ["/v1/audit", "/v1/audit/export", "/v1/audit/export?format=csv", "/v1/project/export"] {
        let answer = admin.get(path).await;
        assert!(answer.status == 200 && !answer.text.contains(MARK), "{path}: {}", answer.text);
    }
    let export = admin.get("/v1/project/export").await.expect(200);
    assert_eq!(export["decisions"].as_array().map(Vec::len), Some(5), "who decided is still known");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_waits_is_cancelled_and_its_agent_hears_of_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let id = app.agent().proposed(&marked(1)).await;
    // Servers remember what waits and was read.
    let other = app.beside();
    assert_eq!(other.agent().read(&id).await["status"], "pending");
    let waiting = app.agent().wait_aside(&id, 60);
    app.parked(1).await;
    erase(&admin).await;
    let heard = waiting.await.expect("an answer").expect(200);
    assert_eq!((&heard["status"], &heard["title"]), (&json!("cancelled"), &json!("(erased)")));
    eventually("the other server forgets it", async || other.agent().read(&id).await["title"] == "(erased)")
        .await;
    let last = app.events(&id).await.pop().expect("a fact");
    assert_eq!((last.0.as_str(), last.1.as_str(), last.3.as_str()), ("action.cancelled", "key", "api"));
    assert_eq!(last.4, json!({"by_erasure": true, "erased": true}));
    let card = app.ada().await.open(&format!("/inbox/{id}")).await;
    assert!(card.html.contains("its content was erased"), "{}", card.html);
    app.decider().decide(&id, &json!({"decision": "approve"})).await.refusal(409);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_approval_without_its_content_cannot_be_run(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let agent = app.agent();
    let [open, claimed] = [agent.proposed(&marked(1)).await, agent.proposed(&marked(2)).await];
    app.decider().approve(&open).await;
    app.decider().approve(&claimed).await;
    agent.post(&format!("/v1/actions/{claimed}/claim"), &json!({})).await.expect(200);
    erase(&admin).await;
    let refused = agent.post(&format!("/v1/actions/{open}/claim"), &json!({})).await;
    refused.refusal(409);
    assert_eq!(refused.json["current_status"], "cancelled");
    // Whoever claimed before has the content and says what came of it.
    let report = json!({"status": "executed", "detail": MARK});
    agent.report(&claimed, &report).await.expect(200);
    assert!(!traces(&db).await.is_empty(), "a report is new");
    assert_eq!(erase(&admin).await["actions"], 1);
    assert_eq!(traces(&db).await, Vec::<String>::new());
    agent.report(&claimed, &report).await.expect(200);
    agent.report(&claimed, &json!({"status": "execute_failed"})).await.refusal(409);
    assert_eq!(traces(&db).await, Vec::<String>::new(), "a repeated report stores nothing");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_repeated_idempotency_key_is_a_new_proposal_after_an_erasure(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let first = app.agent().proposed(&marked(1)).await;
    app.decider().approve(&first).await;
    erase(&admin).await;
    let again = app.agent().propose(&marked(1)).await.expect(201);
    assert_ne!(again["id"], first);
    assert_eq!(again["status"], "pending", "a person decides it anew");
    assert_eq!(app.agent().propose(&marked(1)).await.expect(200)["id"], again["id"]);
    let (plain, twin) = (mail_with(json!({"title": "twin"})), mail_with(json!({"title": "twin"})));
    let one = app.agent().proposed(&plain).await;
    erase(&admin).await;
    assert_ne!(app.agent().proposed(&twin).await, one);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_projects_content_stays(db: PgPool) {
    let app = TestApp::start(&db).await;
    let admin = app.program(&[Scope::Admin]).await;
    let (foreign, decider) = app.foreign_project().await;
    let theirs = app.with_key(&foreign.key).proposed(&marked(1)).await;
    let waits = app.with_key(&foreign.key).proposed(&marked(2)).await;
    app.with_key(&decider.key)
        .decide(&theirs, &json!({"decision": "approve", "comment": MARK}))
        .await
        .expect(200);
    let before = traces(&db).await;
    erase(&admin).await;
    assert_eq!(traces(&db).await, before);
    assert_eq!(app.with_key(&foreign.key).read(&waits).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn deciding_and_erasing_at_once_leaves_no_content(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let admin = app.program(&[Scope::Admin]).await;
    let mut ids = Vec::new();
    for number in 0..40 {
        ids.push(app.agent().proposed(&marked(number)).await);
    }
    let decider = other.decider();
    let decide = ids.iter().map(|id| {
        let decider = &decider;
        let decision = json!({"decision": "approve", "comment": MARK, "edited": {"title": MARK}});
        async move { decider.decide(id, &decision).await.status }
    });
    let (statuses, _, _) = tokio::join!(futures::future::join_all(decide), erase(&admin), erase(&admin));
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
    assert_eq!(traces(&db).await, Vec::<String>::new());
    assert_eq!(app.count("select count(*) from action where status = 'cancelled'").await, 40);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_erasing_transaction_can_do_nothing_else_to_the_history(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&marked(1)).await;
    app.decider().decide(&id, &json!({"decision": "approve", "comment": MARK})).await.expect(200);
    let (_, foreign) = app.foreign_project().await;
    let own = app.project().uuid().to_string();
    let theirs = foreign.stored.project.uuid().to_string();
    let attempts = [
        (&own, "update audit_event set actor_name = 'Mallory'"),
        (&own, "update audit_event set data = '{}'"),
        (&own, "update audit_event set data = '{\"erased\":true}' where kind = 'action.created'"),
        (&own, "update audit_event set data = erased_data(data), at = now()"),
        (
            &own,
            "update audit_event set data = erased_data(data), action_id = null where action_id is not null",
        ),
        (&theirs, "update audit_event set data = erased_data(data) where kind = 'action.created'"),
        (&own, "delete from audit_event"),
        (&own, "truncate audit_event"),
        (&own, "update decision set verdict = 'reject', approved_sha256 = null"),
        (&own, "update decision set decider_name = 'Mallory', comment = null"),
        (&own, "update decision set comment = 'other'"),
        (&own, "update decision set edits = '[{}]', comment = null"),
        (&theirs, "update decision set comment = null"),
        (&own, "delete from decision"),
        (&String::new(), "update decision set comment = null"),
        (&String::new(), "update audit_event set data = erased_data(data)"),
    ];
    for (project, sql) in attempts {
        let mut tx = db.begin().await.expect("a transaction");
        sqlx::query("select set_config('impri.erasing', $1, true)")
            .bind(project)
            .execute(&mut *tx)
            .await
            .expect("set");
        let error = sqlx::query(sql).execute(&mut *tx).await.expect_err(sql);
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
    assert_eq!(app.agent().read(&id).await["decision"]["comment"], MARK);
}
