//! `impri audit verify` where the history is: of every project, to its very end.

use std::sync::atomic::Ordering;

use impri::server::clock::Clock;
use serde_json::json;
use sqlx::PgPool;

use super::command::audit;
use crate::managed_postgres::support::TempDir;
use crate::support::{TestApp, api::mail_with};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_projects_history_is_checked(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    let (agent, _) = app.foreign_project().await;
    app.live_a_little().await;
    app.with_key(&agent.key).proposed(&mail_with(json!({}))).await;
    app.seal().await;
    let projects: Vec<uuid::Uuid> =
        sqlx::query_scalar("select project_id from project").fetch_all(&db).await.expect("projects");
    let said = audit(dir.path(), &["verify"], Some(&db)).await;
    said.well(&[]);
    assert_eq!(said.1.matches("is intact").count(), 2, "{}", said.1);
    for project in &projects {
        let name = impri::domain::ids::ProjectId::from_uuid(*project).to_string();
        assert!(said.1.contains(&name), "{name}: {}", said.1);
    }

    // What is wrong in the one that nobody looks at is found, and the other one is checked nevertheless.
    let foreign = impri::domain::ids::ProjectId::from_uuid(uuid::Uuid::from_u128(7));
    let mut conn = db.acquire().await.expect("a connection");
    sqlx::raw_sql("set session_replication_role = replica").execute(&mut *conn).await.expect("a superuser");
    sqlx::query(
        "update audit_event set actor_name = 'Mallory' where project_id = $1 and kind = 'action.created'",
    )
    .bind(foreign.uuid())
    .execute(&mut *conn)
    .await
    .expect("a change");
    conn.close().await.expect("it was open");
    let said = audit(dir.path(), &["verify"], Some(&db)).await;
    said.ill(&format!("The history of {foreign} is not intact: event "));
    assert_eq!(said.1.matches("is intact").count(), 1, "{}", said.1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_project_that_is_gone_with_its_history_is_missed(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    let (agent, _) = app.foreign_project().await;
    app.with_key(&agent.key).proposed(&mail_with(json!({}))).await;
    app.seal().await;
    let lines: Vec<String> =
        sqlx::query_scalar("select jws from audit_checkpoint").fetch_all(&db).await.expect("rows");
    let lines: String =
        lines.iter().map(|jws| json!({"type": "checkpoint", "jws": jws}).to_string() + "\n").collect();
    std::fs::write(dir.join("checkpoints"), lines).expect("a file");
    let verify = ["verify", "--previous", "checkpoints"];
    let said = audit(dir.path(), &verify, Some(&db)).await;
    said.well(&[]);
    assert_eq!(said.1.matches("continues checkpoints").count(), 2, "{}", said.1);

    let foreign = uuid::Uuid::from_u128(7);
    let mut conn = db.acquire().await.expect("a connection");
    sqlx::raw_sql("set session_replication_role = replica").execute(&mut *conn).await.expect("a superuser");
    for table in ["audit_event", "audit_seal", "project"] {
        let statement = match table {
            "audit_event" => "delete from audit_event where project_id = $1",
            "audit_seal" => "delete from audit_seal where project_id = $1",
            _ => "delete from project where project_id = $1",
        };
        sqlx::query(statement).bind(foreign).execute(&mut *conn).await.expect(table);
    }
    let said = audit(dir.path(), &["verify"], Some(&db)).await;
    said.ill("is not intact");
    sqlx::query("delete from audit_checkpoint where project_id = $1")
        .bind(foreign)
        .execute(&mut *conn)
        .await
        .expect("it");
    conn.close().await.expect("it was open");
    audit(dir.path(), &["verify"], Some(&db)).await.well(&["is intact"]);
    audit(dir.path(), &verify, Some(&db)).await.ill("nothing is here of proj_");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_end_that_waits_too_long_is_said_to_be_late(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    app.live_a_little().await;
    let verify = async || audit(dir.path(), &["verify"], Some(&db)).await;
    verify().await.well(&["Not sealed yet: "]);
    app.seal().await;
    verify().await.well(&["is intact"]);

    let happened = |ago: i32| {
        sqlx::query(
            "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data)
             select project_id, now() - make_interval(secs => $1), 'person.signed_out', 'clock', 'clock', 'clock', '{}'
             from project",
        )
        .bind(f64::from(ago))
    };
    happened(0).execute(&db).await.expect("an event");
    verify().await.well(&["Not sealed yet: 1"]);
    happened(90).execute(&db).await.expect("an event");
    let late = verify().await;
    assert_eq!(late.0, Some(3), "{}", late.1);
    assert!(late.1.contains("Not sealed yet: 2") && late.1.contains("Late: 1 of them"), "{}", late.1);

    // Whoever sets the time of an event that waits to one that never comes hides nothing.
    app.seal().await;
    verify().await.well(&["is intact"]);
    sqlx::query(
        "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data)
         select project_id, 'infinity', 'person.signed_out', 'clock', 'clock', 'clock', '{}' from project",
    )
    .execute(&db)
    .await
    .expect("an event");
    assert_eq!(verify().await.0, Some(3));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_sealed_and_never_signed_is_late_too(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    // The server lives ten minutes ago, and the auditor now.
    let Clock::Manual(micros) = &app.clock else { panic!("a clock that stands still") };
    micros.fetch_sub(600_000_000, Ordering::SeqCst);
    app.seal().await;
    audit(dir.path(), &["verify"], Some(&db)).await.well(&["is intact"]);
    let before = app.count("select max(seq) from audit_seal").await;
    app.live_a_little().await;
    app.seal_round().await;
    let said = audit(dir.path(), &["verify"], Some(&db)).await;
    assert_eq!(said.0, Some(3), "{}", said.1);
    let late = format!("Late: what is sealed from event {} on is not signed since ", before + 1);
    assert!(said.1.contains("is intact") && said.1.contains(&late), "{}", said.1);
    app.advance(60);
    app.seal_round().await;
    audit(dir.path(), &["verify"], Some(&db)).await.well(&["is intact"]);
}
