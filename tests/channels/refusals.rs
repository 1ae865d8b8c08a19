//! What a platform refuses for good: it is shown, left alone until somebody changes something, and keeps nobody else waiting.

use impri::domain::action::Status;
use impri::domain::channel::UNHEARD;
use impri::domain::ids::ChannelId;
use impri::server::notify::telegram;
use impri::server::service::ChannelChange;
use serde_json::json;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::fake_discord::{ADA, Kick};
use super::fake_ntfy::FakeNtfy;
use super::fake_slack_socket::FakeSocket;
use super::slack_socket::Ear;
use super::{discord, fake_slack, fake_telegram, paused, slack};
use crate::delivery::Desk;
use crate::support::eventually;

/// More refusals than anybody would ask for who was told once.
const MANY: usize = 50;

/// Waits until a channel says that nothing is heard from it, and why.
async fn is_unheard(desk: &Desk, channel: ChannelId, why: &str) {
    let error = async || desk.seen(channel).await.stored.health.error.unwrap_or_default();
    eventually("it is shown", async || error().await.starts_with(UNHEARD)).await;
    assert!(error().await.contains(why), "{}", error().await);
}

/// An administrator pauses a channel and resumes it, a second later each.
async fn touch(desk: &Desk, channel: ChannelId) {
    desk.advance(1);
    desk.change(channel, paused()).await;
    desk.advance(1);
    desk.change(channel, ChannelChange { enabled: Some(true), ..ChannelChange::default() }).await;
}

/// What is proposed still reaches a channel and another one.
async fn others_go_on(desk: &Desk, ntfy: &FakeNtfy, title: &str) {
    desk.wish(title, "500 €").await;
    assert_eq!(desk.send_due().await, 2);
    assert_eq!(ntfy.titles().last().map(String::as_str), Some(title));
}

