//! Discord's gateway: connections that end in every way that they can, and servers that die.

use impri::domain::action::Status;
use impri::server::notify::discord::listen;
use serde_json::json;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::discord::{Chat, hear};
use super::fake_discord::{ADA, Kick};
use crate::delivery::soon;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_dropped_connection_is_resumed_and_nothing_is_lost(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    let mut expected = vec!["identify"];
    for kick in [Kick::Drop, Kick::Reconnect, Kick::Close(4000), Kick::Drop] {
        let (action, message) = chat.proposed(&format!("Pay {}", expected.len()), "500 €").await;
        chat.discord.kick(kick);
        expected.push("resume");
        // Pressed while nobody may have been there.
        let answer = chat.press(ADA, &message, "Approve").await;
        assert!(answer.text().starts_with("Approved by Ada"), "{answer:?}");
        assert_eq!(chat.status(&action).await, Status::Approved);
        assert_eq!(chat.discord.entries(expected.len()).await, expected);
        assert_eq!(chat.desk.send_due().await, 1, "the message is changed");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_session_that_is_over_begins_anew(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    for (kick, count) in [(Kick::Invalid, 2), (Kick::Close(4009), 3)] {
        chat.discord.kick(kick);
        assert_eq!(chat.discord.entries(count).await, vec!["identify"; count]);
    }
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    chat.press(ADA, &message, "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_connection_that_answers_no_heartbeat_is_left(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    chat.discord.set_heart(50, true);
    let _hears = chat.hear().await;
    assert_eq!(chat.discord.entries(2).await, ["identify", "resume"]);
    chat.discord.set_heart(50, false);
    chat.discord.until_beaten(8).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_hears_and_another_goes_on_when_it_is_gone(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    chat.link(ADA).await;
    let stop = CancellationToken::new();
    let (services, token) = (chat.desk.services.clone(), stop.clone());
    let first = tokio::spawn(async move { listen::run(&services, &token).await });
    chat.discord.entries(1).await;
    let name = name(&chat).await;
    let held = chat.desk.services.hold_connection(&name, uuid::Uuid::nil(), time::Duration::SECOND);
    assert_eq!(held.await.expect("a database"), None, "somebody has it");
    stop.cancel();
    soon(first).await.expect("an orderly end");
    let _second = hear(&chat.desk.services);
    chat.discord.entries(2).await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    chat.press(ADA, &message, "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    // Of one that died nobody hears; what it held is free within half a minute.
    let until: time::OffsetDateTime = sqlx::query_scalar("select held_until from connection_lease")
        .fetch_one(chat.desk.services.pool())
        .await
        .expect("one");
    assert!(until - chat.desk.services.clock().now() <= time::Duration::seconds(25));
}

/// What the connection of the one bot is called.
async fn name(chat: &Chat) -> String {
    sqlx::query_scalar("select name from connection_lease")
        .fetch_one(chat.desk.services.pool())
        .await
        .expect("one")
}
