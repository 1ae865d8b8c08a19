//! The real program as an operator runs it: ready, told to stop, its database killed, several at once.

mod at_rest;
mod process;

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use sqlx::PgPool;

use self::process::Serving;
use crate::managed_postgres::support::{PATIENCE, TempDir, postmaster_pid};

#[tokio::test]
async fn a_killed_database_makes_the_server_unready_and_ready_again_with_nothing_lost() {
    let dir = TempDir::new();
    let server = Serving::start_managed(&dir.join("data")).await;
    let agent = server.key("actions");
    let decider = server.key("decide");
    let id = server.propose(&agent).await;

    let database = postmaster_pid(&dir.join("data")).expect("a database");
    kill(Pid::from_raw(database), Signal::SIGKILL).expect("it can be killed");
    server.until_ready_is(503).await;
    server.until_ready_is(200).await;

    let (status, action) = server.read(&agent, &id, "").await;
    assert_eq!((status, &action["status"]), (200, &json!("pending")));
    let (status, answer) =
        server.post(&decider, &format!("/v1/actions/{id}/decision"), json!({"decision": "approve"})).await;
    assert_eq!((status, &answer["status"]), (200, &json!("approved")));
    assert_eq!(server.read(&agent, &id, "").await.1["status"], "approved");
}

#[tokio::test]
async fn sigterm_answers_parked_agents_with_pending_and_ends_with_success() {
    let dir = TempDir::new();
    let mut server = Serving::start_managed(&dir.join("data")).await;
    let agent = server.key("actions");
    let id = server.propose(&agent).await;
    let parked: Vec<_> = (0..5).map(|_| tokio::spawn(server.reading(&agent, &id, "?wait=60"))).collect();
    server.until_parked(&agent, &id).await;

    let told = Instant::now();
    server.signal(Signal::SIGTERM);
    for answer in parked {
        let (status, action) = answer.await.expect("an answer");
        assert_eq!((status, &action["status"]), (200, &json!("pending")));
    }
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(told.elapsed() < Duration::from_secs(10), "it took {:?}", told.elapsed());
}

#[tokio::test]
async fn logs_hold_no_secrets() {
    let dir = TempDir::new();
    let mut server = Serving::start_managed(&dir.join("data")).await;
    let agent = server.key("actions");
    let id = server.propose(&agent).await;
    server.read(&agent, &id, "").await;
    server.read("im_wrong-key-that-nobody-made", &id, "").await;
    server.sign_in("ada@example.org", process::PASSWORD).await;
    server.sign_in("ada@example.org", "a wrong password").await;
    server.signal(Signal::SIGTERM);
    server.wait();
    let log = server.log();
    assert!(log.contains("answered"), "requests are logged at this level:\n{log}");
    for secret in
        [agent.as_str(), "im_wrong", process::PASSWORD, "a wrong password", "ada@example.org", "Hi Sarah"]
    {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
    }
}

#[sqlx::test(migrations = false)]
async fn several_servers_start_at_once_on_an_empty_database(db: PgPool) {
    let url = process::url_of(&db);
    let starting: Vec<_> = (0..3).map(|_| tokio::spawn(Serving::start_on(url.clone()))).collect();
    let mut servers = Vec::new();
    for server in starting {
        servers.push(server.await.expect("it starts"));
    }
    for server in &servers {
        server.until_ready_is(200).await;
    }
    let applied: Vec<i64> =
        sqlx::query_scalar("select version from _sqlx_migrations where success order by version")
            .fetch_all(&db)
            .await
            .expect("the history of the schema");
    let known: Vec<i64> = impri::server::db::MIGRATOR.iter().map(|migration| migration.version).collect();
    assert_eq!(applied, known);
    let people: i64 =
        sqlx::query_scalar("select count(*) from reviewer").fetch_one(&db).await.expect("a number");
    assert_eq!(people, 1, "the first account is made once");
    let keys: i64 =
        sqlx::query_scalar("select count(*) from receipt_key").fetch_one(&db).await.expect("a number");
    assert_eq!(keys, 1, "and so is the key of receipts");
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_stops_the_start_with_a_sentence() {
    type Case = (&'static [&'static str], &'static [(&'static str, &'static str)], &'static str);
    let cases: [Case; 5] = [
        (&["--listen", "nowhere"], &[], "--listen"),
        (&["--public-url", "https://x.example/path"], &[], "path"),
        (&["--nonsense"], &[], "--nonsense"),
        (&[], &[("IMPRI_LISTN", "127.0.0.1:1")], "IMPRI_LISTEN"),
        (&[], &[("IMPRI_ADMIN_EMAIL", "ada@example.org")], "password"),
    ];
    for (flags, environment, expected) in cases {
        let said = process::refusal(flags, environment);
        assert!(said.to_lowercase().contains(&expected.to_lowercase()), "{flags:?} {environment:?}: {said}");
    }
}

fn mail() -> Value {
    json!({"kind": "email.send", "title": "Outreach", "preview": {"format": "plain", "body": "Hi Sarah"}})
}

/// Looks again and again until `look` finds something.
async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl Fn() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