/// A bot that Discord's gateway turns away, and what it says.
async fn is_turned_away(pool: PgPool, prepare: impl FnOnce(&discord::Chat), why: &str) {
    let chat = discord::Chat::deaf(pool, json!({})).await;
    let ntfy = FakeNtfy::start().await;
    chat.desk.channel("phone", "ntfy", ntfy.config()).await;
    chat.link(ADA).await;
    prepare(&chat);
    let _hears = discord::hear(&chat.desk.services);
    is_unheard(&chat.desk, chat.channel, why).await;
    others_go_on(&chat.desk, &ntfy, "Pay others").await;
    let tries = chat.discord.calls("GET", "/gateway/bot");
    assert_eq!(tries, 1, "it was told once");
    chat.discord.relent();
    touch(&chat.desk, chat.channel).await;
    eventually("it is let in", async || chat.discord.live().0 == 1).await;
    assert_eq!(chat.discord.calls("GET", "/gateway/bot"), 2);
    let seen = chat.desk.seen(chat.channel).await.stored.health;
    assert_eq!(seen.error, None);
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    assert_eq!(chat.desk.send_due().await, 2);
    chat.press(ADA, &chat.last(), "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_discord_bot_whose_token_is_unknown_is_tried_once(pool: PgPool) {
    let prepare = |chat: &discord::Chat| {
        for _ in 0..MANY {
            chat.discord.refuse(
                "GET",
                "/gateway/bot",
                401,
                json!({"message": "401: Unauthorized", "code": 0}),
            );
        }
    };
    is_turned_away(pool, prepare, "does not know the bot token").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_discord_bot_that_may_not_come_in_is_tried_once(pool: PgPool) {
    let prepare = |chat: &discord::Chat| {
        for _ in 0..MANY {
            chat.discord.refuse("GET", "/gateway/bot", 403, json!({"message": "Forbidden", "code": 40_001}));
        }
    };
    is_turned_away(pool, prepare, "Forbidden").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_discord_bot_that_the_gateway_throws_out_for_good_is_tried_once(pool: PgPool) {
    is_turned_away(pool, |chat| chat.discord.kick(Kick::Close(4004)), "does not know the bot token").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_slack_app_whose_token_was_withdrawn_is_tried_once(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let ntfy = FakeNtfy::start().await;
    chat.desk.channel("phone", "ntfy", ntfy.config()).await;
    let socket = FakeSocket::start(&chat.slack).await;
    for _ in 0..MANY {
        chat.slack.refuse("apps.connections.open", "token_revoked");
    }
    let _ear = Ear::start(&chat.desk.services);
    is_unheard(&chat.desk, chat.channel, "does not accept the token").await;
    others_go_on(&chat.desk, &ntfy, "Pay others").await;
    // The server looks every few seconds whether somebody changed something, which gives it time to try again if it did.
    touch(&chat.desk, chat.channel).await;
    eventually("it tries again", async || chat.slack.calls("apps.connections.open") > 1).await;
    assert_eq!((chat.slack.calls("apps.connections.open"), socket.opened()), (2, 0));
    is_unheard(&chat.desk, chat.channel, "does not accept the token").await;
    chat.slack.relent();
    touch(&chat.desk, chat.channel).await;
    eventually("it is let in", async || socket.live() == 1).await;
    assert_eq!(chat.slack.calls("apps.connections.open"), 3);
    eventually("it is shown", async || chat.desk.seen(chat.channel).await.stored.health.error.is_none())
        .await;
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    assert_eq!(chat.desk.send_due().await, 2);
    let press = chat.slack.press(fake_slack::ADA, &chat.slack.last(), "Approve");
    socket.send("interactive", &press);
    eventually("it is decided", async || chat.status(&action).await == Status::Approved).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_telegram_bot_whose_token_was_withdrawn_is_tried_once(pool: PgPool) {
    let chat = super::telegram::Chat::open(pool).await;
    let ntfy = FakeNtfy::start().await;
    chat.desk.channel("phone", "ntfy", ntfy.config()).await;
    // The account was linked by a question of the test's own, which nobody let go.
    let own = chat.desk.services.let_connection_go("telegram:110201543", uuid::Uuid::from_u128(1));
    own.await.expect("a database");
    let before = chat.telegram.calls("getUpdates");
    for _ in 0..MANY {
        chat.telegram.refuse("getUpdates", 401, json!({}), "Unauthorized");
    }
    let stop = CancellationToken::new();
    let (services, token) = (chat.desk.services.clone(), stop.clone());
    let ear = tokio::spawn(async move { telegram::listen::run(&services, &token).await });
    is_unheard(&chat.desk, chat.channel, "bot token").await;
    others_go_on(&chat.desk, &ntfy, "Pay others").await;
    touch(&chat.desk, chat.channel).await;
    eventually("it asks again", async || chat.telegram.calls("getUpdates") > before + 1).await;
    assert_eq!(chat.telegram.calls("getUpdates"), before + 2);
    is_unheard(&chat.desk, chat.channel, "bot token").await;
    chat.telegram.relent();
    touch(&chat.desk, chat.channel).await;
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    assert_eq!(chat.desk.send_due().await, 2);
    chat.telegram.press(fake_telegram::ADA, &chat.last(), "Approve");
    eventually("it is decided", async || chat.status(&action).await == Status::Approved).await;
    stop.cancel();
    crate::delivery::soon(ear).await.expect("an orderly end");
}

/// A channel that a platform refuses a message in for good: it is tried once, other channels hear, and the next message
/// arrives as soon as the platform takes it.
async fn is_told_once(
    desk: &Desk,
    channel: ChannelId,
    refuse: impl FnOnce(),
    calls: impl Fn() -> usize,
    why: &str,
) {
    let ntfy = FakeNtfy::start().await;
    desk.channel("phone", "ntfy", ntfy.config()).await;
    refuse();
    let action = desk.wish("Pay Acme", "500 €").await;
    assert_eq!(desk.send_due().await, 2);
    assert_eq!(ntfy.titles(), ["Pay Acme"]);
    let error = desk.seen(channel).await.stored.health.error.unwrap_or_default();
    assert!(error.contains(why), "{error}");
    desk.advance(24 * 3_600);
    assert_eq!(desk.send_due().await, 0, "that is over");
    assert_eq!(
        (calls(), desk.events(action.id, impri::domain::audit::EventKind::NoticeFailed).await.len()),
        (1, 1)
    );
    desk.wish("Pay others", "500 €").await;
    assert_eq!(desk.send_due().await, 2);
    assert_eq!((calls(), desk.seen(channel).await.stored.health.error), (2, None));
    assert_eq!(ntfy.titles(), ["Pay Acme", "Pay others"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_bot_that_was_kicked_from_discords_channel_is_told_once(pool: PgPool) {
    let chat = discord::Chat::deaf(pool, json!({})).await;
    let refuse = || {
        chat.discord.refuse("POST", "/messages", 403, json!({"code": 50_001, "message": "Missing Access"}));
    };
    let calls = || chat.discord.calls("POST", "/messages");
    is_told_once(&chat.desk, chat.channel, refuse, calls, "View Channel").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_bot_whose_channel_slack_does_not_know_is_told_once(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let refuse = || chat.slack.refuse("chat.postMessage", "channel_not_found");
    let calls = || chat.slack.calls("chat.postMessage");
    is_told_once(&chat.desk, chat.channel, refuse, calls, "the channel is not there").await;
}
