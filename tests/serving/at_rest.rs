//! What the real program does at its start with the secrets that it finds.

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::process::{self, Serving, url_of};
use crate::at_rest::{OTHER_KEY, Secrets, in_the_clear};
use crate::managed_postgres::support::TempDir;

/// A server that was there before, and has ended; the public keys of its receipts.
async fn lived(db: &PgPool) -> Value {
    let mut server = Serving::start_on(url_of(db)).await;
    let keys = server.jwks().await;
    server.signal(Signal::SIGTERM);
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    keys
}

async fn approve(server: &Serving) -> (u16, Value) {
    let (agent, decider) = (server.key("actions"), server.key("decide"));
    let id = server.propose(&agent).await;
    server.post(&decider, &format!("/v1/actions/{id}/decision"), json!({"decision": "approve"})).await
}

#[sqlx::test(migrations = false)]
async fn several_servers_that_start_at_once_seal_what_lay_in_the_clear(db: PgPool) {
    let keys = lived(&db).await;
    let secrets = Secrets::of(&db).await;
    secrets.leave_in_the_clear(&db).await;
    let starting: Vec<_> = (0..3).map(|_| tokio::spawn(Serving::start_on(url_of(&db)))).collect();
    let mut servers = Vec::new();
    for server in starting {
        servers.push(server.await.expect("it starts"));
    }
    assert_eq!(in_the_clear(&db).await, 0);
    assert_eq!(secrets.found_in(&db).await, Vec::<String>::new());
    for server in &servers {
        assert_eq!(server.jwks().await, keys, "the same key signs");
        let log = server.log();
        assert!(!log.contains("can't be opened") && !log.contains(&secrets.webhook), "{log}");
    }
    let said = servers.iter().filter(|server| server.log().contains("are sealed now")).count();
    assert!(said == 1 || said == 2, "whoever sealed something says so: {said}");
    assert_eq!(approve(&servers[0]).await.0, 200);
}

#[sqlx::test(migrations = false)]
async fn a_server_without_the_key_starts_says_what_to_do_and_decides_nothing(db: PgPool) {
    let keys = lived(&db).await;
    let database = vec!["--database-url".to_owned(), url_of(&db)];
    let server = Serving::start_with(database, ("IMPRI_SECRET_KEY", OTHER_KEY)).await;
    server.until_ready_is(200).await;
    assert_eq!(server.jwks().await, keys, "it makes no other key");
    let log = server.log();
    for part in
        ["impri receipts rotate-key --lost", "impri project rotate-webhook-secret --lost", "IMPRI_SECRET_KEY"]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    let (status, refused) = approve(&server).await;
    let message = refused["message"].as_str().expect("a sentence");
    assert!(status == 503 && message.contains("nothing was decided"), "{status} {message}");
    drop(server);
    let again = Serving::start_on(url_of(&db)).await;
    assert_eq!(approve(&again).await.0, 200, "with its key nothing has changed");
}

/// Where the file of keys can't be made.
fn nowhere(dir: &TempDir) -> String {
    std::fs::write(dir.join("file"), "").expect("a file");
    dir.join("file/data").display().to_string()
}

#[sqlx::test(migrations = false)]
async fn without_any_key_a_new_database_is_refused_and_an_old_one_goes_on_as_it_was(db: PgPool) {
    let dir = TempDir::new();
    let (url, nowhere) = (url_of(&db), nowhere(&dir));
    let refused = process::refusal(&["--database-url", &url], &[("IMPRI_DATA_DIR", &nowhere)]);
    for part in ["the key that signs receipts can't be opened or sealed", "set IMPRI_SECRET_KEY"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    lived(&db).await;
    Secrets::of(&db).await.leave_in_the_clear(&db).await;
    let server =
        Serving::start_with(vec!["--database-url".to_owned(), url], ("IMPRI_DATA_DIR", &nowhere)).await;
    let log = server.log();
    assert!(
        log.contains("2 secrets lie in the database in the clear") && log.contains("set IMPRI_SECRET_KEY")
    );
    assert_eq!(approve(&server).await.0, 200);
    assert_eq!(in_the_clear(&db).await, 2);
}
