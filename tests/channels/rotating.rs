//! A new key for secrets: every sort of channel goes on sending, the old key alone opens nothing, and a rotation that breaks
//! off loses nothing.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use impri::server::secrets::Vault;
use impri::server::service::Services;
use sqlx::PgPool;

use super::desk;
use super::everywhere::{Environment, Everywhere, program, run};
use crate::managed_postgres::support::TempDir;
use crate::support::eventually;

/// Channels with secrets (all but e-mail), the keys of web push and receipts, and the secret of callbacks.
const SECRETS: usize = 8;

/// A desk with every sort, whose keys are in a file, and the settings of a shell beside it.
async fn with_file(pool: &PgPool, dir: &TempDir) -> (Everywhere, Environment) {
    let vault = Vault::from_file(&dir.join("secret.key")).expect("a file");
    let desk = super::with_vault(pool.clone(), vault).await;
    desk.services.receipt_keys().await.expect("a key");
    desk.services.push_key().await.expect("a database").expect("a key");
    let shell = vec![("IMPRI_DATA_DIR", dir.path().display().to_string())];
    (Everywhere::open(desk).await, shell)
}

fn keys(dir: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(dir.join("secret.key")).expect("a file");
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// How many secrets the first of these keys sealed, how many the others did, and how many none of them opens.
async fn state(all: &Everywhere, keys: &[String]) -> (usize, usize, usize) {
    let vault = Vault::from_setting(&keys.join(",")).expect("keys");
    let state = all.desk.services.clone().with_vault(vault).secrets_state().await.expect("a database");
    (state.current, state.older, state.lost.len())
}

/// Every sort of channel sends, and what signs callbacks and receipts is what it was at first.
async fn sends(all: &mut Everywhere, vault: Option<Vault>) {
    if let Some(vault) = vault {
        all.desk.services = all.desk.services.clone().with_vault(vault);
    }
    let services = &all.desk.services;
    assert_eq!(services.webhook_secret(all.desk.project()).await.ok().as_ref(), Some(&all.desk.secret));
    // Not the server that has read it before.
    let fresh = Services::new(services.pool().clone(), services.clock().clone(), services.public_url());
    let keys = fresh.with_vault(services.vault().clone()).receipt_keys().await.expect("a key");
    assert!(keys.signing().is_ok() && keys.set().to_jwks().keys.len() == 1);
    let before = all.heard();
    let action = all.desk.wish(&format!("Number {}", before[0]), "body").await;
    all.desk.send_due().await;
    assert_eq!(all.heard(), before.map(|count| count + 1), "{:?}", all.desk.notices(action.id).await);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn after_a_rotation_of_the_file_every_sort_sends_and_the_old_key_opens_nothing(pool: PgPool) {
    let dir = TempDir::new();
    let (mut all, shell) = with_file(&pool, &dir).await;
    sends(&mut all, None).await;
    let old = keys(&dir);
    let (code, said) = run(&pool, "secrets rotate", &shell).await;
    assert!(code == 0 && said.starts_with(&format!("{SECRETS} secrets were sealed anew")), "{said}");
    let both = keys(&dir);
    assert_eq!(both[1..], old[..]);

    // The server that was running all the time reads the new key by itself.
    sends(&mut all, None).await;
    assert_eq!(state(&all, &old).await, (0, 0, SECRETS));
    assert_eq!(state(&all, &both[..1]).await, (SECRETS, 0, 0));
    sends(&mut all, Some(Vault::from_setting(&both[0]).expect("a key"))).await;

    all.desk.services = all.desk.services.clone().with_vault(Vault::from_setting(&old[0]).expect("a key"));
    let before = all.heard();
    all.desk.wish("With the old key", "body").await;
    all.desk.send_due().await;
    let mut mail_only = before;
    mail_only[3] += 1;
    assert_eq!(all.heard(), mail_only, "a mail needs no secret of the channel's");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn keys_of_the_variable_rotate_too_and_a_lost_secret_stops_it(pool: PgPool) {
    let mut all = Everywhere::open(desk(pool.clone()).await).await;
    all.desk.services.receipt_keys().await.expect("a key");
    let (old, new) = (super::VAULT_KEY.to_owned(), "ab".repeat(32));
    let shell = |keys: &str| vec![("IMPRI_SECRET_KEY", keys.to_owned())];
    // Without the old key nothing can be opened, so nothing is touched.
    let (code, said) = run(&pool, "secrets rotate", &shell(&new)).await;
    assert!(code == 1 && said.contains("Nothing was sealed anew"), "{said}");
    assert_eq!(state(&all, std::slice::from_ref(&old)).await, (SECRETS - 1, 0, 0));
    let (code, said) = run(&pool, "secrets rotate", &shell(&format!("{new},{old}"))).await;
    assert_eq!(code, 0, "{said}");
    assert_eq!(state(&all, &[old]).await, (0, 0, SECRETS - 1));
    assert_eq!(run(&pool, "secrets status", &shell(&new)).await.0, 0);
    sends(&mut all, Some(Vault::from_setting(&new).expect("a key"))).await;
}

/// Killed after all channels were sealed anew, and before that was true for anybody.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rotation_that_is_killed_loses_nothing_and_can_be_done_again(pool: PgPool) {
    let dir = TempDir::new();
    let (mut all, shell) = with_file(&pool, &dir).await;
    let old = keys(&dir);
    // The push key comes last; whoever holds its row has the rotation wait there.
    let mut holder = pool.begin().await.expect("a database");
    sqlx::query("select 1 from push_key for update").execute(&mut *holder).await.expect("a row");
    let mut command = program(&pool, "secrets rotate", &shell);
    let mut rotation = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' \
                   and query like 'update push_key%'";
    eventually("the rotation waits", async || {
        sqlx::query_scalar::<_, i64>(waiting).fetch_one(&pool).await.expect("a database") == 1
    })
    .await;
    rotation.kill().expect("it runs");
    assert_eq!(rotation.wait().expect("it ends").signal(), Some(9));
    holder.rollback().await.expect("a database");

    // The new key is in the file, and nothing is sealed with it.
    let both = keys(&dir);
    assert_eq!((both.len(), &both[1..]), (2, &old[..]));
    eventually("the database noticed", async || state(&all, &old).await == (SECRETS, 0, 0)).await;
    sends(&mut all, None).await;
    sends(&mut all, Some(Vault::from_file(&dir.join("secret.key")).expect("a file"))).await;

    let (code, said) = run(&pool, "secrets rotate", &shell).await;
    assert!(code == 0 && said.starts_with(&format!("{SECRETS} secrets were sealed anew")), "{said}");
    assert_eq!(keys(&dir).len(), 3);
    assert_eq!(state(&all, &both).await, (0, 0, SECRETS), "not with one of the two before");
    sends(&mut all, None).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_rotations_at_a_time_lose_nothing(pool: PgPool) {
    let dir = TempDir::new();
    let (mut all, shell) = with_file(&pool, &dir).await;
    let ended = tokio::join!(
        run(&pool, "secrets rotate", &shell),
        run(&pool, "secrets rotate", &shell),
        run(&pool, "secrets rotate", &shell)
    );
    assert_eq!((ended.0.0, ended.1.0, ended.2.0), (0, 0, 0), "{ended:?}");
    assert_eq!(keys(&dir).len(), 4);
    let (current, older, lost) = state(&all, &keys(&dir)).await;
    assert_eq!((current + older, lost), (SECRETS, 0));
    sends(&mut all, None).await;
    sends(&mut all, Some(Vault::from_file(&dir.join("secret.key")).expect("a file"))).await;
}
