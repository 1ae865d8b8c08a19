//! Somebody who owns the database, with the triggers off, on a history of ten thousand events: whatever they change is
//! found, and the first event of it is named.

use impri::server::proof::{Check, Finding, Line, Outcome, Source};
use sqlx::{Connection as _, PgConnection, PgPool};

use super::{export, stored};
use crate::support::TestApp;

const EVENTS: i64 = 10_000;

/// Somebody who owns the database, with the triggers off.
pub(super) struct Owner<'a> {
    app: &'a TestApp,
    conn: PgConnection,
}

impl<'a> Owner<'a> {
    pub(super) async fn new(app: &'a TestApp, db: &PgPool) -> Self {
        let mut conn = PgConnection::connect_with(&db.connect_options()).await.expect("a connection");
        sqlx::raw_sql("set session_replication_role = replica")
            .execute(&mut conn)
            .await
            .expect("no triggers");
        Self { app, conn }
    }

    /// Runs statements in which `{n}` is a place in the chain and `{id}` the number of its event.
    pub(super) async fn run(&mut self, sql: &str, place: i64) {
        let id: i64 = sqlx::query_scalar("select event_id from audit_seal where seq = $1")
            .bind(place)
            .fetch_one(&mut self.conn)
            .await
            .expect("it is sealed");
        let sql = sql.replace("{n}", &place.to_string()).replace("{id}", &id.to_string());
        sqlx::raw_sql(&sql).execute(&mut self.conn).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The finding after that.
    pub(super) async fn found(&mut self, sql: &str, place: i64) -> String {
        self.run(sql, place).await;
        match self.app.verify_history().await {
            Ok(_) => panic!("{sql} is not found"),
            Err(finding) => finding.to_string(),
        }
    }
}

/// A history of [`EVENTS`], and more that a house begins with.
async fn long_history(app: &TestApp) {
    app.live_a_little().await;
    sqlx::query(
        "insert into audit_event (project_id, at, kind, action_id, actor_kind, actor_id, actor_name, channel, data)
         select $1, $2::timestamptz + n * interval '1 ms', 'action.claimed', (select action_id from action limit 1),
           'key', (select api_key_id from api_key where name = 'first-agent'), 'first-agent', 'api',
           json_build_object('note', 'number ' || n, 'attempts', n)
         from generate_series(1, $3) n",
    )
    .bind(app.project().uuid())
    .bind(app.clock.now())
    .bind(EVENTS)
    .execute(&app.db)
    .await
    .expect("events");
    app.seal().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_change_of_a_long_history_is_found_and_named(db: PgPool) {
    let app = TestApp::start(&db).await;
    long_history(&app).await;
    every_change_of_an_export(&app).await;
    every_change_of_the_tables(&app, &db).await;
}

async fn every_change_of_the_tables(app: &TestApp, db: &PgPool) {
    let intact = app.verify_history().await.expect("it is intact");
    let count = intact.trail.last();
    assert!(count >= EVENTS);
    let mut owner = Owner::new(app, db).await;

    // What leaves the chain itself whole comes first, and is put right again.
    let stray = "insert into audit_event (event_id, project_id, at, kind, actor_kind, actor_name, channel, data)
         overriding system value
         select -5, project_id, at, kind, actor_kind, actor_name, channel, data from audit_event where event_id = {id}";
    let found = owner.found(stray, 4_000).await;
    assert!(found.contains("inserted") && found.contains("id -5"), "{found}");
    owner.run("delete from audit_event where event_id = -5", 1).await;
    let cut = "create temporary table kept_event as select * from audit_event where event_id in
           (select event_id from audit_seal where seq > {n});
         create temporary table kept_seal as select * from audit_seal where seq > {n};
         delete from audit_event where event_id in (select event_id from kept_event);
         delete from audit_seal where seq > {n}";
    let found = owner.found(cut, count - 30).await;
    let begins = format!("events {} to ", count - 29);
    assert!(found.starts_with(&begins) && found.ends_with(" were removed"), "{found}");
    // With the checkpoints of it gone, too, only who kept an older proof can tell.
    owner.run("create temporary table kept_checkpoint as select * from audit_checkpoint", 1).await;
    owner.run("delete from audit_checkpoint", 1).await;
    app.seal().await;
    let shorter = app.verify_history().await.expect("it fits itself");
    let project = app.project();
    assert_eq!(
        shorter.trail.continues(&intact.trail, project),
        Err(Finding::Dropped { before: count, now: count - 30 })
    );
    let back = "delete from audit_checkpoint; insert into audit_checkpoint select * from kept_checkpoint;
         insert into audit_event select * from kept_event; insert into audit_seal select * from kept_seal";
    owner.run(back, 1).await;

    // Each at a place of its own, so that one reading shows them all.
    let mut changes = Vec::new();
    let change = |changes: &mut Vec<(String, i64, String)>, sql: String, verdict: &str| {
        let place = 1_000 + 100 * i64::try_from(changes.len()).expect("few");
        changes.push((sql, place, verdict.replace("{n}", &place.to_string())));
    };
    for column in [
        "at = at + interval '1 microsecond'",
        "kind = 'action.created'",
        "kind = 'weather.changed'",
        "action_id = null",
        "actor_kind = 'reviewer'",
        "actor_id = gen_random_uuid()",
        "actor_id = null",
        "actor_name = 'Mallory'",
        "channel = 'web'",
        "project_id = gen_random_uuid()",
        "data = '{\"note\": \"another\", \"attempts\": 1}'",
        "data = json_build_object('note', data->'note', 'attempts', 0)",
        "data = '[]'",
        "data = erased_data(data)",
    ] {
        change(
            &mut changes,
            format!("update audit_event set {column} where event_id = {{id}}"),
            "event {n} (…) was changed",
        );
    }
    for (column, verdict) in [
        ("digest = sha256('x')", "the seal of event {n} (…) was changed"),
        ("erasable_sha256 = sha256('x')", "event {n} (…) was changed"),
        ("salt = '\\x00112233445566778899aabbccddeeff'", "event {n} (…) was changed"),
        ("salt = null, erased_at = now()", "event {n} (…) was changed"),
        ("hash = sha256('x')", "the chain breaks at event {n} (…)"),
        ("sealed_at = sealed_at - interval '1 day'", "the chain breaks at event {n} (…)"),
        ("project_id = gen_random_uuid()", "event {n} was removed"),
        ("seq = seq + 100000", "event {n} was removed"),
    ] {
        change(&mut changes, format!("update audit_seal set {column} where seq = {{n}}"), verdict);
    }
    let moved = "update audit_event set event_id = -event_id where event_id = {id}";
    change(&mut changes, moved.to_owned(), "event {n} was removed");
    change(&mut changes, "delete from audit_event where event_id = {id}".to_owned(), "event {n} was removed");
    let both = "delete from audit_event where event_id = {id}; delete from audit_seal where seq = {n}";
    change(&mut changes, both.to_owned(), "event {n} was removed");
    let swap = "update audit_seal set seq = -seq where seq in ({n}, {n} + 7);
         update audit_seal set seq = case when seq = -{n} then {n} + 7 else {n} end where seq < 0";
    change(&mut changes, without_checks(swap), "(…) belongs in the place of event {n}");
    for (sql, place, _) in &changes {
        owner.run(sql, *place).await;
    }
    let lines = app.on_server(|services| async move { stored(&services).await.expect("lines") }).await;
    for (sql, place, verdict) in &changes {
        let said = around(app, &lines, *place).await.to_string();
        let fits = verdict.split("(…)").all(|part| said.contains(part));
        assert!(fits, "{sql}: {said}, not: {verdict}");
    }
    let first = app.verify_history().await.expect_err("it is found").to_string();
    assert!(first.starts_with("event 1000 ("), "the first of all is named: {first}");

    let closed = "delete from audit_event where event_id = {id}; delete from audit_seal where seq = {n};
         update audit_seal set seq = -seq where seq > {n}; update audit_seal set seq = -seq - 1 where seq < 0";
    let found = owner.found(&without_checks(closed), 500).await;
    assert!(found.contains("the chain breaks at event 500 ("), "{found}");
}

/// What is found where a change was made, as if nothing else had been changed.
async fn around(app: &TestApp, lines: &[Line], place: i64) -> Finding {
    let near = (place - 20)..(place + 20);
    let mut part = vec![lines[0].clone()];
    if let Line::Export(head) = &mut part[0] {
        (head.first, head.last) = (near.start, near.end - 1);
    }
    let is_near = |line: &&Line| matches!(line, Line::Event(line) if near.contains(&line.seq));
    part.extend(lines.iter().filter(is_near).cloned());
    read(app, part).await.expect_err("it is found")
}

/// The places of a chain are positive; whoever changes them on the way goes around that.
fn without_checks(sql: &str) -> String {
    format!("alter table audit_seal drop constraint if exists audit_seal_seq_check; {sql}")
}

/// Checks lines as a file.
async fn read(app: &TestApp, lines: Vec<Line>) -> Result<Outcome, Finding> {
    app.on_server(|services| async move {
        let keys = services.receipt_keys().await.expect("keys");
        let mut check = Check::new(Source::File, keys.set());
        for line in lines {
            check.line(line);
        }
        check.end()
    })
    .await
}

async fn every_change_of_an_export(app: &TestApp) {
    let lines = export(app).await;
    let intact = read(app, lines.clone()).await.expect("it is intact");
    let at = |seq: i64| {
        lines
            .iter()
            .position(|line| matches!(line, Line::Event(line) if line.seq == seq))
            .expect("it is there")
    };
    let found = async |change: &dyn Fn(&mut Vec<Line>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        read(app, lines).await.expect_err("it is found")
    };
    let (n, m) = (500, 7_000);
    let event =
        |lines: &mut Vec<Line>, seq, change: fn(&mut impri::server::proof::EventLine)| match &mut lines
            [at(seq)]
        {
            Line::Event(line) => change(line),
            _ => unreachable!("it is an event"),
        };
    let changed = |finding: Finding| {
        let said = finding.to_string();
        assert!(said.contains(&format!("event {n} (")) && said.ends_with("was changed"), "{said}");
    };
    for member in
        ["id", "project", "at", "event", "action_id", "actor_type", "actor", "actor_name", "channel", "kept"]
    {
        let finding = found(&|lines| {
            let Line::Event(line) = &mut lines[at(n)] else { unreachable!("it is an event") };
            let event = line.event.as_mut().and_then(|event| event.as_object_mut()).expect("an event");
            assert!(event.insert(member.to_owned(), serde_json::json!("x")).is_some(), "{member}");
        })
        .await;
        let said = finding.to_string();
        assert!(said.contains(&format!("event {n} (")) && said.ends_with("was changed"), "{member}: {said}");
    }
    changed(
        found(&|lines| event(lines, n, |line| line.erasable = Some(serde_json::json!({"note": "x"})))).await,
    );
    changed(found(&|lines| event(lines, n, |line| line.salt = None)).await);
    changed(found(&|lines| event(lines, n, |line| line.digest = line.hash)).await);
    changed(found(&|lines| event(lines, n, |line| line.previous = line.hash)).await);
    let removed = Finding::Removed { from: n, to: n };
    assert_eq!(
        found(&|lines| {
            lines.remove(at(n));
        })
        .await,
        removed
    );
    let twice = found(&|lines| lines.insert(at(n), lines[at(n)].clone())).await;
    assert!(matches!(&twice, Finding::Inserted(what) if what.starts_with("event 500 ")), "{twice}");
    let swapped = found(&|lines| lines.swap(at(n), at(m))).await;
    assert!(matches!(swapped, Finding::Reordered { belongs, .. } if belongs == n), "{swapped}");
    let exchanged = found(&|lines| {
        let (a, b) = (lines[at(n)].clone(), lines[at(m)].clone());
        let (Line::Event(a), Line::Event(b)) = (a, b) else { unreachable!("both are events") };
        if let Line::Event(line) = &mut lines[at(n)] {
            (line.event, line.erasable, line.salt) = (b.event, b.erasable, b.salt);
        }
        if let Line::Event(line) = &mut lines[at(m)] {
            (line.event, line.erasable, line.salt) = (a.event, a.erasable, a.salt);
        }
    })
    .await;
    assert!(matches!(exchanged, Finding::Reordered { belongs, .. } if belongs == m), "{exchanged}");
    let last = intact.trail.last();
    assert_eq!(
        found(&|lines| lines.truncate(at(9_000))).await,
        Finding::Removed { from: 9_000, to: last },
        "the file says itself how far it goes"
    );
    let hidden = found(&|lines| {
        lines.truncate(at(9_000));
        if let Line::Export(head) = &mut lines[0] {
            head.last = 8_999;
        }
    })
    .await;
    assert!(
        matches!(hidden, Finding::Uncovered { to: 8_999, .. }),
        "nobody signed that it ends there: {hidden}"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_chain_that_was_written_anew_is_not_the_one_that_was_signed(db: PgPool) {
    use impri::domain::seal;
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    let older = export(&app).await;
    let signed = read(&app, older.clone()).await.expect("it is intact").trail.last();
    app.advance(60);
    app.live_a_little().await;
    let mut lines = export(&app).await;
    let (victim, mut previous) = (signed + 1, seal::beginning());
    for line in &mut lines {
        let Line::Event(line) = line else { continue };
        let event = line.event.as_mut().expect("an event");
        if line.seq == victim {
            event["actor_name"] = serde_json::json!("Mallory");
        }
        line.digest = seal::digest(event);
        line.previous = previous;
        line.hash = seal::link(previous, line.seq, line.digest, &line.sealed_at);
        previous = line.hash;
    }
    let found = read(&app, lines).await.expect_err("it is found");
    assert!(matches!(found, Finding::Rewritten { from, .. } if from == victim), "{found}");
}
