//! Sending is at least once: a server that died between a platform's answer and the note of it leaves a message that nobody
//! knows of. Both copies tell the truth in the end.

use impri::domain::action::Status;
use impri::domain::audit::EventKind;
use impri::domain::decision::Verdict;
use serde_json::json;
use sqlx::PgPool;

use super::{discord, fake_discord, fake_slack, slack, telegram};
use crate::delivery::Desk;

/// Has what was sent be sent again, as after `kill -9` before it was noted.
async fn forget_that_it_was_sent(desk: &Desk) {
    for sql in [
        "update outbox set state = 'pending', done_at = null where channel = 'notice'",
        "update channel_message set state = 'sending', reference = null, shown = null, sent_at = null",
    ] {
        sqlx::query(sql).execute(desk.services.pool()).await.expect("changed");
    }
    assert_eq!(desk.send_due().await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn slacks_second_copy_is_kept_true_and_the_first_as_soon_as_it_is_pressed(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let (action, first) = chat.told("Pay Acme", "500 €").await;
    forget_that_it_was_sent(&chat.desk).await;
    assert_eq!(chat.slack.messages().len(), 2, "rather twice than never");
    chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
    chat.desk.send_due().await;
    let labels = || chat.slack.messages().iter().map(fake_slack::Message::labels).collect::<Vec<_>>();
    assert_eq!(labels(), [vec!["Approve", "Reject", "Open"], vec!["Open"]], "one is known");
    chat.call(&chat.slack.press(fake_slack::ADA, &first, "Approve")).await;
    assert!(chat.slack.whisper().1.starts_with("Rejected by Ada through Web"));
    assert_eq!(labels(), [["Open"], ["Open"]]);
    assert_eq!(chat.status(&action).await, Status::Rejected);
    assert!(chat.slack.messages().iter().all(|message| message.text().contains("Rejected by Ada")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn slacks_first_copy_decides_and_both_say_so(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let (action, first) = chat.told("Pay Acme", "500 €").await;
    forget_that_it_was_sent(&chat.desk).await;
    chat.call(&chat.slack.press(fake_slack::ADA, &first, "Approve")).await;
    chat.desk.send_due().await;
    for message in chat.slack.messages() {
        assert!(message.text().contains("Approved by Ada") && message.labels() == ["Open"], "{message:?}");
    }
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn telegrams_first_copy_decides_and_both_say_so(pool: PgPool) {
    let chat = telegram::Chat::open(pool).await;
    let (action, first) = chat.told("Pay Acme", "500 €").await;
    forget_that_it_was_sent(&chat.desk).await;
    chat.telegram.press(super::fake_telegram::ADA, &first, "Approve");
    chat.hear().await;
    let edits = chat.telegram.edits();
    assert_eq!(edits, 1, "the one that nobody knows of");
    chat.desk.send_due().await;
    assert_eq!(chat.telegram.edits(), 2);
    for message in chat.telegram.chat(super::fake_telegram::GROUP) {
        assert!(message.text.contains("Approved by Ada") && message.labels().is_empty(), "{message:?}");
    }
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn discords_first_copy_is_made_true_as_soon_as_it_is_pressed_when_all_is_over(pool: PgPool) {
    let (chat, _hears) = discord::Chat::open(pool).await;
    let (action, first) = chat.proposed("Pay Acme", "500 €").await;
    forget_that_it_was_sent(&chat.desk).await;
    assert_eq!(chat.discord.messages().len(), 2);
    let second = chat.last();
    chat.press(fake_discord::ADA, &second, "Approve").await;
    chat.desk.send_due().await;
    let told = chat.press(fake_discord::ADA, &first, "Approve").await;
    assert!(told.text().starts_with("Approved by Ada"), "{told:?}");
    for message in chat.discord.messages() {
        assert!(message.text().contains("Approved by Ada") && message.labels().is_empty(), "{message:?}");
    }
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn discords_first_copy_decides_and_both_say_so(pool: PgPool) {
    let (chat, _hears) = discord::Chat::open(pool).await;
    let (action, first) = chat.proposed("Pay Acme", "500 €").await;
    forget_that_it_was_sent(&chat.desk).await;
    chat.press(fake_discord::ADA, &first, "Approve").await;
    chat.desk.send_due().await;
    for message in chat.discord.messages() {
        assert!(message.text().contains("Approved by Ada") && message.labels().is_empty(), "{message:?}");
    }
    assert_eq!(chat.status(&action).await, Status::Approved);
}
