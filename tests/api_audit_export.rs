//! The history as a file: whole while more happens, as fast as it is read, harmless to spreadsheets.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
    eventually,
};

/// Facts that no command makes by the thousand: three in each second, the data as long as given.
async fn many(app: &TestApp, count: i32, length: i32) {
    sqlx::query(
        "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data)
         select $1, $2::timestamptz - make_interval(secs => n / 3), 'person.signed_out', 'clock', 'clock', 'clock',
           json_build_object('n', n, 'text', repeat('x', $4))
         from generate_series(1, $3) n",
    )
    .bind(app.project().uuid())
    .bind(app.clock.now())
    .bind(count)
    .bind(length)
    .execute(&app.db)
    .await
    .expect("rows");
}

/// Begins to read an export.
async fn begin(app: &TestApp, key: &str, query: &str) -> reqwest::Response {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request = http.get(format!("{}/v1/audit/export?{query}", app.url)).bearer_auth(key);
    request.send().await.expect("an answer")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_long_export_is_whole_while_more_happens_and_holds_no_connection(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.key("auditor", &[Scope::Audit], None).await;
    many(&app, 5_000, 4_000).await;
    let last: i64 =
        sqlx::query_scalar("select max(event_id) from audit_event").fetch_one(&db).await.expect("one");
    let mut answer = begin(&app, &auditor.key, "").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
    let name = format!("audit-export-{}-{}.json", app.project(), app.clock.now().date());
    let disposition = answer.headers()["content-disposition"].to_str().expect("text").to_owned();
    assert_eq!(disposition, format!("attachment; filename=\"{name}\""));
    assert!(answer.headers().get("content-length").is_none(), "it is written while it is read");

    let mut text = answer.chunk().await.expect("bytes").expect("the beginning").to_vec();
    // Twenty megabytes don't fit into what lies between us and the server; while nobody reads, it waits.
    let held = "select count(*) from pg_stat_activity where datname = current_database()
                  and application_name = 'impri' and (state <> 'idle' or xact_start is not null)";
    let mut quiet = 0;
    eventually("a reader who pauses holds no connection and no transaction", async || {
        quiet = if app.count(held).await == 0 { quiet + 1 } else { 0 };
        quiet == 50
    })
    .await;
    for number in 0..50 {
        app.advance(1);
        app.agent().proposed(&mail_with(json!({"title": format!("meanwhile {number}")}))).await;
    }
    while let Some(chunk) = answer.chunk().await.expect("bytes") {
        text.extend_from_slice(&chunk);
    }
    let facts: Vec<Value> = String::from_utf8(text)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object in each line"))
        .collect();
    let mut ids: Vec<i64> = facts.iter().map(|fact| fact["id"].as_i64().expect("a number")).collect();
    assert!(facts.is_sorted_by(|a, b| a["created_at"].as_i64() >= b["created_at"].as_i64()), "newest first");
    ids.sort_unstable();
    let before: Vec<i64> =
        sqlx::query_scalar("select event_id from audit_event where event_id <= $1 order by 1")
            .bind(last)
            .fetch_all(&db)
            .await
            .expect("ids");
    let told: Vec<i64> = ids.iter().copied().filter(|id| *id <= last).collect();
    assert_eq!(told, before, "everything that was there, each once");
    let later: Vec<&Value> = facts.iter().filter(|fact| fact["id"].as_i64() > Some(last)).collect();
    assert_eq!(later.len(), 1, "{later:?}");
    assert_eq!((&later[0]["event"], &later[0]["actor_name"]), (&json!("audit.exported"), &json!("auditor")));
    assert_eq!(later[0]["data"], json!({"format": "json", "filter": {}}));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn filters_narrow_an_export_and_are_noted_with_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.program(&[Scope::Audit]).await;
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    many(&app, 100, 10).await;
    let query = format!("entity_id={id}&type=action.&since=0");
    let lines = auditor.get(&format!("/v1/audit/export?{query}")).await;
    assert_eq!(lines.text.lines().count(), 2, "{}", lines.text);
    let sql = "select data from audit_event where kind = 'audit.exported'";
    let noted: Value = sqlx::query_scalar(sql).fetch_one(&db).await.expect("a fact");
    assert_eq!(noted["filter"], json!({"type": "action.", "entity_id": id, "since": 0}));
    let exactly = auditor.get("/v1/audit/export?type=person.signed_out").await;
    assert_eq!(exactly.text.lines().count(), 100, "whole batches and no more");
    let none = auditor.get("/v1/audit/export?type=watcher.&format=csv").await;
    assert_eq!(none.text, "id,event,action_id,actor,channel,data,created_at,actor_name,actor_type\r\n");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_table_is_rfc_4180_and_no_cell_is_a_formula(db: PgPool) {
    let app = TestApp::start(&db).await;
    let auditor = app.key("auditor", &[Scope::Audit], None).await;
    let id = app.agent().proposed(&mail()).await;
    let names = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "plain, \"quoted\"", "naïve"];
    for (number, name) in names.iter().enumerate() {
        app.advance(1);
        app.key(name, &[Scope::Actions], None).await;
        let key = app.key(name, &[Scope::Decide], None).await;
        let own = app.agent().proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
        let decision = json!({"decision": "reject", "channel": "-x", "comment": "two\r\nlines, \"quoted\""});
        app.with_key(&key.key).decide(&own, &decision).await.expect(200);
    }
    let answer = app.with_key(&auditor.key).get("/v1/audit/export?format=csv").await;
    assert!(answer.header("content-type").starts_with("text/csv"), "{}", answer.header("content-type"));
    assert!(answer.header("content-disposition").ends_with(".csv\""));
    let text = answer.text;
    assert!(text.starts_with("id,event,action_id,actor,channel,data,created_at,actor_name,actor_type\r\n"));
    let rows = parse(&text);
    assert!(rows.iter().all(|row| row.len() == 9), "{text}");
    let stored = app.count("select count(*) from audit_event").await;
    assert_eq!(i64::try_from(rows.len() - 1), Ok(stored));
    for row in &rows[1..] {
        for cell in row {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell:?}");
        }
        let data: Value = serde_json::from_str(&row[5]).expect("JSON in a cell");
        assert!(data.is_object(), "{data}");
    }
    let rejected: Vec<&Vec<String>> = rows.iter().filter(|row| row[1] == "action.rejected").collect();
    let deciders: Vec<&str> = rejected.iter().rev().map(|row| row[7].as_str()).collect();
    assert_eq!(deciders, ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "plain, \"quoted\"", "naïve"]);
    assert!(rejected.iter().all(|row| row[4] == "'-x"), "the channel is the caller's word");
    assert!(rejected[0][5].contains(r#"two\r\nlines, \"quoted\""#), "{}", rejected[0][5]);
    let made = rows.iter().find(|row| row[2] == id).expect("the proposal");
    assert_eq!(
        (made[1].as_str(), made[3].as_str()),
        ("action.created", app.house().agent.stored.id.to_string().as_str())
    );
}

/// Reads RFC 4180 by its grammar, without the crate that wrote it.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => cell.push(rest.next().expect("a quote")),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {
                assert_eq!(rest.next(), Some('\n'), "rows end with CR LF");
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\n' if !is_quoted => panic!("a bare line feed outside of quotes"),
            c => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty() && !is_quoted, "the last row ends");
    rows
}
