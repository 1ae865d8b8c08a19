//! Who listens: one server at a time, another one within half a minute after it vanished, and at once after an orderly end.
//! The servers have a runtime and connections of their own, and share a database and a clock.

use std::time::Duration;

use impri::domain::action::{Action, Status};
use impri::domain::audit::EventKind;
use impri::domain::channel::ChannelKind;
use impri::server::notify::{PlatformSettings, discord, slack, telegram};
use impri::server::secrets::Vault;
use impri::server::service::Services;
use serde_json::json;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::fake_slack_socket::FakeSocket;
use super::{VAULT_KEY, fake_discord, fake_slack, fake_telegram};
use crate::delivery::{Desk, OPEN, soon};
use crate::support::{eventually, eventually_within};

/// For how long a connection is a server's that does not say that it is there.
const LEASE: u64 = 22;
/// Within which time another server listens after one vanished.
const WITHIN: u64 = 30;

/// A server that listens.
struct Ear {
    runtime: Option<Runtime>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Ear {
    fn start(desk: &Desk, kind: ChannelKind, api: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let options = PgConnectOptions::clone(&desk.services.pool().connect_options());
        let (clock, stop) = (desk.services.clock().clone(), CancellationToken::new());
        let (token, api) = (stop.clone(), Some(api.to_owned()));
        let mut settings = PlatformSettings { policy: OPEN, ..PlatformSettings::default() };
        match kind {
            ChannelKind::Telegram => settings.telegram_api = api,
            ChannelKind::Slack => settings.slack_api = api,
            _ => settings.discord_api = api,
        }
        let task = runtime.spawn(async move {
            let pool =
                PgPoolOptions::new().max_connections(3).connect_with(options).await.expect("the database");
            let services = Services::new(pool, clock, "http://127.0.0.1:8484")
                .with_vault(Vault::from_setting(VAULT_KEY).expect("a key"))
                .with_platforms(settings);
            match kind {
                ChannelKind::Telegram => telegram::listen::run(&services, &token).await,
                ChannelKind::Slack => slack::listen::run(&services, &token).await,
                _ => discord::listen::run(&services, &token).await,
            }
            services.pool().close().await;
        });
        Self { runtime: Some(runtime), stop, task }
    }

    /// Vanishes without a word, as by `kill -9`.
    fn vanish(mut self) {
        self.runtime.take().expect("a runtime").shutdown_background();
    }

    /// Ends as it should.
    async fn end(mut self) {
        self.stop.cancel();
        soon(&mut self.task).await.expect("an orderly end");
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A platform with one desk.
struct Line<'a> {
    desk: &'a Desk,
    kind: ChannelKind,
    api: String,
    /// What the connection is called.
    name: &'a str,
}

impl Line<'_> {
    fn start(&self) -> Ear {
        Ear::start(self.desk, self.kind, &self.api)
    }

    /// Whether somebody may take the connection now.
    async fn is_free(&self) -> bool {
        let (nobody, life) = (Uuid::nil(), time::Duration::ZERO);
        let held = self.desk.services.hold_connection(self.name, nobody, life).await;
        held.expect("a database").is_some()
    }

    /// Waits until an action is approved, which it is once.
    async fn is_approved_once(&self, action: &Action) {
        let status = async || {
            let viewed = self.desk.services.action(self.desk.project(), action.id).await.expect("an action");
            viewed.action.status(self.desk.services.clock().now())
        };
        eventually("it is approved", async || status().await == Status::Approved).await;
        assert_eq!(self.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
        assert_eq!(self.desk.send_due().await, 1, "its message is changed");
    }

    /// Three servers, of which the first vanishes and the second ends. `listening` says how many listen; `press` has
    /// something approved; `alone` is done while nobody listens.
    async fn changes_hands(
        &self,
        listening: impl Fn() -> usize,
        press: impl AsyncFn(&str) -> Action,
        alone: impl AsyncFnOnce() -> Option<Action>,
    ) {
        let first = self.start();
        eventually("the first listens", async || listening() == 1).await;
        let second = self.start();
        self.is_approved_once(&press("Pay while one listens").await).await;
        first.vanish();
        eventually("nobody listens", async || listening() == 0).await;
        let waiting = alone().await;
        self.desk.advance(LEASE - 1);
        assert!(!self.is_free().await && listening() == 0, "it may still be there");
        self.desk.advance(1);
        // From here on the second one only has to look, which it does by the machine's clock.
        let rest = Duration::from_secs(WITHIN - LEASE);
        eventually_within(rest, "the second goes on", async || listening() == 1).await;
        if let Some(action) = waiting {
            self.is_approved_once(&action).await;
        }
        self.is_approved_once(&press("Pay after one vanished").await).await;
        let third = self.start();
        second.end().await;
        // No time passes: what was held was let go.
        eventually_within(rest, "the third goes on", async || listening() == 1).await;
        self.is_approved_once(&press("Pay after one ended").await).await;
        third.end().await;
        eventually("nobody listens", async || listening() == 0).await;
        assert!(self.is_free().await, "nobody has it");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_at_a_time_asks_telegram(pool: PgPool) {
    let chat = super::telegram::Chat::open(pool).await;
    let line = Line {
        desk: &chat.desk,
        kind: ChannelKind::Telegram,
        api: chat.telegram.url(),
        name: "telegram:110201543",
    };
    // The account was linked by a question of the test's own, which nobody let go.
    let own = chat.desk.services.let_connection_go(line.name, Uuid::from_u128(1));
    own.await.expect("a database");
    let press = async |title: &str| {
        let (action, message) = chat.told(title, "500 €").await;
        chat.telegram.press(fake_telegram::ADA, &message, "Approve");
        action
    };
    // What is pressed while nobody listens is heard by the next one.
    line.changes_hands(|| chat.telegram.asking(), press, async || Some(press("Pay alone").await)).await;
    assert_eq!(chat.telegram.most_asking(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_at_a_time_holds_slacks_connection(pool: PgPool) {
    let chat = super::slack::Chat::open(pool).await;
    let socket = FakeSocket::start(&chat.slack).await;
    let line =
        Line { desk: &chat.desk, kind: ChannelKind::Slack, api: chat.slack.url(), name: "slack:A0KRD7HC3" };
    let press = async |title: &str| {
        let (action, message) = chat.told(title, "500 €").await;
        let envelope = socket.send("interactive", &chat.slack.press(fake_slack::ADA, &message, "Approve"));
        eventually("it is acknowledged", async || socket.has_acknowledged(&envelope)).await;
        action
    };
    line.changes_hands(|| socket.live(), press, async || None).await;
    assert_eq!((socket.opened(), socket.most_live()), (3, 1));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn one_server_at_a_time_listens_to_discords_gateway(pool: PgPool) {
    let chat = super::discord::Chat::deaf(pool, json!({})).await;
    chat.link(fake_discord::ADA).await;
    let first = super::discord::hear(&chat.desk.services);
    chat.discord.entries(1).await;
    let name: String = sqlx::query_scalar("select name from connection_lease")
        .fetch_one(chat.desk.services.pool())
        .await
        .expect("a name");
    drop(first);
    eventually("nobody listens", async || chat.discord.live().0 == 0).await;
    let line = Line { desk: &chat.desk, kind: ChannelKind::Discord, api: chat.discord.url(), name: &name };
    eventually("it is let go", async || line.is_free().await).await;
    let press = async |title: &str| {
        let (action, message) = chat.proposed(title, "500 €").await;
        let told = chat.press(fake_discord::ADA, &message, "Approve").await;
        assert!(told.text().starts_with("Approved by Ada"), "{told:?}");
        action
    };
    line.changes_hands(|| chat.discord.live().0, press, async || None).await;
    assert_eq!(chat.discord.live().1, 1);
}
