//! The pages read as little as they show: no statement of theirs looks through a whole table, however many actions are
//! stored. Postgres counts such scans itself.

use sqlx::PgPool;

use crate::support::{Browser, House, TestApp, eventually};

/// So many that going through all of them is never the cheap way to a few.
const STORED: i32 = 24_000;

/// Actions of the last months in every status, of several kinds and agents, with a common word and a rare one.
async fn store(app: &TestApp) {
    let key = app.house().agent.stored.id.uuid();
    let statements = [
        "set session_replication_role = replica",
        "create temporary table seeded as
           select gen_random_uuid() as action_id, k.project_id, k.api_key_id as proposed_by,
             'agent ' || i % 5 as proposed_by_name, 'kind.' || i % 7 as kind, 'Letter ' || i as title,
             'plain' as preview_format,
             'Dear customer ' || i || repeat(' as we said before', i % 9) || case when i % 3000 = 0 then ' zebra' else '' end
               as preview_body,
             sha256(i::text::bytea) as content_sha256, $2 - i * interval '1 minute' as created_at,
             (array['executed', 'executed', 'executed', 'execute_failed', 'approved', 'rejected', 'expired', 'cancelled',
               'pending'])[1 + i % 9] as status
           from generate_series(1, $3) i, api_key k where k.api_key_id = $1",
        "insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format,
             preview_body, editable, content_sha256, created_at, expires_at, status, updated_at, ended_at, result_at, result_by)
           select action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format, preview_body, '{}',
             content_sha256, created_at, created_at + interval '30 days', status, created_at,
             case when status <> 'pending' then created_at end,
             case when status like 'execute%' then created_at end,
             case when status like 'execute%' then proposed_by end
           from seeded",
        "insert into decision (action_id, verdict, decided_at, decider_kind, decider_id, decider_name, channel, edits,
             proposed_sha256, approved_sha256)
           select action_id, case status when 'rejected' then 'reject' else 'approve' end, s.created_at, 'reviewer',
             reviewer_id, name, 'web', '[]', content_sha256, case status when 'rejected' then null else content_sha256 end
           from seeded s, reviewer where status in ('executed', 'execute_failed', 'approved', 'rejected')",
        "insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data,
             action_kind, agent)
           select project_id, created_at, 'action.created', action_id, 'key', proposed_by, proposed_by_name, 'api', '{}',
             kind, proposed_by_name from seeded
           union all
           select project_id, s.created_at + interval '10 seconds',
             case status when 'rejected' then 'action.rejected' else 'action.approved' end, action_id, 'reviewer',
             reviewer_id, name, 'web', json_build_object('proposed_sha256', 'a',
               'approved_sha256', case when random() < 0.01 then 'b' else 'a' end), kind, proposed_by_name
           from seeded s, reviewer where status in ('executed', 'execute_failed', 'approved', 'rejected')",
        "analyze",
    ];
    let mut conn = app.db.acquire().await.expect("a connection");
    for statement in statements {
        let mut query = sqlx::query(statement);
        if statement.contains("$1") {
            query = query.bind(key).bind(app.clock.now()).bind(STORED);
        }
        query.execute(&mut *conn).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    conn.close().await.expect("it was open");
}

/// How often a whole table was looked through since its database was made. A connection tells what it did when it ends.
async fn scans(db: &PgPool) -> i64 {
    let others = "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'impri'";
    eventually("the server's connections have ended", async || {
        sqlx::query_scalar::<_, i64>(others).fetch_one(db).await.expect("a count") == 0
    })
    .await;
    let scans = "select sum(seq_scan)::bigint from pg_stat_user_tables
                 where relname in ('action', 'decision', 'audit_event')";
    sqlx::query_scalar(scans).fetch_one(db).await.expect("statistics")
}

/// How often whole tables were looked through for these pages.
async fn scans_for(db: &PgPool, house: &House, ada: &Browser, pages: &[String]) -> i64 {
    let before = scans(db).await;
    let app = TestApp::again(db, house.clone());
    let ada = ada.at(&app.url);
    for page in pages {
        let answer = ada.open(page).await;
        assert_eq!(answer.status, 200, "{page}");
    }
    drop(app);
    scans(db).await - before
}

