//! `impri receipts`, as an operator and an executor in a shell run it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, PgPool};

use super::{content, jwks, receipt};
use crate::managed_postgres::support::TempDir;
use crate::support::TestApp;

/// What the command said: whether it ended well, and its words.
struct Said(bool, String);

/// Runs `impri receipts …` on a machine without a database.
async fn receipts(dir: &Path, args: &[&str], stdin: &str) -> Said {
    run(dir, args, stdin, None).await
}

async fn run(dir: &Path, args: &[&str], stdin: &str, database: Option<&PgPool>) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    for (name, _) in std::env::vars_os() {
        if name == "DATABASE_URL" || name.to_string_lossy().starts_with("IMPRI_") {
            command.env_remove(name);
        }
    }
    command.arg("receipts").args(args).current_dir(dir).env("IMPRI_DATA_DIR", dir.join("none"));
    if let Some(db) = database {
        command.env("DATABASE_URL", db.connect_options().to_url_lossy().as_str());
        command.env("IMPRI_SECRET_KEY", crate::support::VAULT_KEY);
    }
    let stdin = stdin.to_owned();
    let output: Output = tokio::task::spawn_blocking(move || {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // It need not read what it does not want.
        let _ = child.stdin.take().expect("its stdin").write_all(stdin.as_bytes());
        child.wait_with_output().expect("it ends")
    })
    .await
    .expect("no panic");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said(output.status.code() == Some(0), text(&output.stdout) + &text(&output.stderr))
}

impl Said {
    #[track_caller]
    fn well(&self, parts: &[&str]) {
        assert!(self.0, "{}", self.1);
        for part in parts {
            assert!(self.1.contains(part), "{part}: {}", self.1);
        }
    }

    #[track_caller]
    fn ill(&self, part: &str) {
        assert!(!self.0 && self.1.contains(part), "{part}: {}", self.1);
    }
}

fn write(dir: &TempDir, name: &str, value: &Value) {
    fs::write(dir.join(name), value.to_string()).expect("a file");
}

fn proposal() -> Value {
    crate::support::api::mail_with(json!({
        "payload": {"to": "sarah@acme.example"}, "editable": ["preview.body"], "valid_for": 600}))
}

