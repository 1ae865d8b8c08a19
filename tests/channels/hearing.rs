//! Whether people can be heard from a channel is seen where its failures are.

use impri::domain::channel::{ChannelKind, UNHEARD};
use serde_json::json;
use sqlx::PgPool;

use super::telegram::Chat;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_bot_that_hears_nothing_is_shown_until_it_hears_again(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let error = async || chat.desk.seen(chat.channel).await.stored.health.error;
    assert_eq!(error().await, None);
    for _ in 0..2 {
        chat.telegram.refuse("getUpdates", 401, json!({}), "Unauthorized");
        chat.hear().await;
    }
    let seen = chat.desk.seen(chat.channel).await.stored.health;
    let said = seen.error.expect("trouble");
    assert!(said.starts_with(UNHEARD) && said.contains("bot token"), "{said}");
    assert_eq!(seen.failures, 1, "each news once");
    // What arrives there says nothing of whether anybody is heard.
    chat.told("Pay Acme", "500 €").await;
    assert!(error().await.is_some_and(|error| error.starts_with(UNHEARD)));
    chat.hear().await;
    assert_eq!(error().await, None);
    // What it could not send is not forgotten because it hears.
    chat.telegram.refuse("sendMessage", 403, json!({}), "Forbidden: bot was kicked from the supergroup chat");
    chat.desk.wish("Pay others", "500 €").await;
    chat.desk.send_due().await;
    chat.hear().await;
    assert!(error().await.is_some_and(|error| error.contains("kicked")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_hears_again_forgets_nothing_that_could_not_be_sent_meanwhile(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let health = async || chat.desk.seen(chat.channel).await.stored.health;
    let read =
        async || chat.desk.services.deciding_channels(ChannelKind::Telegram).await.expect("a database");
    let unheard = read().await;
    chat.desk.services.note_hearing(&unheard, Some("no connection")).await;
    let unheard = read().await;
    assert!(health().await.error.is_some_and(|error| error.starts_with(UNHEARD)));
    // A question to Telegram takes its time, and what is known of the channel was read before it.
    chat.telegram.refuse("sendMessage", 403, json!({}), "Forbidden: bot was kicked from the supergroup chat");
    chat.desk.wish("Pay others", "500 €").await;
    chat.desk.send_due().await;
    for trouble in [None, Some("no connection"), None] {
        chat.desk.services.note_hearing(&unheard, trouble).await;
        chat.desk.services.note_hearing(&read().await, trouble).await;
        let now = health().await;
        assert_eq!(now.error.as_deref(), Some("bot was kicked from the supergroup chat"), "{trouble:?}");
        assert_eq!(now.failures, 2);
    }
    chat.told("Pay Acme", "500 €").await;
    assert_eq!(health().await.error, None);
}
