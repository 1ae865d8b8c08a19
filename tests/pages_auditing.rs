//! What an auditor does with the history: finds in it by what the action says, reads how long each step took, and takes
//! away what was found.

use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    Browser, Page, TestApp,
    api::{mail, mail_with},
};

/// Three actions of two kinds by two agents: approved with an edit by Ada, rejected by a program, and one that waits.
async fn furnished(app: &TestApp, ada: &Browser) -> [String; 3] {
    let other = app.with_key(&app.key("deploy-bot", &[Scope::Actions], None).await.key);
    let edited = app.agent().proposed(&mail_with(json!({"title": "Letter", "editable": ["title"]}))).await;
    app.advance(240);
    ada.submit_decide_form(&edited, "approve", &[("edits[0]", "A letter")]).await;
    let shell = json!({"kind": "shell.run", "title": "Clean up", "preview": {"format": "plain", "body": "rm -r build"}});
    let rejected = other.proposed(&shell).await;
    app.advance(60);
    app.decider().decide(&rejected, &json!({"decision": "reject", "channel": "pager"})).await.expect(200);
    let waiting = app.agent().proposed(&mail_with(json!({"title": "Later"}))).await;
    [edited, rejected, waiting]
}

async fn kinds(ada: &Browser, query: &str) -> Vec<String> {
    let page = ada.open(&format!("/history?{query}")).await;
    assert_eq!((page.status, page.has("[role=alert]")), (200, false), "{query}");
    page.attributes(".history-table tbody tr", "data-event")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn facts_are_found_by_what_their_action_says_and_by_the_door(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let [edited, ..] = furnished(&app, &ada).await;
    assert_eq!(kinds(&ada, "agent=deploy-bot").await, ["action.rejected", "action.created"]);
    assert_eq!(kinds(&ada, "kind=shell.run").await, ["action.rejected", "action.created"]);
    assert_eq!(kinds(&ada, "kind=shell.run&event=action.created").await, ["action.created"]);
    assert_eq!(kinds(&ada, "channel=pager").await, ["action.rejected"]);
    assert_eq!(kinds(&ada, "channel=web&event=action.").await, ["action.approved"]);
    assert_eq!(kinds(&ada, "verdict=reject").await, ["action.rejected"]);
    assert_eq!(kinds(&ada, "verdict=approve&event=decisions").await, ["action.approved"]);
    assert_eq!(kinds(&ada, "verdict=approve&event=key.").await, Vec::<String>::new());
    assert_eq!(kinds(&ada, "edited=yes").await, ["action.approved"]);
    assert_eq!(kinds(&ada, "edited=yes&agent=deploy-bot").await, Vec::<String>::new());
    let page = ada.open("/history?edited=false").await;
    assert!(page.text("[role=alert]").contains("edited=yes"), "not everything, and not its opposite");
    assert_eq!(kinds(&ada, "agent=first-agent&kind=email.send&edited=yes").await, ["action.approved"]);
    assert_eq!(kinds(&ada, "person=operator&channel=cli&event=key.created").await.len(), 3);
    assert_eq!(kinds(&ada, "agent=nobody").await, Vec::<String>::new());

    let page = ada.open("/history?agent=deploy-bot&verdict=reject&channel=pager&edited=").await;
    assert!(page.has("details.history-more[open]"), "what is set can be seen");
    assert_eq!(page.texts(".chip strong"), ["deploy-bot", "API (pager)", "Rejected"]);
    assert_eq!(page.attributes("#agents option", "value"), ["deploy-bot", "first-agent"]);
    assert_eq!(page.attributes("#kinds option", "value"), ["email.send", "shell.run"]);
    for query in ["verdict=maybe", "kind=%00", "agent=%00"] {
        let page = ada.open(&format!("/history?{query}")).await;
        assert!(page.has("[role=alert]") && page.has(".nothing") && !page.has(".history-export"), "{query}");
    }

    app.on_server(|services| async move {
        let project = services.first_project().await.expect("a database").expect("a project").id;
        let by = impri::domain::audit::Actor::Operator;
        services.erase_data(project, by, impri::domain::decision::Channel::cli()).await.expect("a database")
    })
    .await;
    assert_eq!(kinds(&ada, "kind=shell.run").await, Vec::<String>::new(), "a kind is content");
    assert_eq!(kinds(&ada, "edited=yes").await, ["action.approved"], "that something was edited is none");
    assert_eq!(kinds(&ada, &format!("action={edited}&agent=first-agent")).await.len(), 3, "withdrawn since");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn each_step_says_how_long_it_took(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail()).await;
    app.advance(4 * 60);
    ada.submit_decide_form(&id, "approve", &[]).await;
    app.advance(3);
    app.agent().post(&format!("/v1/actions/{id}/claim"), &json!({})).await.expect(200);
    app.advance(12);
    app.agent().report(&id, &json!({"status": "executed"})).await.expect(200);
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.texts(".timeline-step"), ["· waited 4 min", "· claimed after 3 s", "· ran 12 s"]);
    let history = ada.open(&format!("/history?action={id}")).await;
    assert_eq!(history.texts(".history-step"), ["Ran 12 s.", "Claimed after 3 s.", "Waited 4 min."]);
    assert!(!ada.open("/history").await.has(".history-step"), "among other actions there is no step before");

    let late = app.agent().proposed(&mail_with(json!({"expires_in": 300}))).await;
    app.advance(301);
    app.on_server(|services| async move { services.expire_due().await.expect("a database") }).await;
    let sentences = ada.open(&format!("/history?action={late}")).await.texts(".history-sentence");
    assert_eq!(sentences[0], "Time ran out for Outreach: Acme: nobody decided within 5 min.");
}

