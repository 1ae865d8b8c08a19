//! Telegram: the question for a reason gets through whatever the title is, and whoever is not asked knows it.

use impri::domain::action::Status;
use serde_json::json;
use sqlx::PgPool;

use super::fake_telegram::ADA;
use super::telegram::Chat;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_title_of_hidden_characters_keeps_nobody_from_rejecting(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told(&format!("Pay{}", "\u{200b}".repeat(497)), "500 €").await;
    chat.telegram.press(ADA, &message, "Reject");
    chat.hear().await;
    let question = chat.last();
    assert!(question.text.contains("why do you reject Pay⟨U+200B⟩⟨U+200B⟩"), "{}", question.text);
    assert!(question.text.chars().count() < 400, "{}", question.text);
    assert_eq!(chat.telegram.last_answer()["show_alert"], false);
    chat.telegram.reply(ADA, &question, "Nothing is to be seen.");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Rejected);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_could_not_be_asked_is_told_so(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.refuse(
        "sendMessage",
        400,
        json!({}),
        "Bad Request: not enough rights to send text messages",
    );
    chat.telegram.press(ADA, &message, "Reject");
    chat.hear().await;
    let answer = chat.telegram.last_answer();
    let said = answer["text"].as_str().expect("a text");
    assert!(said.starts_with("You could not be asked") && answer["show_alert"] == true, "{answer}");
    assert_eq!(chat.status(&action).await, Status::Pending);
    chat.telegram.press(ADA, &message, "Reject");
    chat.hear().await;
    assert!(chat.last().text.contains("why do you reject Pay Acme?"));
    assert_eq!(chat.telegram.last_answer()["text"], "Reply with the reason.");
}
