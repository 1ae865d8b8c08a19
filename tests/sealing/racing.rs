//! Writers that commit in any order, and several servers that seal: no event is left out, none is sealed twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use impri::domain::ids::ProjectId;
use impri::server::service::Round;
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgConnection, PgPool};

use crate::support::{TestApp, eventually_within};

/// Longer than any other test holds a transaction.
const LONG: Duration = Duration::from_mins(1);

async fn write(conn: &mut PgConnection, project: ProjectId) {
    sqlx::query(
        "insert into audit_event (project_id, at, kind, actor_kind, actor_name, channel, data)
         values ($1, now(), 'person.signed_in', 'operator', 'operator', 'cli', '{}')",
    )
    .bind(project.uuid())
    .execute(conn)
    .await
    .expect("an event");
}

async fn sealed_ids(db: &PgPool) -> Vec<i64> {
    sqlx::query_scalar("select event_id from audit_seal order by seq").fetch_all(db).await.expect("seals")
}

async fn last_id(db: &PgPool) -> i64 {
    sqlx::query_scalar("select last_value from audit_event_number").fetch_one(db).await.expect("a number")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_commits_late_is_sealed_late_and_holds_nobody_up(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.seal().await;
    let project = app.project();
    let mut slow = db.begin().await.expect("a transaction");
    write(&mut slow, project).await;
    let late = last_id(&db).await;
    let mut known = sealed_ids(&db).await;
    for _ in 0..5 {
        let mut quick = db.begin().await.expect("a transaction");
        write(&mut quick, project).await;
        quick.commit().await.expect("a commit");
        known.push(last_id(&db).await);
        assert_eq!(app.seal_round().await, Round::Done(1));
        assert_eq!(sealed_ids(&db).await, known, "the quick one does not wait for the slow one");
    }
    slow.commit().await.expect("a commit");
    known.push(late);
    assert_eq!(app.seal_round().await, Round::Done(1));
    assert_eq!(sealed_ids(&db).await, known, "a low number, at the end of the chain");
    // Whoever is under way in another database of the cluster counts as well, until they end.
    eventually_within(LONG, "with nobody under way nothing is looked at again", async || {
        assert_eq!(app.seal_round().await, Round::Done(0));
        app.count("select settled_to from audit_sealer").await >= late
    })
    .await;
    app.verify_history().await.expect("it is intact");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_began_last_and_took_the_lower_number_is_not_left_out(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.seal().await;
    let project = app.project();
    // Few transactions of other tests come between, so some of these are next to each other.
    for _ in 0..10 {
        let mut first = db.begin().await.expect("a transaction");
        sqlx::query("select pg_current_xact_id()").execute(&mut *first).await.expect("a number of its own");
        let mut last = db.begin().await.expect("a transaction");
        write(&mut last, project).await;
        let low = last_id(&db).await;
        write(&mut first, project).await;
        first.commit().await.expect("a commit");
        // Of those that ended, `first` has the highest number, and `last` is under way with the next one.
        for _ in 0..3 {
            app.seal_round().await;
        }
        assert!(app.count("select settled_to from audit_sealer").await < low, "{low} may still appear");
        last.commit().await.expect("a commit");
        app.seal_round().await;
        assert_eq!(sealed_ids(&db).await.last(), Some(&low));
    }
    app.verify_history().await.expect("it is intact");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn while_one_seals_the_other_does_not(db: PgPool) {
    let app = TestApp::start(&db).await;
    let mut other = db.begin().await.expect("a transaction");
    impri::server::db::seals::lock(&mut other).await.expect("a lock");
    assert_eq!(app.seal_round().await, Round::Elsewhere);
    other.rollback().await.expect("the lock goes");
    assert!(matches!(app.seal_round().await, Round::Done(1..)));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn many_writers_and_two_sealers_leave_nothing_out_and_seal_nothing_twice(db: PgPool) {
    const WRITERS: u64 = 6;
    const TURNS: u64 = 40;
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let project = app.project();
    let options = sqlx::postgres::PgConnectOptions::clone(&db.connect_options());
    let pool = PgPoolOptions::new().max_connections(20).connect_with(options).await.expect("connections");
    let is_over = AtomicBool::new(false);
    let writing = async {
        let writers = (0..WRITERS).map(|writer| {
            let pool = pool.clone();
            async move {
                for turn in 0..TURNS {
                    // Two transactions overlap, and end in an order that differs; some come to nothing.
                    let mut first = pool.begin().await.expect("a transaction");
                    let mut second = pool.begin().await.expect("a transaction");
                    write(&mut first, project).await;
                    write(&mut second, project).await;
                    write(&mut first, project).await;
                    match (writer + turn) % 3 {
                        0 => {
                            first.commit().await.expect("a commit");
                            second.commit().await.expect("a commit");
                        }
                        1 => {
                            second.commit().await.expect("a commit");
                            first.commit().await.expect("a commit");
                        }
                        _ => {
                            first.rollback().await.expect("nothing");
                            second.commit().await.expect("a commit");
                        }
                    }
                }
            }
        });
        futures::future::join_all(writers).await;
        is_over.store(true, Ordering::SeqCst);
    };
    let seal = async |server: &TestApp| {
        let mut sealed = 0;
        while !is_over.load(Ordering::SeqCst) {
            match server.seal_round().await {
                Round::Done(count) | Round::More(count) => sealed += count,
                Round::Elsewhere => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
        sealed
    };
    let ((), here, there) = tokio::join!(writing, seal(&app), seal(&other));
    assert!(here > 0 && there > 0, "both sealed: {here} and {there}");
    app.seal().await;

    let events = app.count("select count(*) from audit_event").await;
    assert!(events > i64::try_from(WRITERS * TURNS).expect("few") * 2, "{events}");
    assert_eq!(app.count("select count(*) from audit_seal").await, events);
    assert_eq!(app.count("select count(distinct event_id) from audit_seal").await, events);
    assert_eq!(app.count("select max(seq) from audit_seal").await, events);
    let outcome = app.verify_history().await.expect("it is intact");
    assert_eq!(outcome.trail.last(), events);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_sealer_of_its_own_seals_and_signs_and_copies(db: PgPool) {
    let app = TestApp::start(&db).await;
    let dir = crate::managed_postgres::support::TempDir::new();
    let path = dir.join("checkpoints");
    let mut file = impri::server::checkpoint_file::CheckpointFile::open(&path).await.expect("a file");
    let stop = tokio_util::sync::CancellationToken::new();
    let token = stop.clone();
    let running =
        app.on_server(move |services| async move { services.run_sealer(Some(&mut file), &token).await });
    let living = async {
        app.live_a_little().await;
        let unsealed =
            "select count(*) from audit_event where event_id not in (select event_id from audit_seal)";
        crate::support::eventually("all is sealed", async || app.count(unsealed).await == 0).await;
        stop.cancel();
    };
    tokio::join!(running, living);
    let events = app.count("select count(*) from audit_event").await;
    let signed = app.count("select max(seq) from audit_checkpoint").await;
    assert_eq!(signed, events, "the last thing that it does is to sign");
    let copied = std::fs::read_to_string(&path).expect("a file");
    let stored: Vec<String> = sqlx::query_scalar("select jws from audit_checkpoint order by seq")
        .fetch_all(&db)
        .await
        .expect("jws");
    let copied: Vec<&str> = copied.lines().collect();
    let stored: Vec<String> =
        stored.iter().map(|jws| format!("{{\"type\":\"checkpoint\",\"jws\":\"{jws}\"}}")).collect();
    assert_eq!(copied, stored);
}
