//! Slack's Socket Mode: what people press is heard without an address that Slack could reach.

use impri::domain::action::{Action, Status};
use impri::server::notify::slack::listen;
use impri::server::service::Services;
use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::fake_slack::{ADA, Message};
use super::fake_slack_socket::FakeSocket;
use super::slack::Chat;
use crate::delivery::soon;
use crate::support::eventually;

/// A server that listens.
pub(super) struct Ear {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Ear {
    pub(super) fn start(services: &Services) -> Self {
        let (all, stop) = (services.clone(), CancellationToken::new());
        let token = stop.clone();
        Self { stop, task: tokio::spawn(async move { listen::run(&all, &token).await }) }
    }

    async fn stop(self) {
        self.stop.cancel();
        soon(self.task).await.expect("no panic");
    }
}

async fn is(chat: &Chat, action: &Action, status: Status) {
    eventually("it is decided", async || chat.status(action).await == status).await;
}

async fn press(chat: &Chat, socket: &FakeSocket, message: &Message, label: &str) {
    let envelope = socket.send("interactive", &chat.slack.press(ADA, message, label));
    eventually("it is acknowledged", async || socket.has_acknowledged(&envelope)).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_pressed_is_heard_without_an_address_of_ours(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let ear = Ear::start(&chat.desk.services);
    eventually("it listens", async || socket.live() == 1).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let (other, second) = chat.told("Pay others", "500 €").await;
    let envelope = socket.send("events_api", &json!({"event": {"type": "app_mention"}}));
    eventually("all is acknowledged", async || socket.has_acknowledged(&envelope)).await;
    press(&chat, &socket, &message, "Approve").await;
    is(&chat, &action, Status::Approved).await;
    press(&chat, &socket, &second, "Reject").await;
    eventually("there is a form", async || chat.slack.views() == 1).await;
    let envelope = socket.send("interactive", &chat.slack.submit(ADA, "reason", Some("No.")));
    eventually("it is acknowledged", async || socket.has_acknowledged(&envelope)).await;
    is(&chat, &other, Status::Rejected).await;
    ear.stop().await;
    eventually("it hangs up", async || socket.live() == 0).await;
    assert_eq!(socket.opened(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_connection_that_ends_is_opened_anew(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let ear = Ear::start(&chat.desk.services);
    eventually("it listens", async || socket.live() == 1).await;
    socket.disconnect("refresh_requested");
    eventually("it listens again", async || (socket.opened(), socket.live()) == (2, 1)).await;
    socket.go();
    eventually("it listens once more", async || (socket.opened(), socket.live()) == (3, 1)).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    press(&chat, &socket, &message, "Approve").await;
    is(&chat, &action, Status::Approved).await;
    ear.stop().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_listens_and_another_goes_on(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let name = "slack:A0KRD7HC3";
    // Held by a server that dies.
    let dead = Uuid::from_u128(1);
    let life = time::Duration::seconds(22);
    let held = chat.desk.services.hold_connection(name, dead, life).await.expect("a database");
    assert!(held.is_some());
    let one = Ear::start(&chat.desk.services);
    chat.desk.advance(29);
    eventually("the first listens", async || socket.live() == 1).await;
    let two = Ear::start(&chat.desk.services);
    one.stop().await;
    eventually("the second listens", async || (socket.opened(), socket.live()) == (2, 1)).await;
    assert_eq!(socket.most_live(), 1);
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    press(&chat, &socket, &message, "Approve").await;
    is(&chat, &action, Status::Approved).await;
    two.stop().await;
}
