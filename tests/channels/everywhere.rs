//! A channel of every sort, each with somebody who plays its platform, and the program beside the server.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use impri::server::notify::PlatformSettings;
use serde_json::json;
use sqlx::{ConnectOptions as _, PgPool};
use tokio::net::TcpListener;

use super::fake_discord::{self, FakeDiscord};
use super::fake_ntfy::FakeNtfy;
use super::fake_slack::{self, FakeSlack};
use super::fake_smtp::{self, FakeSmtp, Protection};
use super::fake_telegram::{self, FakeTelegram};
use crate::delivery::{Desk, OPEN};

/// What a shell has set.
pub(super) type Environment = Vec<(&'static str, String)>;

/// A desk with a channel of every sort.
pub(super) struct Everywhere {
    pub(super) desk: Desk,
    pub(super) telegram: FakeTelegram,
    pub(super) slack: FakeSlack,
    pub(super) discord: FakeDiscord,
    pub(super) smtp: FakeSmtp,
    pub(super) ntfy: FakeNtfy,
    /// Requests that the webhook's program got.
    pub(super) calls: Arc<AtomicUsize>,
}

impl Everywhere {
    /// Of this desk, which seals their secrets.
    pub(super) async fn open(mut desk: Desk) -> Self {
        let (telegram, slack) = (FakeTelegram::start().await, FakeSlack::start().await);
        let (discord, ntfy) = (FakeDiscord::start().await, FakeNtfy::start().await);
        let smtp = FakeSmtp::start(Protection::Nothing).await;
        desk.services = desk.services.with_platforms(PlatformSettings {
            policy: OPEN,
            telegram_api: Some(telegram.url()),
            slack_api: Some(slack.url()),
            discord_api: Some(discord.url()),
            smtp: Some(smtp.settings()),
        });
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let hook = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let app = Router::new().fallback(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::ready(())
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        for (kind, config) in [
            ("telegram", json!({"bot_token": fake_telegram::TOKEN, "chat_id": fake_telegram::GROUP})),
            ("slack", json!({"bot_token": fake_slack::BOT, "channel_id": fake_slack::CHANNEL})),
            ("discord", json!({"bot_token": fake_discord::TOKEN, "channel_id": fake_discord::CHANNEL})),
            ("email", json!({"address": "ops@acme.example"})),
            ("ntfy", ntfy.config()),
            ("webhook", json!({"url": hook, "hmac_secret": "a secret of sixteen"})),
        ] {
            desk.channel(kind, kind, config).await;
        }
        Self { desk, telegram, slack, discord, smtp, ntfy, calls }
    }

    /// How many messages each sort got: Telegram, Slack, Discord, e-mail, ntfy, webhook.
    pub(super) fn heard(&self) -> [usize; 6] {
        [
            self.telegram.chat(fake_telegram::GROUP).len(),
            self.slack.messages().len(),
            self.discord.messages().len(),
            self.smtp.taken().len(),
            self.ntfy.published().len(),
            self.calls.load(Ordering::SeqCst),
        ]
    }

    /// What the server of this desk would have set, but its key.
    pub(super) fn environment(&self) -> Environment {
        let mut all = vec![
            ("IMPRI_ALLOW_PRIVATE_TARGETS", "true".to_owned()),
            ("IMPRI_TELEGRAM_API", self.telegram.url()),
            ("IMPRI_SLACK_API", self.slack.url()),
            ("IMPRI_DISCORD_API", self.discord.url()),
        ];
        all.extend(mail(&self.smtp));
        all
    }
}

/// What says how a mail server is reached.
pub(super) fn mail(smtp: &FakeSmtp) -> Environment {
    vec![
        ("IMPRI_SMTP_HOST", "localhost".to_owned()),
        ("IMPRI_SMTP_PORT", smtp.settings().port.to_string()),
        ("IMPRI_SMTP_TLS", "none".to_owned()),
        ("IMPRI_SMTP_FROM", "Impri <impri@mail.example>".to_owned()),
        ("IMPRI_SMTP_USER", fake_smtp::USER.to_owned()),
        ("IMPRI_SMTP_PASSWORD", fake_smtp::PASSWORD.to_owned()),
    ]
}

/// The program on the desk's database, with nothing set but this.
pub(super) fn program(db: &PgPool, arguments: &str, environment: &Environment) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("IMPRI_") {
            command.env_remove(name);
        }
    }
    command.env("DATABASE_URL", db.connect_options().to_url_lossy().as_str());
    // Not the usual data directory of whoever runs the tests.
    command.env("IMPRI_DATA_DIR", "/nonexistent");
    command.args(arguments.split(' ')).envs(environment.iter().map(|(name, value)| (*name, value)));
    command
}

/// How it ended, and what it said.
pub(super) async fn run(db: &PgPool, arguments: &str, environment: &Environment) -> (i32, String) {
    let mut command = program(db, arguments, environment);
    let output = tokio::task::spawn_blocking(move || command.output().expect("it starts")).await;
    let output = output.expect("no panic");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("no signal"), text(&output.stdout) + &text(&output.stderr))
}
