//! The shell loop, under bash with curl and jq.

use std::{fs, process::Command};

use sqlx::PgPool;

use super::{Aside, file, proposed_action};
use crate::support::TestApp;

/// Where the published loop calls.
const PUBLISHED: &str = "https://api.impri.dev";

/// What stands before the loop: `send_email` prints what it got, and a pause is short.
const BEFORE: &str = "set -u\nsend_email() { printf '[%s]' \"$1\"; }\nsleep() { command sleep 0.05; }\n";

fn published() -> String {
    fs::read_to_string(file("approval_step.sh")).expect("the loop")
}

/// Starts the loop against this server.
fn start(app: &TestApp, the_loop: &str) -> Aside {
    assert_eq!(the_loop.matches(PUBLISHED).count(), 2);
    let script = format!("{BEFORE}{}", the_loop.replace(PUBLISHED, &app.url));
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(script).env("IMPRI_API_KEY", &app.house().agent.key).env("no_proxy", "127.0.0.1");
    Aside::run(bash)
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_approved_the_loop_sends_what_was_proposed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let running = start(&app, &published());
    let action = proposed_action(&app).await;
    assert_eq!(action["title"], "Outreach: Acme");
    let id = action["id"].as_str().expect("an id");
    let answer = app.ada().await.submit_decide_form(id, "approve", &[]).await;
    assert!(answer.location().ends_with("?done=1"), "{}", answer.location());
    assert_eq!(running.ended().await, "[Hi Sarah, ...]");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_approved_with_an_edit_the_loop_sends_exactly_the_humans_text(db: PgPool) {
    let app = TestApp::start(&db).await;
    // The published proposal allows no edit; this one allows its text to be edited, and is the same otherwise.
    let editable = published().replace("\"preview\":{", "\"editable\":[\"preview.body\"],\"preview\":{");
    assert_ne!(editable, published());
    let running = start(&app, &editable);
    let action = proposed_action(&app).await;
    let id = action["id"].as_str().expect("an id");
    let text = "Dear Sarah,\n\n  \"quoted\" $HOME `id` 50 % \\n ü 😀\n\nBye";
    let answer = app.ada().await.submit_decide_form(id, "approve", &[("edits[0]", text)]).await;
    assert!(answer.location().ends_with("?done=1"), "{}", answer.location());
    assert_eq!(running.ended().await, format!("[{text}]"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_rejected_the_loop_sends_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let running = start(&app, &published());
    let action = proposed_action(&app).await;
    let id = action["id"].as_str().expect("an id");
    app.ada().await.submit_decide_form(id, "reject", &[]).await;
    assert_eq!(running.ended().await, "");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn once_expired_the_loop_sends_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let running = start(&app, &published());
    proposed_action(&app).await;
    app.advance(259_200);
    assert_eq!(running.ended().await, "");
}
