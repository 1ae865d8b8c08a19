//! Telegram: whose account is whose, who hears, and chats that only read.

use impri::domain::action::Status;
use impri::domain::decision::Verdict;
use impri::server::notify::telegram::listen;
use impri::server::service::NewChannel;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::fake_telegram::{ADA, GROUP, STRANGER, TOKEN};
use super::telegram::Chat;
use super::wish;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_code_links_once_and_both_sides_see_it(pool: PgPool) {
    let chat = Chat::unlinked(pool, json!({})).await;
    let code = chat.code().await;
    chat.telegram.whisper(STRANGER, "/link ABCDE-FGHJK");
    chat.telegram.whisper(ADA, &format!("/start {}", code.to_lowercase()));
    chat.telegram.whisper(STRANGER, &code);
    assert_eq!(chat.hear().await, 3);
    let said = chat.telegram.chat(ADA);
    assert!(said[0].text.contains("@ada_l stands for Ada (ada@example.org)"), "{}", said[0].text);
    assert!(chat.telegram.chat(STRANGER).iter().all(|message| message.text.contains("Nothing was linked")));
    let people = chat.desk.services.list_people(chat.desk.project()).await.expect("people");
    let accounts = chat.desk.services.chat_accounts(&people[0]).await.expect("accounts");
    assert_eq!((accounts.len(), accounts[0].name.as_str()), (1, "@ada_l"));
    let old = chat.code().await;
    chat.desk.advance(601);
    chat.telegram.whisper(STRANGER, &old);
    chat.hear().await;
    assert!(chat.telegram.chat(STRANGER).last().expect("an answer").text.contains("Nothing was linked"));
    let user = &accounts[0].user;
    chat.desk.services.unlink_chat(&people[0], "telegram", user).await.expect("unlinked");
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(ADA, &message, "Approve");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Pending);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_hears_and_another_goes_on_where_it_died(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(ADA, &message, "Approve");
    let other = Uuid::from_u128(2);
    assert_eq!(listen::catch_up(&chat.desk.services, other).await.expect("a database"), 0, "it is held");
    chat.desk.advance(29);
    assert_eq!(listen::catch_up(&chat.desk.services, other).await.expect("a database"), 1);
    assert_eq!(chat.status(&action).await, Status::Approved);
    assert_eq!(chat.hear().await, 0, "and the first one has to wait now");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_approval_mode_there_is_nothing_to_press(pool: PgPool) {
    let chat = Chat::unlinked(pool, json!({})).await;
    let config = json!({"bot_token": TOKEN, "chat_id": GROUP});
    chat.desk
        .services
        .delete_channel(
            chat.desk.project(),
            chat.channel,
            impri::domain::audit::Actor::Operator,
            impri::domain::decision::Channel::cli(),
        )
        .await
        .expect("deleted");
    chat.desk.channel_with("quiet", "telegram", config, NewChannel::default()).await;
    let action = chat.desk.wants(wish("Pay Acme", "500 €")).await;
    assert_eq!(chat.desk.send_due().await, 1);
    assert_eq!(chat.last().labels(), Vec::<String>::new());
    chat.desk.decide(action.id, Verdict::Approve, json!({})).await;
    chat.desk.send_due().await;
    assert!(chat.last().text.contains("Approved by Ada through Web"), "it is kept true all the same");
}
