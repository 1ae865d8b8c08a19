//! One action as a stream of events.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{PATIENCE, TestApp, api::mail, api::mail_with};

/// A stream that is read event by event.
struct Stream {
    response: reqwest::Response,
    read: String,
}

impl Stream {
    async fn open(app: &TestApp, id: &str) -> Self {
        let url = format!("{}/v1/actions/{id}/events", app.url);
        let response = reqwest::Client::new().get(url).bearer_auth(&app.house().agent.key).send().await;
        let response = response.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, read: String::new() }
    }

    /// The next event's action, or nothing at the end.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.read = rest;
                if event.starts_with(':') {
                    continue;
                }
                let data = event.strip_prefix("event: action\ndata: ").expect("an action");
                return Some(serde_json::from_str(data).expect("JSON"));
            }
            let part = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("in time");
            self.read.push_str(std::str::from_utf8(&part.expect("bytes")?).expect("text"));
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_change_is_an_event_and_the_last_one_ends_the_stream(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let mut stream = Stream::open(&app, &id).await;
    assert_eq!(stream.next().await.expect("the first")["status"], "pending");
    app.decider().approve(&id).await;
    let approved = stream.next().await.expect("the decision");
    assert_eq!(
        (&approved["status"], &approved["decision"]["verdict"]),
        (&json!("approved"), &json!("approve"))
    );
    assert!(approved["receipt"].is_string());
    assert_eq!(approved["receipt"], app.agent().read(&id).await["receipt"]);
    app.agent().post(&format!("/v1/actions/{id}/claim"), &json!({})).await.expect(200);
    assert!(stream.next().await.expect("the claim")["claimed_at"].is_i64());
    app.agent().report(&id, &json!({"status": "executed"})).await.expect(200);
    assert_eq!(stream.next().await.expect("the result")["status"], "executed");
    assert_eq!(stream.next().await, None);
    app.parked(0).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stream_hears_of_other_servers_and_of_time(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let id = app.agent().proposed(&mail()).await;
    let mut stream = Stream::open(&other, &id).await;
    stream.next().await.expect("the first");
    app.decider().decide(&id, &json!({"verdict": "reject"})).await.expect(200);
    assert_eq!(stream.next().await.expect("the decision")["status"], "rejected");
    assert_eq!(stream.next().await, None);

    let late = app.agent().proposed(&mail_with(json!({"title": "Late", "expires_in": 300}))).await;
    app.advance(301);
    let mut stream = Stream::open(&other, &late).await;
    assert_eq!(stream.next().await.expect("the end")["status"], "expired");
    assert_eq!(stream.next().await, None);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stream_is_refused_before_it_begins(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.agent().get("/v1/actions/act_AAAAAAAAAAAAAAAAAAAAAA/events").await.refusal(404);
    let id = app.agent().proposed(&mail()).await;
    app.without_key().get(&format!("/v1/actions/{id}/events")).await.refusal(401);
}
