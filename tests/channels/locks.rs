//! What is locked in which order when something was sent: the row of the outbox first, as whoever erases does, so that the
//! two never wait for each other.

use std::collections::HashMap;

use impri::domain::delivery::Outcome;
use impri::server::db::outbox::TakenMessage;
use impri::server::db::push::also_waiting;
use impri::server::service::notices::Handed;
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use super::desk;
use super::fake_ntfy::FakeNtfy;
use super::fake_push::FakePush;
use crate::delivery::{Desk, soon};
use crate::support::eventually;

const DELIVERED: Outcome = Outcome::Delivered { status: 200 };

async fn take(desk: &Desk) -> TakenMessage {
    desk.services.take_due_messages(1, &HashMap::new()).await.expect("a database").remove(0)
}

/// A transaction that has the rows of the outbox.
async fn with_the_outbox(pool: &PgPool) -> Transaction<'static, Postgres> {
    let mut tx = pool.begin().await.expect("a database");
    let lock = "select from outbox order by outbox_id for no key update";
    sqlx::query(lock).execute(&mut *tx).await.expect("locked");
    tx
}

/// Waits until somebody waits for a lock.
async fn somebody_waits(pool: &PgPool) {
    let waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    eventually("somebody waits", async || {
        sqlx::query_scalar::<_, i64>(waiting).fetch_one(pool).await.expect("a count") == 1
    })
    .await;
}

/// Locks a row, if nobody has it.
async fn lock(tx: &mut Transaction<'static, Postgres>, query: &str, id: Uuid) {
    sqlx::query(query).bind(id).execute(&mut **tx).await.expect("nobody has it");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_came_of_telling_a_channel_waits_for_its_row_before_all_else(pool: PgPool) {
    let (desk, ntfy) = (desk(pool.clone()).await, FakeNtfy::start().await);
    let channel = desk.channel("ops", "ntfy", ntfy.config()).await;
    let action = desk.wish("Pay Acme", "500 €").await;
    let taken = take(&desk).await;
    let turn = desk.services.take_turn(&taken, channel).await;
    let mut tx = with_the_outbox(&pool).await;
    let services = desk.services.clone();
    let recording = tokio::spawn(async move {
        let handed = Handed { reference: None, shown: [0; 32] };
        services.record_notice(&taken, channel, &turn, &DELIVERED, Some(&handed)).await
    });
    somebody_waits(&pool).await;
    lock(&mut tx, "select from action where action_id = $1 for no key update nowait", action.id.uuid()).await;
    let query = "select from notification_channel where channel_id = $1 for no key update nowait";
    lock(&mut tx, query, channel.uuid()).await;
    tx.commit().await.expect("a database");
    soon(recording).await.expect("no panic").expect("written down");
    assert_eq!(desk.notices(action.id).await[0].0, "delivered");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_came_of_telling_a_device_waits_for_its_rows_before_all_else(pool: PgPool) {
    let (desk, push) = (desk(pool.clone()).await, FakePush::start().await);
    let ada = desk.services.list_people(desk.project()).await.expect("people").remove(0);
    desk.services.add_push_device(&ada, &push.subscribe("phone"), false, "Firefox").await.expect("added");
    desk.wish("Pay Acme", "500 €").await;
    desk.wish("Pay others", "500 €").await;
    let taken = take(&desk).await;
    let device = taken.device.expect("a push");
    let now = desk.services.clock().now();
    let mut conn = pool.acquire().await.expect("a database");
    let others = also_waiting(&mut conn, device, taken.message.action, now).await.expect("rows");
    let with: Vec<i64> = others.into_iter().map(|(row, _)| row).collect();
    assert_eq!(with.len(), 1);
    let mut tx = with_the_outbox(&pool).await;
    let services = desk.services.clone();
    let recording =
        tokio::spawn(async move { services.record_push(&taken, device, &DELIVERED, &with).await });
    somebody_waits(&pool).await;
    let query = "select from push_device where push_device_id = $1 for no key update nowait";
    lock(&mut tx, query, device.uuid()).await;
    tx.commit().await.expect("a database");
    soon(recording).await.expect("no panic").expect("written down");
    let states: Vec<String> = sqlx::query_scalar("select state from outbox order by outbox_id")
        .fetch_all(&pool)
        .await
        .expect("states");
    assert_eq!(states, ["delivered", "gone"]);
}
