//! Discord: what it refuses, webhooks that only tell, and what the doctor sees.

use impri::domain::decision::Verdict;
use serde_json::json;
use sqlx::PgPool;

use super::discord::Chat;
use super::fake_discord::{CHANNEL, HOOK, TOKEN};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nobody_approves_what_discord_left_out(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    chat.discord.drop_embeds();
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    chat.desk.send_due().await;
    assert_eq!(chat.last().labels(), Vec::<String>::new());
    let (state, reason) = chat.desk.notices(action.id).await.remove(0);
    assert!(state == "dlq" && reason.as_ref().expect("a reason").contains("Embed Links"), "{reason:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_discord_refuses_is_said_with_what_helps(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    for global in [false, true] {
        let limited =
            json!({"message": "You are being rate limited.", "retry_after": 8.75, "global": global});
        chat.discord.refuse("POST", "/messages", 429, limited);
        let action = chat.desk.wish(&format!("Pay {global}"), "500 €").await;
        chat.desk.send_due().await;
        assert_eq!(chat.desk.notices(action.id).await[0].0, "retry");
        chat.desk.advance(8);
        assert_eq!(chat.desk.send_due().await, 0);
        chat.desk.advance(1);
        assert_eq!(chat.desk.send_due().await, 1);
        assert_eq!(chat.desk.seen(chat.channel).await.stored.health.failures, 0, "that is no failure");
    }
    for (status, code, state, help) in [
        (404, 10_003, "dlq", "check the channel's number"),
        (403, 50_001, "dlq", "View Channel"),
        (403, 50_013, "dlq", "Send Messages"),
        (401, 0, "dlq", "does not know the bot token"),
        (400, 50_035, "dlq", "Invalid"),
        (502, 0, "retry", "a failure of its own"),
    ] {
        chat.discord.refuse("POST", "/messages", status, json!({"code": code, "message": "Invalid"}));
        let action = chat.desk.wish(&format!("Pay {code} {status}"), "500 €").await;
        chat.desk.send_due().await;
        let (stands, reason) = chat.desk.notices(action.id).await.remove(0);
        assert!(stands == state && reason.as_ref().expect("a reason").contains(help), "{stands} {reason:?}");
        chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
        chat.desk.send_due().await;
        chat.desk.advance(61);
        chat.desk.send_due().await;
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_that_somebody_deleted_is_no_failure(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    let (action, _) = chat.proposed("Pay Acme", "500 €").await;
    chat.discord.refuse("PATCH", "", 404, json!({"code": 10_008, "message": "Unknown Message"}));
    chat.desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(chat.desk.send_due().await, 1);
    assert_eq!(chat.desk.seen(chat.channel).await.stored.health.error, None);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_webhook_tells_and_is_kept_true(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    chat.desk.change(chat.channel, super::paused()).await;
    let url = format!("{}{HOOK}", chat.discord.url());
    let hook = chat.desk.channel("told", "discord", json!({"url": url})).await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    assert_eq!(message.labels(), Vec::<String>::new());
    let text = message.text();
    assert!(text.contains("500 €") && text.contains("Open: http://127.0.0.1:8484/inbox/act_"), "{text}");
    chat.desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(chat.desk.send_due().await, 1);
    assert!(chat.last().id == message.id && chat.last().text().contains("Approved by Ada through Web"));
    chat.discord.refuse("POST", "s3cr3t", 404, json!({"code": 10_015, "message": "Unknown Webhook"}));
    let tested = chat.desk.services.test_channel(
        chat.desk.project(),
        hook,
        impri::domain::audit::Actor::Operator,
        impri::domain::decision::Channel::cli(),
    );
    let tested = tested.await.expect("a database");
    assert!(
        !tested.ok && tested.answer.contains("make a new one") && !tested.answer.contains("s3cr3t"),
        "{tested:?}"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_doctor_says_what_it_sees(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    let check = async |id| {
        let stored = chat.desk.seen(id).await.stored;
        let platform = impri::server::notify::notice::open(&chat.desk.services, &stored)
            .map_err(|failure| failure.reason)?;
        platform.check().await.map_err(|failure| failure.reason)
    };
    assert_eq!(check(chat.channel).await.as_deref(), Ok("impri sees the channel #approvals"));
    let elsewhere = json!({"approval_mode": true, "bot_token": TOKEN, "channel_id": "5"});
    let elsewhere = chat.desk.channel("elsewhere", "discord", elsewhere).await;
    assert!(check(elsewhere).await.unwrap_err().contains("check the channel's number"));
    let unknown = json!({"approval_mode": true, "bot_token": "wrong", "channel_id": CHANNEL});
    let unknown = chat.desk.channel("unknown", "discord", unknown).await;
    assert!(check(unknown).await.unwrap_err().contains("does not know the bot token"));
    let hook =
        chat.desk.channel("told", "discord", json!({"url": format!("{}{HOOK}", chat.discord.url())})).await;
    assert_eq!(check(hook).await.as_deref(), Ok("the webhook Impri is there"));
}