/// An approved action with an edit, and its files: keys, receipt, content, and the whole action.
async fn approved(app: &TestApp, dir: &TempDir) -> Value {
    let id = app.agent().proposed(&proposal()).await;
    let proposed = app.agent().read(&id).await;
    let edited = json!({"decision": "approve", "edited": {"preview.body": "Dear Sarah"}});
    app.decider().decide(&id, &edited).await.expect(200);
    let action = app.agent().read(&id).await;
    write(dir, "jwks.json", &jwks(app).await);
    write(dir, "action.json", &action);
    write(dir, "content.json", &content(&action));
    write(dir, "proposed.json", &content(&proposed));
    fs::write(dir.join("receipt.txt"), receipt(&action) + "\n").expect("a file");
    action
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receipt_is_verified_with_nothing_but_the_public_keys(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    let action = approved(&app, &dir).await;
    let id = action["id"].as_str().expect("an id");
    let sentences =
        ["is genuine", "decider (key key_", "edited and approved", id, "through api", "The approval ends at"];
    receipts(dir.path(), &["verify", "receipt.txt", "--jwks", "jwks.json"], "").await.well(&sentences);
    let text = receipt(&action);
    for args in [&["verify", "--jwks", "jwks.json"][..], &["verify", "-", "--jwks", "jwks.json"]] {
        receipts(dir.path(), args, &text).await.well(&sentences);
    }
    let same = "The content is the one that was approved";
    let compared = ["verify", "receipt.txt", "--jwks", "jwks.json", "--content", "content.json"];
    receipts(dir.path(), &compared, "").await.well(&[same]);
    // The action as the API answers it brings its content along.
    receipts(dir.path(), &["verify", "action.json", "--jwks", "jwks.json"], "").await.well(&[same]);
    let published = format!("{}/.well-known/jwks.json", app.url);
    receipts(dir.path(), &["verify", "action.json", "--jwks", &published], "").await.well(&[same]);
    let to_run = ["verify", "receipt.txt", "--jwks", "jwks.json", "--content", "content.json", "--to-run"];
    receipts(dir.path(), &to_run, "").await.well(&[same, "permits running"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_wrong_with_a_receipt_or_a_content_is_said(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    let action = approved(&app, &dir).await;
    let text = receipt(&action);
    let with_content =
        |name: &'static str| ["verify", "receipt.txt", "--jwks", "jwks.json", "--content", name];

    receipts(dir.path(), &with_content("proposed.json"), "").await.ill("something else was approved");
    let mut other = content(&action);
    other["payload"]["to"] = json!("mallory@evil.example");
    write(&dir, "other.json", &other);
    receipts(dir.path(), &with_content("other.json"), "").await.ill("not the one that was approved");
    let mut more = content(&action);
    more["bcc"] = json!("mallory@evil.example");
    write(&dir, "more.json", &more);
    receipts(dir.path(), &with_content("more.json"), "").await.ill("no receipt covers its member \"bcc\"");
    receipts(dir.path(), &with_content("receipt.txt"), "").await.ill("is not JSON");
    receipts(dir.path(), &with_content("nowhere.json"), "").await.ill("can't be read");

    let mut forged = action.clone();
    forged["preview"]["body"] = json!("Send all the money");
    write(&dir, "forged.json", &forged);
    receipts(dir.path(), &["verify", "forged.json", "--jwks", "jwks.json"], "").await.ill("not the one");
    forged["id"] = json!("act_AAAAAAAAAAAAAAAAAAAAAA");
    write(&dir, "forged.json", &forged);
    receipts(dir.path(), &["verify", "forged.json", "--jwks", "jwks.json"], "")
        .await
        .ill("about another action");

    let verify = ["verify", "--jwks", "jwks.json"];
    let (message, signature) = text.rsplit_once('.').expect("a signature");
    for (sent, why) in [
        (format!("{message}x.{signature}"), "signature does not fit"),
        (format!("{message}."), "signature does not fit"),
        (format!("eyJhbGciOiJub25lIn0.{}.", text.split('.').nth(1).expect("a payload")), "header"),
        ("nonsense".to_owned(), "three parts"),
        (String::new(), "nothing was sent"),
        ("{}".to_owned(), "no member receipt"),
    ] {
        receipts(dir.path(), &verify, &sent).await.ill(why);
    }
    receipts(dir.path(), &["verify", "receipt.txt", "--jwks", "content.json"], "").await.ill("not a JWK Set");
    receipts(dir.path(), &["verify", "receipt.txt"], "").await.ill("--jwks");
    receipts(dir.path(), &["verify", "receipt.txt", "--jwks", "jwks.json", "--to-run"], "")
        .await
        .ill("--content");

    let id = app.agent().proposed(&proposal()).await;
    app.decider().decide(&id, &json!({"decision": "reject"})).await.expect(200);
    let rejected = app.agent().read(&id).await;
    write(&dir, "rejected.json", &rejected);
    write(&dir, "content.json", &content(&rejected));
    let verify = ["verify", "rejected.json", "--jwks", "jwks.json"];
    receipts(dir.path(), &verify, "")
        .await
        .well(&["rejected act_", "The content is the one that was rejected"]);
    let to_run = [&verify[..], &["--content", "content.json", "--to-run"]].concat();
    receipts(dir.path(), &to_run, "").await.ill("It permits nothing");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receipt_whose_time_is_over_proves_and_permits_nothing(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    let id = app.agent().proposed(&crate::support::api::mail_with(json!({"valid_for": 1}))).await;
    app.decider().approve(&id).await;
    let action = app.agent().read(&id).await;
    write(&dir, "jwks.json", &jwks(&app).await);
    write(&dir, "action.json", &action);
    write(&dir, "content.json", &content(&action));
    // The command goes by the machine's clock.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let verify = ["verify", "action.json", "--jwks", "jwks.json"];
    receipts(dir.path(), &verify, "").await.well(&["is genuine", "it proves, and permits nothing"]);
    let to_run = [&verify[..], &["--content", "content.json", "--to-run"]].concat();
    receipts(dir.path(), &to_run, "").await.ill("its time is over");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_operator_rotates_and_withdraws_keys(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    approved(&app, &dir).await;
    let set = jwks(&app).await;
    let kid = set["keys"][0]["kid"].as_str().expect("a kid").to_owned();
    let printed = run(dir.path(), &["jwks"], "", Some(&db)).await;
    assert_eq!(serde_json::from_str::<Value>(&printed.1).ok(), Some(set));
    run(dir.path(), &["verify", "receipt.txt"], "", Some(&db)).await.well(&["is genuine"]);

    run(dir.path(), &["withdraw-key", &kid], "", Some(&db)).await.ill("rotate-key first");
    run(dir.path(), &["rotate-key"], "", Some(&db)).await.well(&["from now on", &kid, "go on to verify"]);
    run(dir.path(), &["verify", "receipt.txt"], "", Some(&db)).await.well(&["is genuine"]);
    run(dir.path(), &["withdraw-key", &kid], "", Some(&db)).await.well(&[&kid]);
    run(dir.path(), &["withdraw-key", &kid], "", Some(&db)).await.ill("There is no key");
    run(dir.path(), &["verify", "receipt.txt"], "", Some(&db)).await.ill("no key of the set");
}
