//! The key that sealed the secrets is not there: what takes one waits or is refused with a sentence that names the way
//! out, nothing is approved and nothing is lost, and everything else goes on.

use impri::domain::decision::Verdict;
use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use super::{OTHER_KEY, Secrets, vault};
use crate::api_keys::impri;
use crate::channels::desk;
use crate::delivery::{OK, Receiver};
use crate::support::{Api, TestApp, api::mail};

async fn kids(app: &TestApp) -> Vec<String> {
    let set = app.without_key().get("/.well-known/jwks.json").await.expect(200);
    let keys = set["keys"].as_array().expect("keys").iter();
    keys.map(|key| key["kid"].as_str().expect("a kid").to_owned()).collect()
}

async fn decision(decider: &Api, id: &str, verdict: &str) -> crate::support::Answer {
    decider.decide(id, &json!({"decision": verdict})).await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_the_key_that_signs_nothing_is_decided_until_another_one_is_made(db: PgPool) {
    let before = TestApp::start(&db).await;
    let first = before.agent().proposed(&mail()).await;
    before.decider().approve(&first).await;
    let published = kids(&before).await;
    Secrets::of(&db).await.lose(&db).await;

    // A server that starts now.
    let app = before.beside();
    let (agent, admin) = (app.agent(), app.program(&[Scope::Admin]).await);
    assert_eq!(kids(&app).await, published, "what was signed goes on to verify, and no other key was made");
    assert!(agent.read(&first).await["receipt"].is_string());
    let id = agent.proposed(&crate::support::api::mail_with(json!({"title": "Second"}))).await;
    for verdict in ["approve", "reject"] {
        let refused = decision(&app.decider(), &id, verdict).await;
        let message = refused.refusal(503);
        for part in ["the key that signs receipts", "nothing was decided", "impri secrets status"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
    let page = app.ada().await.submit_decide_form(&id, "approve", &[]).await;
    assert!(page.location().contains("refused=secret-lost"), "{}", page.location());
    assert_eq!(agent.read(&id).await["status"], "pending");
    assert_eq!(app.count("select count(*) from decision").await, 1);

    // The history goes on; its chain is sealed and waits for a signature.
    let signed = "select coalesce(max(seq), 0) from audit_checkpoint";
    app.on_server(|services| async move { services.seal_all().await.expect("sealed") }).await;
    assert!(app.count("select count(*) from audit_seal").await > 0);
    assert_eq!(app.count(signed).await, 0);

    // The project's settings are there, and its secret is not.
    assert!(admin.get("/v1/project").await.refusal(503).contains("signs callbacks"));
    admin.patch("/v1/project", &json!({"name": "Still ours"})).await.expect(200);

    // The operator is told what to do, and that the ordinary rotation is not it.
    let (code, said, errors) = impri(&db, &["secrets", "status"]);
    assert_eq!(code, Some(1), "{said}{errors}");
    for part in
        ["impri receipts rotate-key --lost", "impri project rotate-webhook-secret --lost", "IMPRI_SECRET_KEY"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    for command in [&["receipts", "rotate-key"][..], &["project", "rotate-webhook-secret"]] {
        let (code, said, errors) = impri(&db, command);
        assert!(code == Some(1) && errors.contains("--lost"), "{said}{errors}");
    }
    let (code, jwks, errors) = impri(&db, &["receipts", "jwks"]);
    assert!(code == Some(0) && jwks.contains(&published[0]), "{jwks}{errors}");
    assert_eq!(kids(&app).await, published, "nothing was changed");
    let (code, said, errors) = impri(&db, &["receipts", "rotate-key", "--lost"]);
    assert_eq!(code, Some(0), "{said}{errors}");
    let (code, secret, errors) = impri(&db, &["project", "rotate-webhook-secret", "--lost"]);
    assert_eq!(code, Some(0), "{secret}{errors}");
    assert_eq!(impri(&db, &["secrets", "status"]).0, Some(0));

    decision(&app.decider(), &id, "approve").await.expect(200);
    assert_eq!(agent.read(&id).await["status"], "approved");
    let now = kids(&app).await;
    assert!(now.len() == 2 && now.contains(&published[0]), "{now:?}");
    assert_eq!(admin.get("/v1/project").await.expect(200)["webhook_secret"], secret.trim_end());
    app.on_server(|services| async move { services.seal_all().await.expect("sealed") }).await;
    assert_eq!(app.count(signed).await, app.count("select count(*) from audit_seal").await);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_that_is_put_back_is_found_without_a_restart(db: PgPool) {
    use crate::managed_postgres::support::TempDir;
    use impri::server::secrets::Vault;
    use std::fs;

    let dir = TempDir::new();
    let path = dir.join("secret.key");
    let mut desk = crate::delivery::Desk::open_with(db, Vault::from_file(&path).expect("a file")).await;
    desk.services.receipt_keys().await.expect("a key");
    let keys = fs::read_to_string(&path).expect("a file");
    fs::remove_file(&path).expect("it was there");
    // The next start makes a file, and nothing else of its own.
    let services = &desk.services;
    desk.services = impri::server::service::Services::new(
        services.pool().clone(),
        services.clock().clone(),
        services.public_url(),
    )
    .with_vault(Vault::from_file(&path).expect("a new file"));
    assert!(desk.services.receipt_keys().await.expect("public keys").signing().is_err());
    assert_eq!(desk.services.secrets_state().await.expect("a database").lost.len(), 2);
    let mut both = fs::read_to_string(&path).expect("a file");
    both.push_str(&keys);
    fs::write(&path, both).expect("written");
    let action = desk.propose("https://hooks.example/").await;
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(desk.services.webhook_secret(desk.project()).await.expect("opened"), desk.secret);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn callbacks_wait_for_what_signs_them_however_long(db: PgPool) {
    let mut desk = desk(db.clone()).await;
    let receiver = Receiver::start(&[OK]).await;
    let action = desk.propose(&receiver.url("/")).await;
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    let good = desk.services.clone();
    desk.services = good.clone().with_vault(vault(OTHER_KEY));
    // Days, and more attempts than a receiver that fails would get.
    for _ in 0..12 {
        assert_eq!(desk.send_due().await, 1);
        desk.advance(36_000);
    }
    assert_eq!(receiver.rest().await.len(), 0, "nothing unsigned, and nothing signed with anything else");
    let viewed = desk.services.action(desk.project(), action.id).await.expect("an action");
    let delivery = viewed.delivery.expect("a delivery");
    assert_eq!(delivery.state, "retry");
    let said = delivery.last_error.expect("a reason");
    assert!(said.contains("signs callbacks") && said.contains("impri secrets status"), "{said}");
    let given_up: i64 = sqlx::query_scalar("select count(*) from audit_event where kind like 'delivery.%'")
        .fetch_one(&db)
        .await
        .expect("a number");
    assert_eq!(given_up, 0);

    desk.services = good;
    assert_eq!(desk.send_due().await, 1);
    receiver.next().await.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
}
