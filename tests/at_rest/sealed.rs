//! Where the secrets lie, and what becomes of those that earlier versions left in the clear.

use impri::domain::decision::Verdict;
use impri::server::secrets::Vault;
use impri::server::service::Services;
use serde_json::json;
use sqlx::PgPool;

use super::{OTHER_KEY, Secrets, in_the_clear, vault};
use crate::channels::desk;
use crate::delivery::{Desk, OK, Receiver};
use crate::support::VAULT_KEY;

/// A desk whose database holds every sort of secret.
async fn furnished(pool: PgPool) -> (Desk, Secrets) {
    let desk = desk(pool).await;
    let hook = json!({"url": "http://127.0.0.1:9/impri", "hmac_secret": "a secret of sixteen"});
    desk.channel("hook", "webhook", hook).await;
    desk.services.push_key().await.expect("a database").expect("a key");
    desk.services.receipt_keys().await.expect("a key");
    let secrets = Secrets::of(desk.services.pool()).await;
    (desk, secrets)
}

/// Another server on the same database, which has read nothing yet.
fn server(desk: &Desk, vault: Vault) -> Services {
    let services = &desk.services;
    Services::new(services.pool().clone(), services.clock().clone(), services.public_url()).with_vault(vault)
}

/// The same people before that server.
fn with(desk: &Desk, vault: Vault) -> Desk {
    let (services, secret) = (server(desk, vault), desk.secret.clone());
    Desk { services, agent: desk.agent.clone(), person: desk.person.clone(), secret }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_database_holds_no_secret_in_any_spelling(pool: PgPool) {
    let (desk, secrets) = furnished(pool.clone()).await;
    let receiver = Receiver::start(&[OK]).await;
    let action = desk.propose(&receiver.url("/")).await;
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert!(desk.send_due().await >= 2, "the callback and the channel's message");
    assert_eq!(secrets.found_in(&pool).await, Vec::<String>::new());
    assert_eq!(secrets.webhook, desk.secret);
    // The search finds what is there.
    secrets.leave_in_the_clear(&pool).await;
    assert_eq!(secrets.found_in(&pool).await, [desk.secret.clone(), hex::encode(&secrets.seed)]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_left_in_the_clear_is_of_use_until_the_first_of_several_servers_seals_it(pool: PgPool) {
    let (desk, secrets) = furnished(pool.clone()).await;
    secrets.leave_in_the_clear(&pool).await;
    let receiver = Receiver::start(&[OK, OK]).await;
    let old = with(&desk, Vault::closed("nobody made a key"));
    assert_eq!(old.services.seal_clear_secrets().await.expect("a database"), 0, "nothing to seal with");
    assert_eq!(old.services.secrets_state().await.expect("a database").clear, 2);
    let action = old.propose(&receiver.url("/")).await;
    old.decide(action.id, Verdict::Approve, json!({})).await;
    assert!(old.send_due().await >= 1);
    let now = desk.services.clock().now().unix_timestamp();
    receiver.next().await.assert_genuine(&desk.secret, now);

    let servers = [(); 3].map(|()| server(&desk, vault(VAULT_KEY)));
    let (one, two, three) = tokio::join!(
        servers[0].seal_clear_secrets(),
        servers[1].seal_clear_secrets(),
        servers[2].seal_clear_secrets()
    );
    let sealed = [one, two, three].map(|sealed| sealed.expect("a database"));
    assert_eq!(sealed.iter().sum::<usize>(), 2, "each by one of them: {sealed:?}");
    assert_eq!(in_the_clear(&pool).await, 0);
    assert_eq!(secrets.found_in(&pool).await, Vec::<String>::new());
    let again = Secrets::of(&pool).await;
    assert!(again.webhook == secrets.webhook && again.seed == secrets.seed, "they are what they were");
    let state = servers[1].secrets_state().await.expect("a database");
    assert_eq!((state.current, state.older, state.clear, state.lost.len()), (4, 0, 0, 0));

    let new = with(&desk, vault(VAULT_KEY));
    let action = new.propose(&receiver.url("/")).await;
    new.decide(action.id, Verdict::Approve, json!({})).await;
    assert!(new.send_due().await >= 1);
    receiver.next().await.assert_genuine(&desk.secret, now);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rotation_seals_what_lies_in_the_clear_and_moves_the_rest(pool: PgPool) {
    use impri::domain::audit::Actor;
    use impri::domain::decision::Channel;

    let (desk, secrets) = furnished(pool.clone()).await;
    secrets.leave_in_the_clear(&pool).await;
    let both = server(&desk, vault(&format!("{OTHER_KEY},{VAULT_KEY}")));
    let moved = both.reseal_secrets(desk.project(), Actor::Operator, Channel::cli()).await;
    assert_eq!(moved.expect("sealed anew"), 4);
    assert_eq!(in_the_clear(&pool).await, 0);
    for (key, counts) in [(OTHER_KEY, (4, 0)), (VAULT_KEY, (0, 4))] {
        let state = server(&desk, vault(key)).secrets_state().await.expect("a database");
        assert_eq!((state.current, state.lost.len()), counts, "{key}");
    }
    let new = server(&desk, vault(OTHER_KEY));
    assert_eq!(new.webhook_secret(desk.project()).await.expect("opened"), desk.secret);
    assert!(new.receipt_keys().await.expect("keys").signing().is_ok());
}

/// Whoever can write the database can't have one secret do the work of another.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_moved_to_another_row_is_not_opened(pool: PgPool) {
    let (desk, secrets) = furnished(pool.clone()).await;
    let sealed: String = sqlx::query_scalar("select sealed_key from receipt_key")
        .fetch_one(&pool)
        .await
        .expect("a sealed text");
    sqlx::query("update project set sealed_webhook_secret = $1")
        .bind(&sealed)
        .execute(&pool)
        .await
        .expect("a row");
    let fresh = server(&desk, vault(VAULT_KEY));
    let refused = fresh.webhook_secret(desk.project()).await.expect_err("it belongs elsewhere");
    assert!(refused.to_string().contains("sealed for another place"), "{refused}");
    let other = impri::server::receipts::SigningKey::generate().0;
    sqlx::query("update receipt_key set kid = $1, public_key = $2")
        .bind(other.public().kid())
        .bind(other.public().as_bytes().as_slice())
        .execute(&pool)
        .await
        .expect("a row");
    let keys = server(&desk, vault(VAULT_KEY)).receipt_keys().await.expect("the public part");
    assert!(keys.signing().is_err(), "and {} is not signed for", secrets.webhook.len());
}
