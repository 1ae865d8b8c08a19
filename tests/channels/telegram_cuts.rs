//! Connections to Telegram that are cut in the middle: nothing is lost, nothing is decided twice, and a message comes again
//! only where nobody can know that it arrived.

use impri::domain::action::Status;
use impri::domain::audit::EventKind;
use impri::domain::channel::UNHEARD;
use impri::domain::decision::Verdict;
use serde_json::json;
use sqlx::PgPool;

use super::fake_telegram::{ADA, GROUP};
use super::fake_telegram_line::Cut;
use super::telegram::Chat;

const CUTS: [Cut; 2] = [Cut::Before, Cut::After];

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn news_that_were_cut_off_are_heard_the_next_time(pool: PgPool) {
    let chat = Chat::open(pool).await;
    for cut in CUTS {
        let (action, message) = chat.told(&format!("Pay {cut:?}"), "500 €").await;
        chat.telegram.press(ADA, &message, "Approve");
        chat.telegram.cut("getUpdates", cut);
        assert_eq!(chat.hear().await, 0);
        assert_eq!(chat.status(&action).await, Status::Pending);
        let error = chat.desk.seen(chat.channel).await.stored.health.error.expect("it is shown");
        assert!(error.starts_with(UNHEARD), "{error}");
        assert_eq!((chat.hear().await, chat.hear().await), (1, 0));
        assert_eq!(chat.status(&action).await, Status::Approved);
        assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
        assert_eq!(chat.desk.seen(chat.channel).await.stored.health.error, None);
        chat.desk.send_due().await;
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_taken_twice_decides_once(pool: PgPool) {
    let chat = Chat::open(pool).await;
    for cut in CUTS {
        let (action, message) = chat.told(&format!("Pay {cut:?}"), "500 €").await;
        chat.telegram.press(ADA, &message, "Approve");
        // The answer to the press gets lost, and the server dies before it notes that it took the press.
        chat.telegram.cut("answerCallbackQuery", cut);
        assert_eq!(chat.hear().await, 1);
        sqlx::query("update connection_lease set cursor = cursor - 1")
            .execute(chat.desk.services.pool())
            .await
            .expect("a database");
        assert_eq!((chat.hear().await, chat.hear().await), (1, 0));
        let answer = chat.telegram.last_answer();
        assert!(answer["text"].as_str().expect("a text").starts_with("Approved by Ada"), "{answer}");
        assert_eq!(chat.status(&action).await, Status::Approved);
        assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
        chat.desk.send_due().await;
        assert_eq!(chat.last().labels(), Vec::<String>::new());
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_that_nobody_knows_to_have_arrived_comes_once_more(pool: PgPool) {
    let chat = Chat::open(pool).await;
    for (cut, copies) in [(Cut::Before, 1), (Cut::After, 2)] {
        let before = chat.telegram.chat(GROUP).len();
        chat.telegram.cut("sendMessage", cut);
        let action = chat.desk.wish(&format!("Pay {cut:?}"), "500 €").await;
        assert_eq!(chat.desk.send_due().await, 1);
        assert_eq!(chat.desk.notices(action.id).await[0].0, "retry");
        chat.desk.advance(4);
        assert_eq!(chat.desk.send_due().await, 0);
        chat.desk.advance(1);
        assert_eq!(chat.desk.send_due().await, 1);
        chat.desk.advance(24 * 3_600);
        assert_eq!(chat.desk.send_due().await, 0, "it arrived");
        let messages = chat.telegram.chat(GROUP).split_off(before);
        assert_eq!(messages.len(), copies, "{cut:?}");
        // Whichever copy is pressed decides, and no copy goes on to offer what is over.
        let pressed = &messages[0];
        chat.telegram.press(ADA, pressed, "Approve");
        chat.hear().await;
        chat.desk.send_due().await;
        assert_eq!(chat.status(&action).await, Status::Approved);
        for message in chat.telegram.chat(GROUP).split_off(before) {
            assert!(message.text.contains("Approved by Ada") && message.labels().is_empty(), "{message:?}");
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn where_every_answer_is_lost_there_are_as_many_copies_as_tries(pool: PgPool) {
    let chat = Chat::open(pool).await;
    for _ in 0..20 {
        chat.telegram.cut("sendMessage", Cut::After);
    }
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    assert_eq!(chat.desk.send_due().await, 1);
    for pause in [5, 30, 120, 600, 3_600] {
        chat.desk.advance(pause - 1);
        assert_eq!(chat.desk.send_due().await, 0, "not before {pause} s");
        chat.desk.advance(1);
        assert_eq!(chat.desk.send_due().await, 1);
    }
    chat.desk.advance(24 * 3_600);
    assert_eq!(chat.desk.send_due().await, 0);
    assert_eq!(chat.desk.notices(action.id).await[0].0, "dlq");
    assert_eq!(chat.telegram.chat(GROUP).len(), 6);
    assert_eq!(chat.desk.events(action.id, EventKind::NoticeFailed).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_change_that_was_cut_off_is_made_once(pool: PgPool) {
    let chat = Chat::open(pool).await;
    for cut in CUTS {
        let (action, message) = chat.told(&format!("Pay {cut:?}"), "500 €").await;
        let edits = chat.telegram.edits();
        chat.telegram.cut("editMessageText", cut);
        chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
        assert_eq!(chat.desk.send_due().await, 1);
        chat.desk.advance(5);
        assert_eq!(chat.desk.send_due().await, 1);
        chat.desk.advance(24 * 3_600);
        assert_eq!(chat.desk.send_due().await, 0, "it says so");
        let now = chat.last();
        assert_eq!((now.id, now.labels(), chat.telegram.edits()), (message.id, vec![], edits + 1));
        assert!(now.text.contains("Rejected by Ada through Web"), "{}", now.text);
        assert_eq!(chat.desk.seen(chat.channel).await.stored.health.error, None);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_question_that_was_cut_off_rejects_nothing_and_is_asked_again(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(ADA, &message, "Reject");
    chat.telegram.cut("sendMessage", Cut::After);
    chat.hear().await;
    let lost = chat.last();
    assert!(lost.text.contains("why do you reject"), "{}", lost.text);
    chat.telegram.reply(ADA, &lost, "Because.");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Pending, "nobody knows what was asked there");
    chat.telegram.press(ADA, &message, "Reject");
    chat.hear().await;
    chat.telegram.reply(ADA, &chat.last(), "Because.");
    // The answer to the reason gets lost, too.
    chat.telegram.cut("editMessageText", Cut::After);
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Rejected);
    assert_eq!(chat.desk.events(action.id, EventKind::ActionRejected).await.len(), 1);
}
