//! When very much is pressed: each platform has a limit of its own, and whoever is over it hears that it did not work.

use axum::http::StatusCode;
use impri::domain::action::Status;
use impri::domain::channel::ChannelKind;
use impri::server::notify::WORK_MAX;
use impri::server::notify::telegram::listen;
use impri::server::service::Services;
use serde_json::json;
use sqlx::PgPool;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::fake_slack_socket::FakeSocket;
use super::slack_socket::Ear;
use super::{fake_slack, fake_telegram, slack, telegram};
use crate::support::eventually;

/// As much as may be worked on of a platform's, until this is dropped.
pub(super) fn fill(services: &Services, kind: ChannelKind) -> DropGuard {
    let end = CancellationToken::new();
    for _ in 0..WORK_MAX {
        let room = services.platforms().room(kind).expect("room");
        room.work(end.clone().cancelled_owned());
    }
    assert!(services.platforms().room(kind).is_none());
    end.drop_guard()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_of_slacks_that_is_one_too_many_is_refused_and_counts_when_it_comes_again(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let press = chat.slack.press(fake_slack::ADA, &message, "Approve");
    let crowd = fill(&chat.desk.services, ChannelKind::Slack);
    assert_eq!(chat.begin(&press).await, StatusCode::SERVICE_UNAVAILABLE);
    drop(crowd);
    chat.settle().await;
    assert_eq!(chat.status(&action).await, Status::Pending);
    chat.call(&press).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_envelope_of_slacks_that_is_one_too_many_is_not_acknowledged(pool: PgPool) {
    let chat = slack::Chat::open(pool).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let _ear = Ear::start(&chat.desk.services);
    eventually("it listens", async || socket.live() == 1).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let press = chat.slack.press(fake_slack::ADA, &message, "Approve");
    let crowd = fill(&chat.desk.services, ChannelKind::Slack);
    let refused = socket.send("interactive", &press);
    let next = socket.send("events_api", &json!({"event": {"type": "app_mention"}}));
    eventually("what came after it is acknowledged", async || socket.has_acknowledged(&next)).await;
    assert!(!socket.has_acknowledged(&refused), "Slack tells who pressed");
    assert_eq!(chat.status(&action).await, Status::Pending);
    drop(crowd);
    let again = socket.send("interactive", &press);
    eventually("there is room", async || socket.has_acknowledged(&again)).await;
    eventually("it is decided", async || chat.status(&action).await == Status::Approved).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_crowd_on_one_platform_keeps_nobody_waiting_on_another(pool: PgPool) {
    let chat = telegram::Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let crowds = [ChannelKind::Slack, ChannelKind::Discord].map(|kind| fill(&chat.desk.services, kind));
    chat.telegram.press(fake_telegram::ADA, &message, "Approve");
    listen::catch_up(&chat.desk.services, Uuid::from_u128(1)).await.expect("a database");
    assert_eq!(chat.status(&action).await, Status::Approved);
    eventually("it is answered", async || chat.telegram.calls("answerCallbackQuery") == 1).await;
    drop(crowds);
}
