//! `impri audit`, as an auditor in a shell runs it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, PgPool};

use crate::managed_postgres::support::TempDir;
use crate::support::{TestApp, python};

/// What the command ended with, and its words.
pub(super) struct Said(pub(super) Option<i32>, pub(super) String);

impl Said {
    #[track_caller]
    pub(super) fn well(&self, parts: &[&str]) {
        assert_eq!(self.0, Some(0), "{}", self.1);
        for part in parts {
            assert!(self.1.contains(part), "{part}: {}", self.1);
        }
    }

    #[track_caller]
    pub(super) fn ill(&self, part: &str) {
        assert!(matches!(self.0, Some(1 | 2)) && self.1.contains(part), "{part}: {}", self.1);
    }
}

/// Runs `impri audit …`, with a database or on a machine without one.
pub(super) async fn audit(dir: &Path, args: &[&str], database: Option<&PgPool>) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    for (name, _) in std::env::vars_os() {
        if name == "DATABASE_URL" || name.to_string_lossy().starts_with("IMPRI_") {
            command.env_remove(name);
        }
    }
    command.arg("audit").args(args).current_dir(dir).env("IMPRI_DATA_DIR", dir.join("none"));
    if let Some(db) = database {
        command.env("DATABASE_URL", db.connect_options().to_url_lossy().as_str());
        command.env("IMPRI_SECRET_KEY", crate::support::VAULT_KEY);
    }
    let output =
        tokio::task::spawn_blocking(move || command.output().expect("it starts")).await.expect("no panic");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said(output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

async fn keys(app: &TestApp, dir: &TempDir) {
    let jwks: Value = app.without_key().get("/.well-known/jwks.json").await.expect(200);
    fs::write(dir.join("jwks.json"), jwks.to_string()).expect("a file");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_export_proves_itself_without_the_server(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    app.live_a_little().await;
    keys(&app, &dir).await;
    audit(dir.path(), &["export", "--output", "first.ndjson"], Some(&db)).await.well(&[]);
    let verify = ["verify", "first.ndjson", "--jwks", "jwks.json"];
    audit(dir.path(), &verify, None).await.well(&["is intact", "events 1 to ", "The last is of event"]);
    audit(dir.path(), &["verify"], Some(&db)).await.well(&["is intact"]);
    audit(dir.path(), &["verify", "first.ndjson"], Some(&db)).await.well(&["is intact"]);
    audit(dir.path(), &["verify"], None).await.ill("--jwks");

    let text = fs::read_to_string(dir.join("first.ndjson")).expect("a file");
    fs::write(dir.join("bad.ndjson"), text.replace("\"first-agent\"", "\"Mallory\"")).expect("a file");
    let bad = ["verify", "bad.ndjson", "--jwks", "jwks.json"];
    audit(dir.path(), &bad, None).await.ill("not intact: event ");
    fs::write(dir.join("bad.ndjson"), "nonsense").expect("a file");
    audit(dir.path(), &bad, None).await.ill("line 1 can't be read");
    fs::write(dir.join("other.json"), json!({"keys": [{"kty": "OKP", "crv": "Ed25519",
        "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}).to_string())
    .expect("a file");
    audit(dir.path(), &["verify", "first.ndjson", "--jwks", "other.json"], None)
        .await
        .ill("not covered by a signed checkpoint that verifies");

    app.advance(3_600);
    app.live_a_little().await;
    audit(dir.path(), &["export", "--output", "second.ndjson"], Some(&db)).await.well(&[]);
    let forward = ["verify", "second.ndjson", "--jwks", "jwks.json", "--previous", "first.ndjson"];
    audit(dir.path(), &forward, None).await.well(&["is intact", "continues first.ndjson"]);
    let back = ["verify", "first.ndjson", "--jwks", "jwks.json", "--previous", "second.ndjson"];
    audit(dir.path(), &back, None).await.ill("the end was dropped");
    audit(dir.path(), &["verify", "--previous", "first.ndjson"], Some(&db))
        .await
        .well(&["continues first.ndjson"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_part_of_the_history_proves_itself_too(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    app.live_a_little().await;
    app.seal().await;
    let first_day = app.clock.now().date();
    app.advance(3 * 86_400);
    app.live_a_little().await;
    app.seal().await;
    app.advance(3 * 86_400);
    app.live_a_little().await;
    keys(&app, &dir).await;
    let (second, third) = (first_day + time::Duration::days(1), first_day + time::Duration::days(4));
    let (second, third) = (second.to_string(), third.to_string());
    let part = ["export", "--since", &second, "--until", &third, "-o", "part.ndjson"];
    audit(dir.path(), &part, Some(&db)).await.well(&[]);
    let text = fs::read_to_string(dir.join("part.ndjson")).expect("a file");
    let kinds: Vec<String> = text
        .lines()
        .filter_map(|line| {
            Some(serde_json::from_str::<Value>(line).ok()?["event"]["event"].as_str()?.to_owned())
        })
        .collect();
    assert_eq!(
        kinds,
        ["action.created", "action.approved", "action.executed"],
        "those of the day, and no others"
    );
    audit(dir.path(), &["verify", "part.ndjson", "--jwks", "jwks.json"], None).await.well(&["is intact"]);
    let nothing = ["export", "--since", "1999-01-01", "--until", "1999-12-31", "-o", "none.ndjson"];
    audit(dir.path(), &nothing, Some(&db)).await.well(&[]);
    audit(dir.path(), &["verify", "none.ndjson", "--jwks", "jwks.json"], None).await.well(&["no events"]);
    audit(dir.path(), &["export", "--since", "yesterday"], Some(&db)).await.ill("2026-11-01");
}

/// The program of docs/audit.md, with libraries that are not ours, comes to the same.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_documents_program_verifies_an_export(db: PgPool) {
    let (app, dir) = (TestApp::start(&db).await, TempDir::new());
    app.live_a_little().await;
    keys(&app, &dir).await;
    audit(dir.path(), &["export", "--output", "audit.ndjson"], Some(&db)).await.well(&[]);
    let document =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/audit.md")).expect("it is there");
    let program =
        document.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    fs::write(dir.join("verify.py"), program).expect("a file");
    let run = |file: &'static str| {
        let mut command = Command::new(python());
        command.args(["verify.py", file, "jwks.json"]).current_dir(dir.path());
        async move {
            let output = tokio::task::spawn_blocking(move || command.output().expect("Python starts")).await;
            let output = output.expect("no panic");
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        }
    };
    let (ended_well, why) = run("audit.ndjson").await;
    assert!(ended_well, "{why}");
    let text = fs::read_to_string(dir.join("audit.ndjson")).expect("a file");
    fs::write(dir.join("bad.ndjson"), text.replace("\"first-agent\"", "\"Mallory\"")).expect("a file");
    let (ended_well, why) = run("bad.ndjson").await;
    assert!(!ended_well && why.contains("was changed"), "{why}");
}
