//! Slack: what a message can't hold, what Slack refuses, messages through an incoming webhook, and the doctor.

use impri::domain::decision::Verdict;
use impri::domain::proposal::RawProposal;
use impri::server::notify::notice;
use impri::server::service::NewChannel;
use serde_json::json;
use sqlx::PgPool;

use super::fake_slack::CHANNEL;
use super::slack::Chat;
use super::wish;

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_has_no_room_or_needs_a_second_look_has_no_approve(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (_, message) = chat.told("Long", &"word ".repeat(4_000)).await;
    assert_eq!(message.labels(), ["Reject", "Open"]);
    assert!(message.text().contains("more characters of the preview"), "{}", message.text());
    chat.desk.wants(RawProposal { idempotent: Some(false), ..wish("Pay", "5 EUR") }).await;
    chat.desk.send_due().await;
    assert_eq!(chat.slack.last().labels(), ["Reject", "Open"]);
    // Slack may have room for less than is known.
    chat.slack.refuse("chat.postMessage", "msg_blocks_too_long");
    let (_, message) = chat.told("Rather long", &"word ".repeat(1_000)).await;
    assert_eq!(message.labels(), ["Reject", "Open"]);
    assert!(message.text().contains("more characters of the preview"), "{}", message.text());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_slack_refuses_is_said_with_what_helps(pool: PgPool) {
    let chat = Chat::open(pool).await;
    chat.slack.refuse("chat.postMessage", "ratelimited");
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    chat.desk.send_due().await;
    assert_eq!(chat.desk.notices(action.id).await[0].0, "retry");
    chat.desk.advance(8);
    assert_eq!(chat.desk.send_due().await, 0);
    chat.desk.advance(1);
    assert_eq!(chat.desk.send_due().await, 1);
    assert!(chat.slack.last().text().contains("Pay Acme"));
    chat.slack.refuse("chat.postMessage", "not_in_channel");
    let action = chat.desk.wish("Pay others", "500 €").await;
    chat.desk.send_due().await;
    let said = chat.desk.notices(action.id).await;
    assert!(
        said[0].0 == "dlq" && said[0].1.as_deref().is_some_and(|text| text.contains("/invite @")),
        "{said:?}"
    );

    let (action, message) = chat.told("Pay more", "500 €").await;
    chat.slack.refuse("chat.update", "message_not_found");
    chat.desk.decide(action.id, Verdict::Approve, json!({})).await;
    chat.desk.send_due().await;
    assert_eq!(chat.desk.notices(action.id).await.last().expect("one").0, "delivered", "{}", message.ts);
    assert_eq!(chat.slack.edits(), 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_incoming_webhook_takes_messages_that_nobody_presses(pool: PgPool) {
    let chat = Chat::unlinked(pool, json!({})).await;
    let url = format!("{}/services/T0-B0-x", chat.slack.url());
    chat.desk.channel_with("quiet", "slack", json!({"url": url}), NewChannel::default()).await;
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    assert_eq!(chat.desk.send_due().await, 2);
    let hooked = chat.slack.hooked();
    assert_eq!(hooked.len(), 1);
    let all = hooked[0]["blocks"].to_string();
    assert!(all.contains("500 €") && all.contains("/inbox/act_") && !all.contains("actions"), "{all}");
    chat.desk.decide(action.id, Verdict::Approve, json!({})).await;
    chat.desk.send_due().await;
    assert_eq!((chat.slack.hooked().len(), chat.slack.edits()), (1, 1), "what was sent stays as it is");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_doctor_says_what_is_wrong_without_a_message(pool: PgPool) {
    let chat = Chat::unlinked(pool, json!({})).await;
    let gone = format!("{}/services/gone", chat.slack.url());
    let here = gone.replace("gone", "T0-B0-x");
    let bad = json!({"bot_token": "xoxb-wrong", "channel_id": CHANNEL});
    for (name, config) in [("gone", json!({"url": gone})), ("here", json!({"url": here})), ("bad", bad)] {
        chat.desk.channel(name, "slack", config).await;
    }
    let check = async |name: &str| {
        let all = chat.desk.services.list_channels(chat.desk.project()).await.expect("channels");
        let stored = all.into_iter().find(|one| one.stored.name == name).expect("a channel").stored;
        match notice::open(&chat.desk.services, &stored).expect("a platform").check().await {
            Ok(found) => found,
            Err(failure) => failure.reason,
        }
    };
    chat.slack.lock().socket = Some("127.0.0.1:1".parse().expect("an address"));
    assert_eq!(check("ops").await, "@impri in Acme sees the channel ops, and can listen by Socket Mode");
    chat.slack.refuse("conversations.info", "missing_scope");
    assert!(check("ops").await.contains("without the scopes channels:read"));
    chat.slack.refuse("conversations.info", "channel_not_found");
    assert!(check("ops").await.contains("check its ID"));
    chat.slack.lock().socket = None;
    assert!(check("ops").await.starts_with("Socket Mode does not work"));
    assert_eq!(check("here").await, "the webhook takes messages");
    assert!(check("gone").await.contains("make a new one (no_service)"));
    assert!(check("bad").await.contains("does not accept the token"));
    assert_eq!((chat.slack.messages().len(), chat.slack.hooked().len()), (0, 0));
}
