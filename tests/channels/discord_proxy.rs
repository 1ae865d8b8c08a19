//! A proxy between this server and Discord that fails for a while.

use impri::domain::action::Status;
use serde_json::json;
use sqlx::PgPool;

use super::discord::Chat;
use super::fake_discord::ADA;

/// What a proxy answers in Discord's place says nothing about the bot.
async fn is_asked_again_after(status: u16, pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    chat.link(ADA).await;
    chat.discord.refuse("GET", "/gateway/bot", status, json!("no such page"));
    let _hears = chat.hear().await;
    assert_eq!(chat.discord.calls("GET", "/gateway/bot"), 2);
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    chat.press(ADA, &message, "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_gateway_that_a_proxy_can_not_reach_is_asked_for_again(pool: PgPool) {
    is_asked_again_after(502, pool).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_gateway_that_a_proxy_does_not_know_is_asked_for_again(pool: PgPool) {
    is_asked_again_after(404, pool).await;
}
