//! Servers that go, come, or swallow an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::host::{Era, Host, Way};
use super::{look, one, push_with};
use crate::support::{Settings, TestApp};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wait_beside_the_host_survives_a_restart_of_the_server(db: PgPool) {
    let first = TestApp::start(&db).await;
    let mut host = Host::start(&first, Way::Stdio, Era::Legacy);
    let id = host.push(json!({})).await;
    let (_, waiting) = host.begin("impri_await_decision", one(&id), false).await;
    first.parked(1).await;
    let listen: SocketAddr = first.url.trim_start_matches("http://").parse().expect("an address");
    let house = first.house().clone();
    drop(first);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished(), "it waits on without a server");

    let settings = Settings { listen: Some(listen), ..Settings::default() };
    let second = TestApp::again_with(&db, house, settings);
    second.parked(1).await;
    second.decider().approve(&id).await;
    let seen = waiting.await.expect("an answer").data;
    assert_eq!((&seen["status"], &seen["may_act"]), (&json!("approved"), &json!(true)));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_stops_ends_the_waits_at_it_as_pending(db: PgPool) {
    let app = TestApp::start(&db).await;
    let mut legacy = Host::start(&app, Way::Http, Era::Legacy);
    let mut auto = Host::start(&app, Way::Http, Era::Auto);
    // As hosts do first: the client checks answers against these, and would ask for them when there is no server left.
    for host in [&mut legacy, &mut auto] {
        host.list().await;
    }
    let id = legacy.push(json!({})).await;
    let (_, one_waits) = legacy.begin("impri_await_decision", one(&id), true).await;
    let (_, another_waits) = auto.begin("impri_await_decision", one(&id), false).await;
    app.parked(2).await;
    app.begin_stop();
    for waiting in [one_waits, another_waits] {
        let called = waiting.await.expect("an answer");
        assert!(!called.is_error && called.data["status"] == "pending", "{called:?}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_server_every_tool_says_so_and_none_says_approved(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&push_with(json!({}))).await;
    // A port that was free a moment ago.
    let nobody = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", nobody.local_addr().expect("its address"));
    drop(nobody);
    let mut host = Host::start_at(&url, &app.house().agent.key, Way::Stdio, Era::Auto, "x");
    assert_eq!(host.list().await.len(), 6, "the tools are there before the server is");
    for (tool, arguments) in [
        ("impri_push_action", push_with(json!({}))),
        ("impri_await_decision", look(&id)),
        ("impri_claim_action", one(&id)),
        ("impri_report_result", json!({"action_id": id, "status": "executed"})),
        ("impri_cancel_action", one(&id)),
        ("impri_inbox_status", json!({})),
    ] {
        let since = Instant::now();
        let said = host.failed(tool, arguments).await;
        assert!(said.contains(&url) && said.contains("could not be reached"), "{tool}: {said}");
        assert!(said.contains("do not act"), "{tool}: {said}");
        assert!(since.elapsed() < Duration::from_secs(15), "{tool} took {:?}", since.elapsed());
    }
    let since = Instant::now();
    let said = host.failed("impri_await_decision", json!({"action_id": id, "timeout_s": 3})).await;
    assert!(since.elapsed() >= Duration::from_secs(2), "the whole wait is used: {said}");
    assert!(said.contains("do not push the action again"), "{said}");
}

/// A way to a server that swallows the first answer to whatever holds `word`; says how often that came.
async fn lossy(to: &str, word: &'static str) -> (String, Arc<AtomicUsize>) {
    let to = to.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let came = Arc::new(AtomicUsize::new(0));
    let (count, swallowed) = (Arc::clone(&came), Arc::new(AtomicBool::new(false)));
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (to, count, swallowed) = (to.clone(), Arc::clone(&count), Arc::clone(&swallowed));
            tokio::spawn(async move {
                let mut server = TcpStream::connect(&to).await.expect("the server");
                let mut head = [0; 4096];
                let length = client.peek(&mut head).await.expect("a request");
                if String::from_utf8_lossy(&head[..length]).contains(word) {
                    count.fetch_add(1, Ordering::SeqCst);
                    if !swallowed.swap(true, Ordering::SeqCst) {
                        let (mut from, mut into) = client.split();
                        let (mut answers, mut asks) = server.split();
                        tokio::select! {
                            _ = tokio::io::copy(&mut from, &mut asks) => {}
                            // The server has done it and says so; nobody hears.
                            _ = answers.read_u8() => {}
                        }
                        let _ = &mut into;
                        return;
                    }
                }
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    (url, came)
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_lost_answer_never_proposes_twice(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (url, came) = lossy(&app.url, "POST /v1/actions ").await;
    let mut host = Host::start_at(&url, &app.house().agent.key, Way::Stdio, Era::Auto, "x");
    let id = host.push(json!({})).await;
    assert_eq!(came.load(Ordering::SeqCst), 2, "it was sent again");
    assert_eq!(app.count("select count(*) from action").await, 1);

    // The model forgets and pushes the same: one card, while it waits.
    let again = host.done("impri_push_action", push_with(json!({}))).await;
    assert_eq!((&again["action_id"], &again["duplicate_of"]), (&json!(id), &json!(id)));
    app.decider().decide(&id, &json!({"decision": "reject"})).await.expect(200);
    assert_ne!(host.push(json!({})).await, id, "what was decided is no duplicate");
    // With names of its own the same is two.
    let keyed = |key: &str| json!({"idempotency_key": key});
    let (a, b) = (host.push(keyed("a")).await, host.push(keyed("b")).await);
    assert!(a != b && host.push(keyed("a")).await == a);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_claim_whose_answer_was_lost_is_not_sent_again(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&push_with(json!({"idempotent": false}))).await;
    app.decider().approve(&id).await;
    let (url, came) = lossy(&app.url, "/claim ").await;
    let mut host = Host::start_at(&url, &app.house().agent.key, Way::Stdio, Era::Auto, "x");
    let said = host.failed("impri_claim_action", one(&id)).await;
    assert!(said.contains("not known: do not act"), "{said}");
    assert_eq!(came.load(Ordering::SeqCst), 1);
    let seen = host.done("impri_await_decision", one(&id)).await;
    assert_eq!((&seen["may_act"], &seen["must_claim"]), (&json!(false), &json!(false)), "{seen}");
    assert!(seen["next"].as_str().expect("words").contains("Do not act"));
}
