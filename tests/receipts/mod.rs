//! Receipts: every decision has one, the same one everywhere, and anybody with the public keys can verify it.

mod canonical;
mod command;
mod keys;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{TestApp, api::mail, api::mail_with, python};

/// The public keys as everybody gets them.
async fn jwks(app: &TestApp) -> Value {
    app.without_key().get("/.well-known/jwks.json").await.expect(200)
}

/// What a receipt's digests are taken over, out of an action that was read.
fn content(action: &Value) -> Value {
    let members = ["kind", "title", "preview", "payload", "target_url"];
    let members = members.iter().filter_map(|name| Some(((*name).to_owned(), action.get(*name)?.clone())));
    Value::Object(members.collect())
}

/// What libraries that are not ours say about receipts for these contents, at the server's time.
async fn independently(app: &TestApp, cases: &[(String, Value)]) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases: Vec<Value> =
        cases.iter().map(|(receipt, content)| json!({"receipt": receipt, "content": content})).collect();
    let task = json!({
        "document": root.join("docs/receipts.md"),
        "jwks": jwks(app).await,
        "now": app.clock.now().unix_timestamp(),
        "cases": cases,
    });
    let run = move || {
        let mut child = Command::new(python())
            .arg(root.join("tests/receipts/independent.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let mut stdin = child.stdin.take().expect("its stdin");
        stdin.write_all(task.to_string().as_bytes()).expect("it reads");
        drop(stdin);
        child.wait_with_output().expect("it ends")
    };
    let output = tokio::task::spawn_blocking(run).await.expect("no panic");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("its answers")
}

fn receipt(of: &Value) -> String {
    of["receipt"].as_str().unwrap_or_else(|| panic!("a receipt in {of}")).to_owned()
}

/// A part of a receipt, read without verifying anything.
fn part(receipt: &str, index: usize) -> Value {
    let part = receipt.split('.').nth(index).expect("three parts");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64url")).expect("JSON")
}

/// A proposal with everything that a digest covers, and then some.
fn whole() -> Value {
    mail_with(json!({
        "payload": {"to": "sarah@acme.example", "n": 1.50, "z": [1e-7, 0.000_001, -0.0, 123_456_789.125, "\u{20ac}\u{10000}\n"], "a": null},
        "target_url": "https://acme.example/contact",
        "editable": ["preview.body", "payload.to"],
        "valid_for": 600,
    }))
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_approval_has_a_receipt_that_other_libraries_verify(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&whole()).await;
    app.decider().approve(&id).await;
    let action = app.agent().read(&id).await;
    let text = receipt(&action);
    let said = independently(&app, &[(text.clone(), content(&action))]).await.remove(0);
    let decision = &action["decision"];
    assert_eq!(
        said["claims"],
        json!({
            "iss": app.url,
            "sub": id,
            "jti": part(&text, 1)["jti"],
            "iat": decision["decided_at"],
            "exp": action["valid_until"],
            "project": app.project().to_string(),
            "kind": "email.send",
            "verdict": "approve",
            "proposed_sha256": action["content_sha256"],
            "approved_sha256": action["approved_sha256"],
            "edited": false,
            "decided_by": decision["decided_by"],
            "channel": "api",
        }),
        "{said}"
    );
    assert!(part(&text, 1)["jti"].as_str().is_some_and(|id| id.starts_with("rcp_")));
    let kid = &jwks(&app).await["keys"][0]["kid"];
    assert_eq!(part(&text, 0), json!({"alg": "EdDSA", "kid": kid, "typ": "impri-receipt+jwt"}));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_edited_approval_covers_the_approved_version_only(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&whole()).await;
    let proposed = content(&app.agent().read(&id).await);
    let edit = [("edits[0]", "Dear Sarah,\n\u{fc}\u{1f600} 1.50")];
    let answer = app.ada().await.submit_decide_form(&id, "approve", &edit).await;
    assert!(answer.location().ends_with("?done=1"), "{}", answer.location());
    let action = app.agent().read(&id).await;
    let text = receipt(&action);
    let cases = [(text.clone(), content(&action)), (text, proposed)];
    let said = independently(&app, &cases).await;
    let claims = &said[0]["claims"];
    assert_eq!((&claims["edited"], &claims["channel"]), (&json!(true), &json!("web")), "{said:?}");
    assert_eq!(claims["decided_by"]["name"], "Ada");
    assert!(claims["decided_by"]["id"].as_str().is_some_and(|id| id.starts_with("rev_")));
    assert_ne!(claims["approved_sha256"], claims["proposed_sha256"]);
    assert!(said[1]["refused"].as_str().is_some_and(|why| why.contains("something else")), "{said:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_has_a_receipt_that_permits_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&whole()).await;
    app.decider().decide(&id, &json!({"decision": "reject"})).await.expect(200);
    let action = app.agent().read(&id).await;
    let text = receipt(&action);
    let claims = part(&text, 1);
    assert_eq!(
        (&claims["verdict"], &claims["proposed_sha256"]),
        (&json!("reject"), &action["content_sha256"])
    );
    assert!(claims.get("approved_sha256").is_none() && claims.get("exp").is_none(), "{claims}");
    let said = independently(&app, &[(text, content(&action))]).await.remove(0);
    assert!(
        said["refused"].as_str().is_some_and(|why| why.contains("not a receipt of an approval")),
        "{said}"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn many_decided_at_once_have_a_receipt_each(db: PgPool) {
    let app = TestApp::start(&db).await;
    let mut ids = Vec::new();
    for title in ["One", "Two", "Three"] {
        ids.push(app.agent().proposed(&mail_with(json!({"title": title}))).await);
    }
    let many = json!({"ids": ids, "verdict": "approve"});
    app.decider().post("/v1/actions/bulk-decision", &many).await.expect(200);
    let page = app.agent().get("/v1/actions").await.expect(200);
    let actions = page["items"].as_array().expect("actions");
    let cases: Vec<_> = actions.iter().map(|action| (receipt(action), content(action))).collect();
    let said = independently(&app, &cases).await;
    let said: Vec<&Value> = said.iter().map(|one| &one["claims"]["sub"]).collect();
    assert_eq!(said, actions.iter().map(|action| &action["id"]).collect::<Vec<_>>());
    assert_eq!(said.len(), 3);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_receipt_is_the_same_wherever_the_action_is_told(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    assert!(app.agent().read(&id).await.get("receipt").is_none(), "nothing is decided yet");
    let parked = app.agent().wait_aside(&id, 30);
    app.parked(1).await;
    let answer = app.decider().approve(&id).await;
    let told = receipt(&answer);
    assert_eq!(receipt(&parked.await.expect("an answer").expect(200)), told);
    assert_eq!(receipt(&app.agent().read(&id).await), told);
    let page = app.agent().get(&format!("/v1/actions?ids={id}")).await.expect(200);
    assert_eq!(receipt(&page["items"][0]), told);
    app.agent().post(&format!("/v1/actions/{id}/claim"), &json!({})).await.expect(200);
    app.agent().report(&id, &json!({"status": "executed"})).await.expect(200);
    assert_eq!(receipt(&app.agent().read(&id).await), told, "and it stays");
    assert_eq!(receipt(&app.beside().agent().read(&id).await), told);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_changed_byte_anywhere_is_refused_by_other_libraries(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&whole()).await;
    app.decider().approve(&id).await;
    let action = app.agent().read(&id).await;
    let (text, content) = (receipt(&action), content(&action));
    let parts: Vec<Vec<u8>> =
        text.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).expect("base64url")).collect();
    let join = |parts: &[Vec<u8>]| {
        parts.iter().map(|part| URL_SAFE_NO_PAD.encode(part)).collect::<Vec<_>>().join(".")
    };
    assert_eq!(join(&parts), text);
    let mut cases = vec![(text.clone(), content.clone())];
    for index in 0..parts.len() {
        for place in 0..parts[index].len() {
            let mut changed = parts.clone();
            changed[index][place] ^= 1;
            cases.push((join(&changed), content.clone()));
        }
    }
    // Another algorithm: none at all, and the public key taken for a secret that both sides share.
    let payload = text.split('.').nth(1).expect("a payload");
    let header = |alg: &str| {
        let header = json!({"alg": alg, "kid": part(&text, 0)["kid"], "typ": "impri-receipt+jwt"});
        URL_SAFE_NO_PAD.encode(header.to_string())
    };
    cases.push((format!("{}.{payload}.", header("none")), content.clone()));
    let message = format!("{}.{payload}", header("HS256"));
    let public = jwks(&app).await["keys"][0]["x"].as_str().map(str::to_owned).expect("a key");
    for secret in [public.as_bytes().to_vec(), URL_SAFE_NO_PAD.decode(&public).expect("base64url")] {
        use hmac::Mac as _;
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&secret).expect("a key");
        mac.update(message.as_bytes());
        let tag = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        cases.push((format!("{message}.{tag}"), content.clone()));
    }
    let said = independently(&app, &cases).await;
    assert!(said.len() > 500, "{} changes", said.len());
    assert!(said[0]["claims"].is_object(), "{}", said[0]);
    let taken: Vec<&Value> = said[1..].iter().filter(|one| one.get("refused").is_none()).collect();
    assert!(taken.is_empty(), "{taken:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receipts_time_ends_when_the_permission_does(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&whole()).await;
    app.decider().approve(&id).await;
    let action = app.agent().read(&id).await;
    let case = [(receipt(&action), content(&action))];
    app.advance(598);
    assert!(independently(&app, &case).await[0]["claims"].is_object());
    app.advance(2);
    let said = independently(&app, &case).await.remove(0);
    assert!(said["refused"].as_str().is_some_and(|why| why.starts_with("ExpiredTokenError")), "{said}");
    app.agent().post(&format!("/v1/actions/{id}/claim"), &json!({})).await.refusal(410);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn decisions_from_before_receipts_have_none(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    for sql in [
        "alter table decision disable trigger user",
        "update decision set receipt = null",
        "alter table decision enable trigger user",
    ] {
        sqlx::query(sql).execute(&db).await.expect("a database");
    }
    let action = app.agent().read(&id).await;
    assert_eq!(action["status"], "approved");
    assert!(action.get("receipt").is_none(), "{action}");
}
