//! Messages are changed when they would say something that is not true any more, and not otherwise.

use impri::domain::decision::Verdict;
use impri::server::db::outbox::enqueue_updates;
use serde_json::json;
use sqlx::PgPool;

use super::telegram::Chat;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_card_that_says_so_already_is_left_alone(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let (action, _) = chat.told("Pay Acme", "500 €").await;
    chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
    let mut conn = pool.acquire().await.expect("a database");
    for _ in 0..3 {
        let now = chat.desk.services.clock().now();
        assert_eq!(enqueue_updates(&mut conn, &[action.id], now).await.expect("a database"), 1);
    }
    assert_eq!(chat.desk.send_due().await, 4);
    assert!(chat.last().text.contains("Rejected by Ada"), "{}", chat.last().text);
    assert_eq!(chat.telegram.calls("editMessageText"), 1);
}
