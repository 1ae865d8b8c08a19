//! The sealed history: every event is in the chain once, whoever writes and seals at the same time; what was changed
//! afterwards is found and named; and what was erased stays provable.

mod command;
mod erasing;
mod forging;
mod racing;
mod tampering;
mod verifying;

use impri::domain::scope::Scope;
use impri::server::error::ServiceResult;
use impri::server::proof::{Check, Finding, Line, Outcome, Source};
use impri::server::service::{Round, Services};
use serde_json::json;
use sqlx::{PgPool, Row as _};

use crate::support::{TestApp, api::mail_with};

/// The history where it is, as lines.
async fn stored(services: &Services) -> ServiceResult<Vec<Line>> {
    let project = services.first_project().await?.expect("a project").id;
    let (head, mut range) = services.whole_history(project).await?;
    let mut lines = vec![head];
    loop {
        let page = services.audit_file_page(&mut range).await?;
        if page.is_empty() {
            return Ok(lines);
        }
        lines.extend(page);
    }
}

/// The history where it is, checked with the server's own keys.
async fn checked(services: Services) -> Result<Outcome, Finding> {
    let project = services.first_project().await.expect("a database").expect("a project").id;
    let keys = services.receipt_keys().await.expect("keys");
    let mut check = Check::new(Source::Live, keys.set());
    stored(&services).await.expect("a history").into_iter().for_each(|line| check.line(line));
    let outcome = check.end()?;
    let stray = services.stray_event(project).await.expect("a database");
    match stray {
        Some(fact) => Err(Finding::Unsealed(format!("id {}", fact.id))),
        None => Ok(outcome),
    }
}

impl TestApp {
    /// Everything that is committed is sealed and signed.
    async fn seal(&self) {
        self.on_server(|services| async move { services.seal_all().await.expect("it is sealed") }).await;
    }

    /// One round of the sealer.
    async fn seal_round(&self) -> Round {
        self.on_server(|services| async move { services.seal_some().await.expect("a round") }).await
    }

    /// What whoever verifies the history finds.
    async fn verify_history(&self) -> Result<Outcome, Finding> {
        self.on_server(checked).await
    }

    /// Proposals, a decision with an edit, and a result.
    async fn live_a_little(&self) -> String {
        let id = self.agent().proposed(&mail_with(json!({"editable": ["title"]}))).await;
        let edited = json!({"decision": "approve", "comment": "typo", "edited": {"title": "Outreach: ACME"}});
        self.decider().decide(&id, &edited).await.expect(200);
        self.agent().report(&id, &json!({"status": "executed", "detail": "sent"})).await.expect(200);
        id
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_event_is_sealed_in_order_and_signed(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.live_a_little().await;
    let events = app.count("select count(*) from audit_event").await;
    assert_eq!(app.seal_round().await, Round::Done(usize::try_from(events).expect("few")));
    assert_eq!(app.seal_round().await, Round::Done(0), "once is enough");
    let outcome = app.verify_history().await.expect("it is intact");
    assert_eq!(outcome.trail.last(), events);
    assert_eq!(outcome.signed.map(|(seq, _)| seq), Some(events), "the first round signs at once");
    let in_order = "select count(*) from (
        select seq, row_number() over (order by event_id) as place from audit_seal) s where seq = place";
    assert_eq!(app.count(in_order).await, events);

    app.live_a_little().await;
    app.seal_round().await;
    assert_eq!(app.count("select count(*) from audit_checkpoint").await, 1, "not every second");
    app.advance(60);
    app.seal_round().await;
    assert_eq!(app.count("select count(*) from audit_checkpoint").await, 2, "every minute");
    app.advance(600);
    app.seal_round().await;
    assert_eq!(app.count("select count(*) from audit_checkpoint").await, 2, "only when something happened");
    let outcome = app.verify_history().await.expect("it is intact");
    assert_eq!((outcome.checkpoints, outcome.trail.last()), (2, events + 3));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_project_has_a_chain_of_its_own(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, _) = app.foreign_project().await;
    app.with_key(&agent.key).proposed(&mail_with(json!({}))).await;
    app.seal().await;
    let rows = sqlx::query("select project_id, min(seq), max(seq), count(*) from audit_seal group by 1")
        .fetch_all(&db)
        .await
        .expect("rows");
    assert_eq!(rows.len(), 2);
    for row in rows {
        let (min, max, count): (i64, i64, i64) = (row.get(1), row.get(2), row.get(3));
        assert_eq!((min, max), (1, count));
    }
    assert_eq!(app.count("select count(*) from audit_checkpoint").await, 2);
    app.verify_history().await.expect("it is intact");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn seals_and_checkpoints_are_only_appended(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.seal().await;
    let project = app.project().uuid().to_string();
    for erasing in [String::new(), project] {
        for sql in [
            "update audit_seal set sealed_at = now()",
            "update audit_seal set salt = '\\x00112233445566778899aabbccddeeff'",
            "update audit_seal set salt = null, erased_at = now(), seq = seq + 1000",
            "delete from audit_seal",
            "truncate audit_seal",
            "update audit_checkpoint set jws = 'x'",
            "delete from audit_checkpoint",
            "truncate audit_checkpoint",
        ] {
            let mut tx = db.begin().await.expect("a transaction");
            sqlx::query("select set_config('impri.erasing', $1, true)")
                .bind(&erasing)
                .execute(&mut *tx)
                .await
                .expect("set");
            let error = sqlx::query(sql).execute(&mut *tx).await.expect_err(sql);
            assert!(error.to_string().contains("append-only"), "{sql}: {error}");
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_may_stay_is_what_the_database_keeps(db: PgPool) {
    let source: String = sqlx::query_scalar("select prosrc from pg_proc where proname = 'erased_data'")
        .fetch_one(&db)
        .await
        .expect("the function");
    let list = source.split("key in (").nth(1).and_then(|rest| rest.split(')').next()).expect("its list");
    let mut names: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
    names.sort_unstable();
    assert_eq!(names, impri::domain::seal::KEPT);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_history_page_says_how_far_it_is_sealed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    assert!(ada.open("/history").await.texts(".seal-state").is_empty(), "nothing is sealed yet");
    app.seal().await;
    let events = app.count("select count(*) from audit_seal").await;
    let shown = ada.open("/history").await.texts(".seal-state").join(" ");
    assert!(shown.starts_with(&format!("Sealed up to event {events} at ")), "{shown}");
    assert!(shown.contains("last checkpoint"), "{shown}");
}

/// An auditor's program reads an export.
async fn export(app: &TestApp) -> Vec<Line> {
    app.on_server(|services| async move {
        let project = services.first_project().await.expect("a database").expect("a project").id;
        let (head, mut range) = services
            .begin_audit_file(
                project,
                None,
                None,
                impri::domain::audit::Actor::Operator,
                impri::domain::decision::Channel::cli(),
            )
            .await
            .expect("an export");
        let mut lines = vec![head];
        loop {
            let page = services.audit_file_page(&mut range).await.expect("lines");
            if page.is_empty() {
                return lines;
            }
            lines.extend(page);
        }
    })
    .await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn reading_the_history_does_not_seal_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.program(&[Scope::Audit]).await.get("/v1/audit").await.expect(200);
    assert_eq!(app.verify_history().await.expect("nothing to find").trail.last(), 0);
    assert_eq!(app.count("select count(*) from audit_seal").await, 0);
}