async fn export(browser: &Browser, fields: &[(&str, &str)]) -> Page {
    browser.submit("/history/export", fields).await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_filtered_is_what_is_taken_away_and_that_is_a_fact(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    furnished(&app, &ada).await;
    app.person_as("Vera", "vera@example.org", impri::domain::role::Role::Viewer).await;
    let vera = app.signed_in("vera@example.org").await;

    let page = vera.open("/history?agent=deploy-bot&verdict=reject").await;
    let names = page.attributes(".history-export input", "name");
    let values = page.attributes(".history-export input", "value");
    assert_eq!(
        (names, values),
        (vec!["agent".to_owned(), "verdict".into()], vec!["deploy-bot".into(), "reject".into()])
    );

    let fields = [("agent", "deploy-bot"), ("verdict", "reject")];
    let lines = export(&vera, &[&fields[..], &[("format", "ndjson")]].concat()).await;
    assert_eq!((lines.status, lines.header("content-type")), (200, "application/x-ndjson"));
    let day = app.clock.now().date();
    assert_eq!(lines.header("content-disposition"), format!("attachment; filename=\"history-{day}.ndjson\""));
    let facts: Vec<Value> =
        lines.html.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(facts.len(), 1);
    assert_eq!((&facts[0]["event"], &facts[0]["channel"]), (&json!("action.rejected"), &json!("pager")));

    let table = export(&vera, &[("event", "decisions"), ("format", "csv")]).await;
    let rows: Vec<&str> = table.html.split("\r\n").collect();
    assert!(rows[0].starts_with("id,event,action_id,"), "{}", table.html);
    assert_eq!(rows.len(), 4, "a head, two decisions and the end: {}", table.html);

    let sql = "select data->>'format' || ' ' || (data->>'filter') from audit_event
               where kind = 'audit.exported' and actor_name = 'Vera' and channel = 'web' order by event_id";
    let noted: Vec<String> = sqlx::query_scalar(sql).fetch_all(&db).await.expect("rows");
    assert_eq!(
        noted,
        [r#"ndjson {"agent":"deploy-bot","verdict":"reject"}"#, r#"csv {"event":"decisions"}"#]
    );

    // Whoever is nobody, another site, and a filter that can't be read take nothing, and that is no fact.
    let nobody = export(&app.browser(), &[("format", "csv"), ("agent", "a b")]).await;
    assert_eq!((nobody.status, nobody.location()), (303, "/sign-in?next=%2Fhistory%3Fagent%3Da%2Bb"));
    let elsewhere =
        vera.post("/history/export", &[("format", "csv")], &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(elsewhere.status, 403);
    assert_eq!(vera.open("/history/export?format=csv").await.status, 405, "a link exports nothing");
    let wrong = export(&vera, &[("format", "csv"), ("since", "yesterday")]).await;
    assert_eq!((wrong.status, wrong.location()), (303, "/history?since=yesterday"));
    assert_eq!(export(&vera, &[("format", "pdf")]).await.location(), "/history");
    assert_eq!(app.count("select count(*) from audit_event where kind = 'audit.exported'").await, 2);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_table_holds_no_formula_whoever_wrote_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    ada.submit("/rpc/rename_account", &[("name", "=1+1")]).await;
    export(&ada, &[("format", "csv")]).await;
    let table = export(&ada, &[("format", "csv"), ("event", "audit.exported")]).await;
    assert!(table.html.contains(",'=1+1,") && !table.html.contains(",=1+1,"), "{}", table.html);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_report_says_what_it_is_and_what_it_holds(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    furnished(&app, &ada).await;
    app.on_server(|services| async move { services.seal_all().await.expect("a database") }).await;
    let answer = export(&ada, &[("format", "report"), ("verdict", "approve"), ("edited", "yes")]).await;
    assert_eq!((answer.status, answer.location()), (303, "/history/report?verdict=approve&edited=yes"));
    let report = ada.follow(&answer).await;
    assert_eq!(report.status, 200);
    let head = report.texts(".report-head dd");
    assert_eq!(head[1], "Verdict: Approved · Edited: only");
    assert_eq!(head[2], "1 event, all that fit");
    assert!(head[3].starts_with("Ada, "), "{}", head[3]);
    assert!(head[4].starts_with("Sealed up to event "), "{}", head[4]);
    assert_eq!(report.texts(".history-sentence"), ["Ada approved Letter with 1 edit, in the inbox."]);
    assert!(report.texts(".history-seal")[0].starts_with('✓'), "{}", report.html);
    assert!(report.text(".history-what").contains("A letter"), "the edit: {}", report.html);
    assert_eq!(report.attributes("a.back", "href"), ["/history?verdict=approve&edited=yes"]);
    assert_eq!(app.browser().open("/history/report").await.status, 302);
}

/// More facts than a page and a report hold, with one that happens never and one before all time.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn instants_that_no_calendar_has_are_shown_and_paged_over(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    sqlx::query(
        "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data)
         select $1, case n % 3 when 0 then 'infinity' when 1 then '20260-01-01 00:00:00+00' else '-infinity' end::timestamptz,
           'person.signed_out', 'operator', 'operator', 'cli', json_build_object('n', n)
         from generate_series(1, 180) n",
    )
    .bind(app.project().uuid())
    .execute(&db)
    .await
    .expect("rows");
    let (mut address, mut rows) = ("/history?event=person.signed_out".to_owned(), 0);
    for _ in 0..4 {
        let page = ada.open(&address).await;
        assert_eq!(page.status, 200);
        rows += page.attributes(".history-table tbody tr", "data-event").len();
        match page.attributes(".pager a[rel=next]", "href").pop() {
            Some(older) => address = older,
            None => break,
        }
    }
    assert_eq!(rows, 180);
    let table = export(&ada, &[("format", "ndjson"), ("event", "person.signed_out")]).await;
    let mut seen: Vec<i64> = table
        .html
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["data"]["n"].as_i64().expect("a number")
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=180).collect::<Vec<_>>());
    let report = ada.open("/history/report?event=person.signed_out").await;
    assert_eq!(report.texts(".report-head dd")[2], "180 events, all that fit");
}

