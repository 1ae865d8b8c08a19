//! Discord calls: signed interactions, and calls that are not what they seem.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use impri::domain::action::Status;
use impri::domain::audit::EventKind;
use impri::domain::channel::ChannelKind;
use impri::server::config::RateSettings;
use impri::server::http::limit::Limits;
use impri::server::http::{HttpState, v1};
use impri::server::notify::PlatformSettings;
use impri::server::service::Services;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::crowds::fill;
use super::discord::Chat;
use super::fake_discord::{ADA, STRANGER, key_pair};
use crate::delivery::{OPEN, soon};

/// A server that Discord reaches.
struct Called {
    chat: Chat,
    services: Services,
    router: Router,
}

struct Signed {
    timestamp: i64,
    signature: String,
    body: String,
}

impl Called {
    async fn open(pool: PgPool) -> Self {
        let chat = Chat::deaf(pool, json!({})).await;
        chat.link(ADA).await;
        let services = chat.desk.services.clone();
        Self { router: Self::router(services.clone()), services, chat }
    }

    fn router(services: Services) -> Router {
        let limits = Arc::new(Limits::new(&RateSettings::default(), services.clock()));
        v1::router().with_state(HttpState { services, stop: CancellationToken::new(), limits })
    }

    /// Another server takes the next calls, or the same after a restart: it has nothing in common but the database.
    fn moved(self) -> Self {
        let settings = PlatformSettings {
            policy: OPEN,
            discord_api: Some(self.chat.discord.url()),
            ..PlatformSettings::default()
        };
        let services = self.services.with_platforms(settings);
        Self { router: Self::router(services.clone()), services, chat: self.chat }
    }

    fn now(&self) -> i64 {
        self.chat.desk.services.clock().now().unix_timestamp()
    }

    async fn post(&self, channel: &str, call: &Signed) -> (StatusCode, String) {
        let request = Request::post(format!("/v1/integrations/discord/interactions/{channel}"))
            .header("x-signature-ed25519", &call.signature)
            .header("x-signature-timestamp", call.timestamp.to_string())
            .header("content-type", "application/json")
            .body(Body::from(call.body.clone()))
            .expect("a request");
        let answer = soon(self.router.clone().oneshot(request)).await.expect("an answer");
        let status = answer.status();
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        (status, String::from_utf8(body.to_vec()).expect("text"))
    }

    /// Until nothing that was acknowledged is still worked on.
    async fn settle(&self) {
        let tasks = self.services.platforms().tasks();
        tasks.close();
        soon(tasks.wait()).await;
        tasks.reopen();
    }

    /// Discord calls as it does; what is answered goes back to it.
    async fn call(&self, interaction: &Value) -> Value {
        let call = sign(self.now(), interaction);
        let (status, body) = self.post(&self.chat.channel.to_string(), &call).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let answer = serde_json::from_str(&body).expect("JSON");
        if let Some(token) = interaction["token"].as_str() {
            self.chat.discord.acknowledge(token, &answer);
        }
        answer
    }
}

fn sign(timestamp: i64, body: &Value) -> Signed {
    let body = body.to_string();
    let signature = key_pair().sign(format!("{timestamp}{body}").as_bytes());
    Signed { timestamp, signature: hex::encode(signature.as_ref()), body }
}

fn token(interaction: &Value) -> &str {
    interaction["token"].as_str().expect("a token")
}

