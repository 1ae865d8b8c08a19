//! Who hears of what, in whatever channel: filters, pauses, bursts, failures and who hears about those.

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use impri::domain::decision::Verdict;
use impri::server::notify::callback;
use impri::server::service::{ChannelChange, NewChannel};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::fake_ntfy::FakeNtfy;
use super::{desk, only, wish};
use crate::delivery::soon;

/// Somebody who takes webhooks and answers each with the same status.
async fn receiver(status: StatusCode) -> (String, mpsc::UnboundedReceiver<(HeaderMap, String)>) {
    let (sender, heard) = mpsc::unbounded_channel();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let take = move |headers: HeaderMap, body: String| async move {
        sender.send((headers, body)).expect("a listening test");
        status
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/hook", post(take))).await });
    (url, heard)
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_webhook_is_told_in_the_contracts_words_and_signed(pool: PgPool) {
    let desk = desk(pool).await;
    let (url, mut heard) = receiver(StatusCode::NO_CONTENT).await;
    let secret = "a secret of sixteen";
    desk.channel("hook", "webhook", json!({"url": url, "hmac_secret": secret})).await;
    let action = desk.wish("Write to Acme", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let (headers, body) = soon(heard.recv()).await.expect("a request");
    let header = |name: &str| headers[name].to_str().expect("text").to_owned();
    let timestamp: i64 = header("x-impri-timestamp").parse().expect("seconds");
    let signature = callback::signature(secret, timestamp, &header("x-impri-nonce"), &body);
    assert_eq!(header("x-impri-signature"), signature);
    let body: Value = serde_json::from_str(&body).expect("JSON");
    let keys: Vec<&String> = body.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["event", "action_id", "title", "kind", "inbox_url", "triggered_at"]);
    assert_eq!((&body["event"], &body["title"]), (&json!("action.pending"), &json!("Write to Acme")));
    assert_eq!(body["action_id"], action.id.to_string());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_channel_hears_about_its_kinds_and_its_agents_only(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    desk.channel_with("mails", "ntfy", ntfy.config(), only(&["mail.*"], &[])).await;
    desk.channel_with("exact", "ntfy", ntfy.config(), only(&["mail.send"], &["agent"])).await;
    desk.channel_with("others", "ntfy", ntfy.config(), only(&["mail", "deploy.*"], &[])).await;
    desk.channel_with("else", "ntfy", ntfy.config(), only(&[], &["another agent"])).await;
    desk.wish("A mail", "body").await;
    assert_eq!(desk.send_due().await, 2);
    let deploy =
        impri::domain::proposal::RawProposal { kind: Some("deploy.app".into()), ..wish("A deploy", "body") };
    desk.wants(deploy).await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(ntfy.titles(), ["A mail", "A mail", "A deploy"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_decided_or_came_while_paused_is_not_told(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    let action = desk.wish("Decided at once", "body").await;
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.notices(action.id).await[0].0, "gone");
    let waiting = desk.wish("On its way", "body").await;
    desk.change(id, ChannelChange { enabled: Some(false), ..ChannelChange::default() }).await;
    let silent = desk.wish("While paused", "body").await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(
        desk.notices(waiting.id).await,
        [("gone".to_owned(), Some("the channel is paused".to_owned()))]
    );
    assert_eq!(desk.notices(silent.id).await, []);
    desk.change(id, ChannelChange { enabled: Some(true), ..ChannelChange::default() }).await;
    desk.wish("Afterwards", "body").await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(ntfy.titles(), ["Afterwards"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_burst_becomes_one_message(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    desk.channel("ops", "ntfy", ntfy.config()).await;
    for number in 0..25 {
        desk.wish(&format!("Mail {number}"), "body").await;
    }
    desk.send_due().await;
    assert_eq!(ntfy.titles(), ["Mail 0", "Mail 1", "Mail 2", "Mail 3", "Mail 4"]);
    desk.advance(59);
    assert_eq!(desk.send_due().await, 0);
    desk.advance(1);
    desk.send_due().await;
    let published = ntfy.published();
    assert_eq!(published.len(), 6);
    assert_eq!(published[5]["title"], "20 actions waiting for a decision");
    let message = published[5]["message"].as_str().expect("a text");
    let named = message.matches("waits: Mail ").count();
    assert!(named == 10 && message.contains("And 10 more."), "{message}");
    assert_eq!(published[5]["click"], "http://127.0.0.1:8484/inbox");
    desk.wish("One more", "body").await;
    desk.send_due().await;
    assert_eq!(ntfy.titles().last().map(String::as_str), Some("One more"), "and then as before");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_broken_channel_delays_no_other_and_another_one_tells_of_it(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let (url, _heard) = receiver(StatusCode::INTERNAL_SERVER_ERROR).await;
    let good = desk.channel_with("ops", "ntfy", ntfy.config(), only(&["deploy.*"], &[])).await;
    let rest = NewChannel { fallback: good.to_string(), ..NewChannel::default() };
    let broken = desk.channel_with("hook", "webhook", json!({"url": url}), rest).await;
    let fine = desk.channel("fine", "ntfy", ntfy.config()).await;
    let action = desk.wish("Write to Acme", "body").await;
    assert_eq!(desk.send_due().await, 2);
    assert_eq!(ntfy.titles(), ["Write to Acme"]);
    assert_eq!(desk.seen(broken).await.stored.health.error.as_deref(), Some("HTTP 500"));
    assert_eq!(desk.seen(fine).await.stored.health.failures, 0);
    assert_eq!(desk.seen(broken).await.pending, 1, "it is tried again");
    for pause in [5, 30] {
        desk.advance(pause);
        desk.send_due().await;
    }
    let published = ntfy.published();
    assert_eq!(published.len(), 2, "after three failures the other channel hears of it, once");
    let message = published[1]["message"].as_str().expect("a text");
    assert!(message.starts_with("Webhook “hook” did not get this: HTTP 500."), "{message}");
    for pause in [120, 600, 3_600] {
        desk.advance(pause);
        desk.send_due().await;
    }
    assert_eq!(ntfy.published().len(), 2);
    assert!(desk.notices(action.id).await.iter().any(|(state, _)| state == "dlq"));
    assert!(desk.seen(broken).await.stored.enabled, "it never turns itself off");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_on_its_way_when_a_server_died_is_sent_by_another(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    desk.wish("Write to Acme", "body").await;
    let taken =
        desk.services.take_due_messages(8, &std::collections::HashMap::new()).await.expect("a database");
    assert_eq!(taken.len(), 1);
    let turn = desk.services.take_turn(&taken[0], id).await;
    assert!(turn.until.is_some());
    drop((taken, turn));
    assert_eq!(desk.send_due().await, 0, "nobody knows yet that it died");
    desk.advance(31);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(ntfy.titles(), ["Write to Acme"]);
}
