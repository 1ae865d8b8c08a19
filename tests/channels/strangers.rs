//! Whoever presses what is not theirs to press is told so each time, and fills nobody's history.

use impri::domain::action::Status;
use impri::domain::audit::EventKind;
use serde_json::json;
use sqlx::PgPool;

use super::fake_telegram::{ADA, STRANGER};
use super::telegram::Chat;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stranger_who_presses_on_is_told_each_time_and_noted_once_an_hour(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let (other, second) = chat.told("Pay others", "500 €").await;
    let noted = async || chat.desk.events(action.id, EventKind::ChatRefused).await;
    for _ in 0..20 {
        chat.telegram.press(STRANGER, &message, "Approve");
    }
    assert_eq!(chat.hear().await, 20);
    assert_eq!(chat.telegram.calls("answerCallbackQuery"), 20);
    let told = chat.telegram.last_answer();
    assert!(told["text"].as_str().expect("a text").contains("stands for nobody here"), "{told}");
    assert_eq!(noted().await.len(), 1);
    // What is new is noted: another button, another reason, another action.
    let forged = message.data("Reject").replacen('r', "a", 1);
    for _ in 0..3 {
        chat.telegram.press(STRANGER, &message, "Reject");
        chat.telegram.press_data(STRANGER, &message, &forged);
        chat.telegram.press_data(ADA, &message, &forged);
        chat.telegram.press(STRANGER, &second, "Approve");
    }
    assert_eq!(chat.hear().await, 12);
    let events = noted().await;
    let what: Vec<_> = events
        .iter()
        .map(|event| (event["platform_user"].as_str().expect("an account"), event["pressed"].clone()))
        .collect();
    let (stranger, ada) = (STRANGER.to_string(), ADA.to_string());
    assert_eq!(
        what,
        [
            (stranger.as_str(), json!("approve")),
            (stranger.as_str(), json!("reject")),
            (stranger.as_str(), json!("approve")),
            (ada.as_str(), json!("approve")),
        ]
    );
    assert_eq!(events[2]["reason"], "a button that this server did not offer here");
    assert_eq!(chat.desk.events(other.id, EventKind::ChatRefused).await.len(), 1);
    // An hour later it is news again.
    chat.desk.advance(3_599);
    chat.telegram.press(STRANGER, &message, "Approve");
    chat.hear().await;
    assert_eq!(noted().await.len(), 4);
    chat.desk.advance(1);
    for _ in 0..2 {
        chat.telegram.press(STRANGER, &message, "Approve");
    }
    chat.hear().await;
    assert_eq!(noted().await.len(), 5);
    assert_eq!(chat.status(&action).await, Status::Pending);
}