/// Every filter of the history, alone and with others, what never happened among them.
async fn of_the_history(ada: &Browser, card: &str) -> Vec<String> {
    let page = ada.open("/history").await;
    let person = page.attributes("select#person option", "value").remove(1);
    let older = page.attributes(".pager a[rel=next]", "href").remove(0);
    let queries = [
        format!("action={card}"),
        format!("action={card}&event=decisions"),
        format!("person={person}"),
        format!("person={person}&agent=agent+2&kind=kind.3"),
        format!("person={person}&verdict=reject"),
        "person=clock".into(),
        "person=operator&kind=kind.1".into(),
        "event=decisions".into(),
        "event=action.".into(),
        "event=key.created".into(),
        "event=action.expired&agent=agent+2".into(),
        "agent=agent+3".into(),
        "agent=nobody".into(),
        "kind=kind.5".into(),
        "kind=no.such.kind&edited=yes".into(),
        "channel=web".into(),
        "channel=mcp".into(),
        "channel=api&agent=agent+1&kind=kind.2&event=action.".into(),
        "channel=web&event=action.created".into(),
        "verdict=approve&kind=kind.4".into(),
        "edited=yes".into(),
        "edited=yes&agent=agent+4&since=2020-01-01".into(),
        "since=2020-01-01&until=2020-01-02".into(),
        "until=2020-01-02&agent=agent+1".into(),
    ];
    let pages = queries.into_iter().map(|query| format!("/history?{query}"));
    pages
        .chain(["/history".to_owned(), older, "/history/report?agent=agent+2&verdict=reject".into()])
        .collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_page_looks_through_a_whole_table(db: PgPool) {
    let app = TestApp::start(&db).await;
    store(&app).await;
    let (house, ada) = (app.house().clone(), app.ada().await);
    let inbox = ada.open("/inbox").await;
    assert_eq!(inbox.texts(".row-title").len(), 50);
    let card = inbox.attributes("li[data-key]", "data-key").remove(0);
    let older = inbox.attributes("#older a", "href").remove(0);
    let seen = inbox.attributes(".inbox-list", "data-seen").remove(0);
    let older_of = async |page: &str| ada.open(page).await.attributes("#older a", "href").remove(0);
    let (older_due, older_ended) =
        (older_of("/inbox?order=due").await, older_of("/inbox?status=executed").await);
    let ended = ada.open("/inbox?status=rejected").await.attributes("li[data-key]", "data-key").remove(0);
    let auditing = of_the_history(&ada, &card).await;
    drop(app);
    let pages = [
        "/inbox".to_owned(),
        older,
        format!("/inbox?seen={seen}"),
        "/inbox?order=due".into(),
        older_due,
        format!("/inbox?order=due&seen={seen}"),
        "/inbox?order=due&kind=kind.3".into(),
        "/inbox?order=due&kind=no.such.kind".into(),
        "/inbox?order=due&agent=nobody".into(),
        "/inbox?order=due&since=2020-01-01&until=2020-01-02".into(),
        "/inbox?order=due&q=customer".into(),
        "/inbox?order=due&q=zebra".into(),
        "/inbox?status=executed".into(),
        older_ended,
        format!("/inbox?status=executed&seen={seen}"),
        "/inbox?status=executed&q=customer".into(),
        "/inbox?status=expired&q=zebra".into(),
        "/inbox?status=executed&kind=no.such.kind".into(),
        "/inbox?status=executed&since=2020-01-01&until=2020-01-02".into(),
        "/inbox?status=expired".into(),
        "/inbox?status=rejected&kind=kind.3".into(),
        "/inbox?status=cancelled&agent=agent+2".into(),
        "/inbox?status=approved&kind=kind.1&agent=agent+4".into(),
        "/inbox?kind=no.such.kind".into(),
        "/inbox?agent=nobody".into(),
        "/inbox?since=2020-01-01&until=2020-01-02".into(),
        "/inbox?q=customer".into(),
        "/inbox?q=zebra".into(),
        "/inbox?status=executed&q=zeb".into(),
        "/inbox?status=rejected&q=letter+zebra&kind=kind.2".into(),
        "/inbox?q=nowhere".into(),
        "/inbox?q=1".into(),
        format!("/inbox?at={card}"),
        format!("/inbox/{card}"),
        format!("/inbox?at={ended}"),
        format!("/inbox?order=due&at={ended}"),
        format!("/inbox/{ended}?done=1&q=zebra&order=due"),
        format!("/inbox/decide?verdict=approve&pick={card}"),
        format!("/inbox/decided?done={card}"),
    ];
    let pages = [&pages[..], &auditing].concat();
    if scans_for(&db, &house, &ada, &pages).await > 0 {
        let mut guilty = Vec::new();
        for page in pages {
            let count = scans_for(&db, &house, &ada, std::slice::from_ref(&page)).await;
            guilty.extend((count > 0).then_some((page, count)));
        }
        panic!("these look through whole tables: {guilty:#?}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_page_reads_no_more_because_more_waits(db: PgPool) {
    const MORE: i64 = 12_000;
    let app = TestApp::start(&db).await;
    store(&app).await;
    let (house, ada) = (app.house().clone(), app.ada().await);
    drop(app);
    let pages = [
        "/inbox",
        "/inbox?status=expired",
        "/inbox?kind=kind.3",
        "/inbox?order=due",
        "/inbox?status=executed",
        "/inbox?order=due&q=customer",
    ];
    let mut before = Vec::new();
    for page in pages {
        before.push(rows_read_by(&db, &house, &ada, page).await);
    }
    let more = "insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format,
          preview_body, editable, content_sha256, created_at, expires_at, status, updated_at)
        select gen_random_uuid(), project_id, proposed_by, proposed_by_name, kind, title, preview_format, preview_body,
          editable, sha256(i::text::bytea), created_at, expires_at, 'pending', updated_at
        from (select * from action where status = 'pending' limit 1000) a, generate_series(1, $1 / 1000) i";
    sqlx::query(more).bind(MORE).execute(&db).await.expect("more rows");
    sqlx::query("analyze action").execute(&db).await.expect("statistics");
    for (page, before) in pages.into_iter().zip(before) {
        let after = rows_read_by(&db, &house, &ada, page).await;
        assert!(after - before < MORE / 4, "{page} read {before} rows and then {after}");
    }
}

/// How many actions are read by way of indexes for a page.
async fn rows_read_by(db: &PgPool, house: &House, ada: &Browser, page: &str) -> i64 {
    let read = "select idx_tup_fetch::bigint from pg_stat_user_tables where relname = 'action'";
    let read = || async { sqlx::query_scalar::<_, i64>(read).fetch_one(db).await.expect("statistics") };
    scans(db).await;
    let before = read().await;
    let app = TestApp::again(db, house.clone());
    assert_eq!(ada.at(&app.url).open(page).await.status, 200, "{page}");
    drop(app);
    scans(db).await;
    read().await - before
}