fn ping() -> Value {
    json!({"id": "1", "application_id": "2", "type": 1, "version": 1})
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn signed_calls_are_answered_and_decide(pool: PgPool) {
    let called = Called::open(pool).await;
    assert_eq!(called.call(&ping()).await, json!({"type": 1}));
    let (chat, discord) = (&called.chat, &called.chat.discord);
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let press = discord.pressed(ADA, &message, &message.custom_id("Approve"));
    assert_eq!(called.call(&press).await, json!({"type": 5, "data": {"flags": 64}}));
    let told = discord.told(token(&press)).await;
    assert!(told.text().starts_with("Approved by Ada through Discord"), "{told:?}");
    assert_eq!(chat.status(&action).await, Status::Approved);

    chat.desk.send_due().await;
    let (action, message) = chat.proposed("Pay others", "500 €").await;
    let form = called.call(&discord.pressed(ADA, &message, &message.custom_id("Reject"))).await;
    assert_eq!(form["type"], 9);
    let filled_in = discord.filled_in(ADA, &form, "too dear");
    called.call(&filled_in).await;
    assert!(discord.told(token(&filled_in)).await.text().starts_with("Rejected by Ada through Discord"));
    assert_eq!(chat.status(&action).await, Status::Rejected);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_does_not_sign_is_nobody(pool: PgPool) {
    let called = Called::open(pool).await;
    let chat = &called.chat;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let press = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    let (now, here) = (called.now(), chat.channel.to_string());
    let good = || sign(now, &press);
    let elsewhere = chat.channel.to_string().replace("nchan_", "nchan_A");
    let other =
        chat.desk.channel("told", "discord", json!({"url": "https://discord.example/x"})).await.to_string();
    let cases = [
        ("another body", here.as_str(), Signed { body: good().body.replace("500", "600") + " ", ..good() }),
        ("no signature", &here, Signed { signature: String::new(), ..good() }),
        ("another signature", &here, Signed { signature: "00".repeat(64), ..good() }),
        ("another time", &here, Signed { timestamp: now + 1, ..good() }),
        ("an old call", &here, sign(now - 301, &press)),
        ("a call from the future", &here, sign(now + 301, &press)),
        ("no interaction", &here, sign(now, &json!({"type": 3}))),
        ("no channel", "nchan_x", good()),
        ("an unknown channel", &elsewhere, good()),
        ("a channel without a key", &other, good()),
    ];
    let mut answers = Vec::new();
    for (what, channel, call) in cases {
        let (status, body) = called.post(channel, &call).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{what}");
        answers.push(body);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "nobody learns why: {answers:?}");
    let large = sign(now, &json!({"type": 1, "x": "x".repeat(300_000)}));
    assert_eq!(called.post(&here, &large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(chat.status(&action).await, Status::Pending);
    // At the edge of its time it counts.
    assert_eq!(called.post(&here, &sign(now - 300, &ping())).await.0, StatusCode::OK);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_replayed_call_does_nothing(pool: PgPool) {
    let called = Called::open(pool).await;
    let chat = &called.chat;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let press = chat.discord.pressed(STRANGER, &message, &message.custom_id("Approve"));
    let call = sign(called.now(), &press);
    let here = chat.channel.to_string();
    let first = called.post(&here, &call).await;
    chat.discord.acknowledge(token(&press), &serde_json::from_str(&first.1).expect("JSON"));
    chat.discord.told(token(&press)).await;
    for _ in 0..3 {
        assert_eq!(called.post(&here, &call).await, first);
    }
    let approve = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    called.call(&approve).await;
    chat.discord.told(token(&approve)).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    assert_eq!(chat.desk.events(action.id, EventKind::ChatRefused).await.len(), 1, "not four times");
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_that_was_refused_stays_refused_at_every_server(pool: PgPool) {
    let called = Called::open(pool.clone()).await;
    let chat = &called.chat;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let role = async |role: &str| {
        sqlx::query("update membership set role = $1").bind(role).execute(&pool).await.expect("a role");
    };
    let press = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    let call = sign(called.now(), &press);
    let here = chat.channel.to_string();
    role("viewer").await;
    let first = called.post(&here, &call).await;
    chat.discord.acknowledge(token(&press), &serde_json::from_str(&first.1).expect("JSON"));
    chat.discord.told(token(&press)).await;
    role("reviewer").await;
    assert_eq!(called.post(&here, &call).await, first);
    called.settle().await;
    let called = called.moved();
    assert_eq!(called.post(&here, &call).await, first);
    called.settle().await;
    let chat = &called.chat;
    assert_eq!(chat.status(&action).await, Status::Pending);
    assert_eq!(chat.desk.events(action.id, EventKind::ChatRefused).await.len(), 1);
    let again = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    called.call(&again).await;
    chat.discord.told(token(&again)).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_slow_database_keeps_no_press_from_being_acknowledged(pool: PgPool) {
    let called = Called::open(pool.clone()).await;
    called.call(&ping()).await;
    let chat = &called.chat;
    let _hears = chat.hear().await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let mut slow = pool.begin().await.expect("a database");
    sqlx::query("lock table notification_channel, action in access exclusive mode")
        .execute(&mut *slow)
        .await
        .expect("locked");
    let signed = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    assert_eq!(called.call(&signed).await["type"], 5);
    let pressed = chat.discord.press(ADA, &message, "Approve");
    assert_eq!(chat.discord.first(&pressed).await["type"], 5);
    let rejected = chat.discord.press(ADA, &message, "Reject");
    assert_eq!(chat.discord.first(&rejected).await["type"], 9);
    assert!(!chat.discord.was_told(token(&signed)) && !chat.discord.was_told(&pressed));
    slow.rollback().await.expect("a database");
    let told = [chat.discord.told(token(&signed)).await, chat.discord.told(&pressed).await];
    assert!(told.iter().all(|told| told.text().starts_with("Approved by Ada")), "{told:?}");
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nobody_speaks_for_another_applications_channel(pool: PgPool) {
    let called = Called::open(pool).await;
    let chat = &called.chat;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    // Somebody makes a channel with a key of their own, and says that Ada pressed.
    let config = json!({"approval_mode": true, "bot_token": "x.y.z", "channel_id": "5", "public_key": super::fake_discord::public_key()});
    let theirs = chat.desk.channel("theirs", "discord", config).await;
    let change = impri::server::service::ChannelChange {
        config: Some(json!({"public_key": "ab".repeat(32)}).as_object().expect("an object").clone()),
        ..Default::default()
    };
    chat.desk.change(chat.channel, change).await;
    let press = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    let call = sign(called.now(), &press);
    let (status, body) = called.post(&theirs.to_string(), &call).await;
    assert_eq!(status, StatusCode::OK);
    chat.discord.acknowledge(token(&press), &serde_json::from_str(&body).expect("JSON"));
    let told = chat.discord.told(token(&press)).await;
    assert!(told.text().contains("not valid"), "{told:?}");
    assert_eq!(chat.status(&action).await, Status::Pending);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_that_is_one_too_many_is_refused_and_counts_when_it_comes_again(pool: PgPool) {
    let called = Called::open(pool).await;
    let chat = &called.chat;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let press = chat.discord.pressed(ADA, &message, &message.custom_id("Approve"));
    let crowd = fill(&called.services, ChannelKind::Discord);
    let call = sign(called.now(), &press);
    let (status, _) = called.post(&chat.channel.to_string(), &call).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    drop(crowd);
    called.settle().await;
    assert_eq!(chat.status(&action).await, Status::Pending);
    called.call(&press).await;
    assert!(chat.discord.told(token(&press)).await.text().starts_with("Approved by Ada"));
    assert_eq!(chat.status(&action).await, Status::Approved);
}
