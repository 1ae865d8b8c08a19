//! Who spoke to a channel lets it go, also when that came to nothing.

use impri::domain::audit::EventKind;
use impri::server::notify;
use serde_json::json;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::desk;
use super::fake_ntfy::FakeNtfy;
use crate::delivery::{OPEN, soon};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_bad_row_is_given_up_in_time_and_delays_no_other(pool: PgPool) {
    let (desk, ntfy) = (desk(pool.clone()).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    let bad = desk.wish("Bad", "body").await;
    sqlx::query("alter table channel_message drop constraint channel_message_state_check")
        .execute(&pool)
        .await
        .expect("dropped");
    sqlx::query("insert into channel_message (channel_id, action_id, state) values ($1, $2, 'nonsense')")
        .bind(id.uuid())
        .bind(bad.id.uuid())
        .execute(&pool)
        .await
        .expect("stored");
    desk.wish("Good", "body").await;
    assert_eq!(desk.send_due().await, 2);
    assert_eq!(ntfy.titles(), ["Good"], "at once");
    for pause in [5, 30, 120, 600, 3_600] {
        assert_eq!(desk.notices(bad.id).await[0].0, "retry");
        desk.advance(pause);
        assert_eq!(desk.send_due().await, 1);
    }
    let why = "this server failed, and its log says how".to_owned();
    assert_eq!(desk.notices(bad.id).await, [("dlq".to_owned(), Some(why))]);
    assert_eq!(desk.events(bad.id, EventKind::NoticeFailed).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_stops_lets_go_of_the_channel_that_it_spoke_to(pool: PgPool) {
    let desk = desk(pool.clone()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    desk.channel("hook", "webhook", json!({"url": url})).await;
    desk.wish("Pay Acme", "500 €").await;
    let (services, stop) = (desk.services.clone(), CancellationToken::new());
    let token = stop.clone();
    let worker = tokio::spawn(async move { notify::run(&services, OPEN, &token).await });
    // It is connected to and never answers.
    let _connection = soon(listener.accept()).await.expect("a connection");
    let held = async || -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
        sqlx::query_as(
            "select leased_until, busy_until from outbox join notification_channel using (channel_id)",
        )
        .fetch_one(&pool)
        .await
        .expect("a row")
    };
    let (leased, busy) = held().await;
    assert!(leased.is_some() && leased == busy, "{leased:?}, {busy:?}");
    stop.cancel();
    soon(worker).await.expect("an orderly end");
    assert_eq!(held().await, (None, None));
}