/// Two conditions that are common and never meet: the page says how far it looked, and looking on comes to the end.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_search_for_what_nothing_is_ends_soon_and_goes_on(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let mut conn = db.acquire().await.expect("a connection");
    sqlx::query("set session_replication_role = replica").execute(&mut *conn).await.expect("a superuser");
    sqlx::query(
        "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data, agent)
         select $1, $2::timestamptz - make_interval(secs => n), 'person.signed_out', 'clock', 'clock',
           case when n % 2 = 0 and n < 24900 then 'even' else 'odd' end, '{}',
           case when n % 2 = 1 or n > 24950 then 'first-agent' else 'other-agent' end
         from generate_series(1, 25000) n",
    )
    .bind(app.project().uuid())
    .bind(app.clock.now())
    .execute(&mut *conn)
    .await
    .expect("rows");
    conn.close().await.expect("it was open");
    let page = ada.open("/history?channel=even&agent=first-agent").await;
    assert!(
        page.has(".nothing") && page.text(".history-cut").starts_with("Looked back to "),
        "{}",
        page.html
    );
    let further = page.attributes(".pager a[rel=next]", "href").remove(0);
    assert!(page.text(".pager a[rel=next]").contains("Look further back"));
    let page = ada.open(&further).await;
    assert!(page.has(".nothing") && !page.has(".history-cut, .pager a[rel=next]"), "the end: {}", page.html);
    let first = ada.open("/history?channel=odd&agent=other-agent").await;
    assert!(first.has(".nothing") && first.has(".history-cut"), "{}", first.html);
    let export = export(&ada, &[("format", "ndjson"), ("channel", "odd"), ("agent", "other-agent")]).await;
    assert_eq!(export.html.lines().count(), 26, "an export looks to the end");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_of_checkpoints_that_fails_is_shown(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    app.on_server(|services| async move { services.seal_all().await.expect("a database") }).await;
    sqlx::query(
        "insert into checkpoint_receiver (address_sha256, host, leased_until, failing_since, last_error)
         values (sha256('a'), 'anchor.example', $1, $1, 'HTTP 500'), (sha256('b'), 'gone.example', $1 - interval '1 day', null, null)",
    )
    .bind(app.clock.now())
    .execute(&db)
    .await
    .expect("rows");
    let seal = ada.open("/history").await.text(".seal-state");
    assert!(
        seal.contains("anchor.example takes no checkpoints since ") && seal.contains(": HTTP 500."),
        "{seal}"
    );
    assert!(!seal.contains("gone.example"), "nobody sends there any more: {seal}");
}
