//! Slack waits 3 seconds, however long the database takes: what is pressed is acknowledged first.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use impri::domain::action::Status;
use sqlx::{PgPool, Postgres, Transaction};

use super::fake_slack::{ADA, SIGNING};
use super::fake_slack_people::signed;
use super::fake_slack_socket::FakeSocket;
use super::slack::Chat;
use super::slack_socket::Ear;
use crate::support::eventually;

/// Nobody reads the table until this is dropped.
async fn lock(pool: &PgPool, table: &str) -> Transaction<'static, Postgres> {
    let mut tx = pool.begin().await.expect("a database");
    sqlx::query(&format!("lock table {table} in access exclusive mode"))
        .execute(&mut *tx)
        .await
        .expect("locked");
    tx
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_is_answered_before_anything_is_decided(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let (other, second) = chat.told("Pay others", "500 €").await;
    let locked = lock(&pool, "action").await;
    assert_eq!(chat.begin(&chat.slack.press(ADA, &message, "Approve")).await, StatusCode::OK);
    assert_eq!(chat.begin(&chat.slack.press(ADA, &second, "Reject")).await, StatusCode::OK);
    eventually("the form is opened in time", async || chat.slack.views() == 1).await;
    assert_eq!(chat.slack.whispers(), 0, "nothing was decided yet");
    locked.rollback().await.expect("a database");
    chat.settle().await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    chat.call(&chat.slack.submit(ADA, "reason", None)).await;
    assert_eq!(chat.status(&other).await, Status::Rejected);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_is_verified_with_what_is_known_of_its_channel(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let _ear = Ear::start(&chat.desk.services);
    let platforms = chat.desk.services.platforms();
    let channel = chat.channel.to_string();
    eventually("it is known", async || platforms.slack_secret(&channel).is_some()).await;
    let locked = lock(&pool, "notification_channel").await;
    let began = Instant::now();
    assert_eq!(chat.begin(&chat.slack.press(ADA, &message, "Approve")).await, StatusCode::OK);
    assert!(began.elapsed() < Duration::from_millis(2_500), "{:?}", began.elapsed());
    locked.rollback().await.expect("a database");
    chat.settle().await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_envelope_is_acknowledged_before_anything_is_decided(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let _ear = Ear::start(&chat.desk.services);
    eventually("it listens", async || socket.live() == 1).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let locked = lock(&pool, "action").await;
    let envelope = socket.send("interactive", &chat.slack.press(ADA, &message, "Approve"));
    eventually("it is acknowledged", async || socket.has_acknowledged(&envelope)).await;
    assert_eq!(chat.slack.whispers(), 0, "nothing was decided yet");
    locked.rollback().await.expect("a database");
    eventually("it is decided", async || chat.status(&action).await == Status::Approved).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_that_can_not_be_slacks_asks_the_database_nothing(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let (_, message) = chat.told("Pay Acme", "500 €").await;
    let payload = chat.slack.press(ADA, &message, "Approve");
    let (channel, now) = (chat.channel.to_string(), chat.now());
    let locked = lock(&pool, "notification_channel").await;
    let (old, signature) = signed(&payload, now - 301, SIGNING);
    assert_eq!(chat.post(&channel, now - 301, &old, &signature).await, StatusCode::UNAUTHORIZED);
    let (body, signature) = signed(&payload, now, SIGNING);
    assert_eq!(chat.post(&channel, now, &body, "").await, StatusCode::UNAUTHORIZED);
    assert_eq!(chat.post("nchan_x", now, &body, &signature).await, StatusCode::UNAUTHORIZED);
    locked.rollback().await.expect("a database");
}
