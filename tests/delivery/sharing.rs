//! Many messages, several servers: none is sent twice, none is lost, none holds up another.

use impri::domain::audit::{Actor, EventKind};
use impri::domain::decision::Channel;
use impri::domain::ids::DeliveryId;
use impri::domain::scope::Scope;
use impri::server::notify;
use impri::server::service::{NewKey, Services};
use serde_json::json;
use sqlx::PgPool;
use std::collections::HashMap;
use std::collections::HashSet;
use tokio_util::sync::CancellationToken;

use super::{Desk, OK, OPEN, Receiver, soon};

/// Another server on the same database.
fn beside(desk: &Desk) -> Services {
    let services = &desk.services;
    Services::new(services.pool().clone(), services.clock().clone(), "http://127.0.0.1:8485")
        .with_vault(services.vault().clone())
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_servers_never_send_the_same_message(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let mut urls = Vec::new();
    for host in 1..=9 {
        let receiver = Receiver::start_at(&format!("127.0.0.{host}:0"), &[OK]).await;
        urls.push((receiver.url("/"), receiver));
    }
    let other = beside(&desk);
    let mut decided = HashSet::new();
    for n in 0..180 {
        decided.insert(desk.approved(&urls[n % urls.len()].0).await.to_string());
    }
    let (here, there) =
        soon(async { tokio::join!(notify::send_due(&desk.services, OPEN), notify::send_due(&other, OPEN)) })
            .await;
    let (here, there) = (here.expect("a database"), there.expect("a database"));
    // Each may leave what the other was about to take; what is left is sent by whoever looks next.
    let rest = desk.send_due().await;
    assert_eq!(here + there + rest, decided.len());
    let mut heard = Vec::new();
    for (_, receiver) in &urls {
        heard.extend(receiver.rest().await);
    }
    let told: HashSet<String> = heard
        .iter()
        .map(|received| received.json()["action_id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(heard.len(), decided.len(), "each once");
    assert_eq!(told, decided);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_message_is_taken_twice(pool: PgPool) {
    let desk = Desk::open(pool).await;
    for n in 0..120 {
        desk.approved(&format!("http://receiver-{}.example/", n % 6)).await;
    }
    let takers = (0..8).map(|_| {
        let services = desk.services.clone();
        tokio::spawn(async move {
            let mut all = Vec::new();
            loop {
                let taken = services.take_due_messages(7, &HashMap::new()).await.expect("a database");
                if taken.is_empty() {
                    return all;
                }
                all.extend(taken.into_iter().map(|taken| taken.message.event));
            }
        })
    });
    let mut taken = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        taken.extend(soon(taker).await.expect("no panic"));
    }
    // What one was about to take and left, the others may have passed over.
    taken.extend(
        desk.services
            .take_due_messages(120, &HashMap::new())
            .await
            .expect("a database")
            .into_iter()
            .map(|taken| taken.message.event),
    );
    let different: HashSet<DeliveryId> = taken.iter().copied().collect();
    assert_eq!((taken.len(), different.len()), (120, 120));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_host_gets_its_share(pool: PgPool) {
    let desk = Desk::open(pool).await;
    for _ in 0..9 {
        desk.approved("http://busy.example/").await;
    }
    desk.approved("http://other.example/").await;
    let sending = HashMap::from([("busy.example".to_owned(), 1)]);
    let taken = desk.services.take_due_messages(32, &sending).await.expect("a database");
    let hosts: Vec<&str> = taken.iter().map(|taken| taken.host.as_str()).collect();
    assert_eq!(hosts.iter().filter(|host| **host == "busy.example").count(), 3);
    assert_eq!(hosts.iter().filter(|host| **host == "other.example").count(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_a_crashed_server_had_taken_is_sent_by_another(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let action = desk.approved(&receiver.url("/")).await;
    let taken = desk.services.take_due_messages(32, &HashMap::new()).await.expect("a database");
    assert_eq!(taken.len(), 1);
    desk.advance(29);
    assert_eq!(desk.send_due().await, 0, "it may still be sending");
    desk.advance(1);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "delivered");

    // Had it only been slow, what it says now would be too late.
    let late = impri::domain::delivery::Outcome::Failed { status: Some(500), reason: "HTTP 500".to_owned() };
    desk.services.record_attempt(&taken[0], &late).await.expect("a database");
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt), ("delivered", 0));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_no_server_survives_sending_is_given_up_until_somebody_replays_it(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let action = desk.approved(&receiver.url("/")).await;
    for _ in 0..21 {
        assert_eq!(desk.services.take_due_messages(32, &HashMap::new()).await.expect("a database").len(), 1);
        desk.advance(30);
    }
    assert_eq!(desk.send_due().await, 1);
    let delivery = desk.delivery(action).await;
    assert_eq!(delivery.state, "dlq");
    assert!(delivery.last_error.is_some_and(|why| why.starts_with("21 tries ended")), "it is said why");
    assert_eq!(receiver.rest().await.len(), 0);
    assert_eq!(desk.events(action, EventKind::DeliveryFailed).await.len(), 1);
    let replayed =
        desk.services.replay_message(desk.project(), action, Actor::Operator, Channel::cli()).await;
    assert!(replayed.expect("a database"));
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "delivered");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_stops_lets_go_of_what_it_was_sending(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let worker = desk.start_worker(OPEN);
    let action = desk.approved(&receiver.url("/hang")).await;
    receiver.next().await;
    worker.stop().await;
    assert_eq!(desk.delivery(action).await.state, "pending");
    receiver.shared.let_go.notify_one();
    let other = desk.start_worker(OPEN);
    let again = receiver.next().await;
    again.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    receiver.shared.let_go.notify_one();
    desk.until_state(action, "delivered").await;
    other.stop().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_another_server_left_is_found_without_being_told(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let other = beside(&desk);
    let stop = CancellationToken::new();
    let token = stop.clone();
    let task = tokio::spawn(async move { notify::run(&other, OPEN, &token).await });
    // This server has no worker: as if it had ended between its commit and its first attempt.
    let action = desk.approved(&receiver.url("/")).await;
    receiver.next().await;
    desk.until_state(action, "delivered").await;
    stop.cancel();
    soon(task).await.expect("an orderly end");
}

/// It names as many hosts as it likes, each of which may hang, and withdraws what it proposed without asking anybody.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agent_with_many_callbacks_holds_up_neither_another_one_nor_people(pool: PgPool) {
    let mut desk = Desk::open(pool).await;
    desk.channel("ops", "ntfy", json!({"url": "https://ntfy.example", "topic": "impri"})).await;
    for n in 0..100 {
        desk.approved(&format!("http://hangs-{n}.example/")).await;
    }
    let new = NewKey { name: "another".to_owned(), scopes: vec![Scope::Actions], lasts: None };
    let made =
        desk.services.create_key(desk.project(), new, Actor::Operator, Channel::cli()).await.expect("a key");
    desk.agent = (*desk.services.caller(&made.key).await.expect("a key")).clone();
    desk.approved("http://other.example/").await;

    let taken = desk.services.take_due_messages(32, &HashMap::new()).await.expect("a database");
    let callbacks: Vec<&str> =
        taken.iter().filter(|taken| taken.channel.is_none()).map(|taken| taken.host.as_str()).collect();
    assert_eq!((callbacks.len(), callbacks.contains(&"other.example")), (32, true));
    // All that room is taken, and people are told for all that.
    let sending: HashMap<String, usize> = callbacks.iter().map(|host| ((*host).to_owned(), 1)).collect();
    desk.propose("http://hangs.example/").await;
    let more = desk.services.take_due_messages(32, &sending).await.expect("a database");
    assert!(taken.iter().chain(&more).any(|taken| taken.channel.is_some()), "the channel's turn has come");
    assert!(more.iter().all(|taken| taken.channel.is_some()));
}
