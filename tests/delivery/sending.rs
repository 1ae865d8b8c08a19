//! One message: when it is sent, what it says, what a receiver's answer does to it.

use axum::http::StatusCode;
use impri::domain::audit::Actor;
use impri::domain::audit::EventKind;
use impri::domain::decision::Channel;
use impri::domain::decision::Verdict;
use impri::domain::ids::ActionId;
use impri::domain::proposal::RawProposal;
use impri::server::notify;
use impri::server::service::Proposed;
use serde_json::Value;
use serde_json::json;
use sqlx::PgPool;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{BROKEN, Desk, GUARDED, OK, OPEN, Receiver, soon};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_is_delivered_within_a_second(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let worker = desk.start_worker(OPEN);
    let action = desk.propose(&receiver.url("/hook?token=1")).await;
    let decided = std::time::Instant::now();
    desk.decide(action.id, Verdict::Approve, json!({"preview.body": "Dear Mr Smith"})).await;
    let received = receiver.next().await;
    assert!(decided.elapsed() < Duration::from_secs(1), "{:?}", decided.elapsed());

    let now = desk.services.clock().now().unix_timestamp();
    received.assert_genuine(&desk.secret, now);
    assert_eq!(received.path, "/hook");
    let body = received.json();
    let keys: Vec<&str> = body.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "event",
            "action_id",
            "status",
            "decided_at",
            "verdict",
            "final_preview",
            "diff",
            "receipt",
            "event_id"
        ]
    );
    assert_eq!(body["action_id"], json!(action.id));
    assert_eq!((&body["status"], &body["verdict"]), (&json!("approved"), &json!("approve")));
    assert_eq!(body["decided_at"], now);
    assert_eq!(body["final_preview"], json!({"format": "plain", "body": "Dear Mr Smith"}));
    let diff = body["diff"].as_str().expect("a diff");
    assert!(diff.contains("-Dear Ms Smith") && diff.contains("+Dear Mr Smith"), "{diff}");

    let viewed = desk.services.action(desk.project(), action.id).await.expect("an action");
    let receipt = viewed.action.decision().and_then(|decision| decision.receipt.as_ref()).expect("a receipt");
    assert_eq!(body["receipt"], receipt.as_str());

    let delivery = desk.until_state(action.id, "delivered").await;
    assert_eq!((delivery.attempt, delivery.last_status, delivery.last_error), (0, Some(200), None));
    worker.stop().await;
    assert!(receiver.rest().await.is_empty(), "delivered once");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_and_an_expiry_are_told_too(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let rejected = desk.propose(&receiver.url("/")).await;
    desk.decide(rejected.id, Verdict::Reject, json!({})).await;
    assert_eq!(desk.send_due().await, 1);
    let received = receiver.next().await;
    received.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    let body = received.json();
    assert_eq!((&body["status"], &body["verdict"]), (&json!("rejected"), &json!("reject")));
    assert_eq!(body["diff"], Value::Null);

    let expired = desk.propose(&receiver.url("/")).await;
    desk.advance(72 * 3600 + 1);
    assert_eq!(desk.services.expire_due().await.expect("a database"), 1);
    assert_eq!(desk.send_due().await, 1);
    let received = receiver.next().await;
    received.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    let body = received.json();
    let keys: Vec<&str> = body.keys().map(String::as_str).collect();
    assert_eq!(keys, ["event", "action_id", "status", "event_id"]);
    assert_eq!((&body["action_id"], &body["status"]), (&json!(expired.id), &json!("expired")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_failure_is_tried_again_when_its_time_comes(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[BROKEN, OK]).await);
    let action = desk.approved(&receiver.url("/")).await;
    assert_eq!(desk.send_due().await, 1);
    let first = receiver.next().await;
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_status), ("retry", 1, Some(500)));
    assert_eq!(delivery.last_error.as_deref(), Some("HTTP 500"));

    desk.advance(59);
    assert_eq!(desk.send_due().await, 0, "not before its time");
    desk.advance(1);
    assert_eq!(desk.send_due().await, 1);
    let second = receiver.next().await;
    second.assert_genuine(&desk.secret, desk.services.clock().now().unix_timestamp());
    assert_eq!(second.body, first.body);
    assert_ne!(second.header("x-impri-nonce"), first.header("x-impri-nonce"));
    let delivery = desk.delivery(action).await;
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_error), ("delivered", 1, None));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn why_nobody_took_it_is_said_in_plain_words(pool: PgPool) {
    let desk = Desk::open(pool).await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    for (target, said) in [
        (format!("http://{address}/secret"), "no connection: nothing listens there"),
        (
            "http://no-such-host.invalid/secret".to_owned(),
            "no connection: no address is known for the host's name",
        ),
    ] {
        let action = desk.approved(&target).await;
        assert_eq!(desk.send_due().await, 1);
        let delivery = desk.delivery(action).await;
        assert_eq!((delivery.state.as_str(), delivery.last_error.as_deref()), ("retry", Some(said)));
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_that_is_gone_is_not_called_again(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[(StatusCode::GONE, "/")]).await);
    let proposal =
        RawProposal { idempotency_key: Some("once".to_owned()), ..Desk::proposal(&receiver.url("/")) };
    let propose = || desk.services.propose(&desk.agent, proposal.clone(), Channel::api());
    let Ok(Proposed::New(action)) = propose().await else { panic!("a new action") };
    desk.decide(action.id, Verdict::Approve, json!({})).await;
    assert_eq!(desk.send_due().await, 1);

    let viewed = desk.services.action(desk.project(), action.id).await.expect("an action");
    assert_eq!(viewed.action.callback_url, None);
    let delivery = viewed.delivery.expect("still told");
    assert_eq!((delivery.state.as_str(), delivery.attempt, delivery.last_status), ("gone", 0, Some(410)));
    desk.advance(1_000_000);
    assert_eq!(desk.send_due().await, 0);
    assert!(!replay(&desk, action.id).await, "nobody is there");
    // The same proposal under the same key is the same proposal, whatever became of the address.
    assert!(matches!(propose().await, Ok(Proposed::Replayed(_))));
}

async fn replay(desk: &Desk, id: ActionId) -> bool {
    let replayed = desk.services.replay_message(desk.project(), id, Actor::Operator, Channel::cli()).await;
    replayed.expect("a database")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn six_failures_end_in_the_history_and_a_replay_begins_anew(pool: PgPool) {
    let mut answers = vec![BROKEN; 6];
    answers.push(OK);
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&answers).await);
    let action = desk.approved(&receiver.url("/secret-path")).await;
    for (attempt, pause) in (1..).zip([60, 300, 1_500, 7_200, 43_200]) {
        assert_eq!(desk.send_due().await, 1);
        let delivery = desk.delivery(action).await;
        assert_eq!((delivery.state.as_str(), delivery.attempt), ("retry", attempt));
        assert!(!replay(&desk, action).await, "it is on its way already");
        desk.advance(pause - 1);
        assert_eq!(desk.send_due().await, 0);
        desk.advance(1);
    }
    assert!(desk.events(action, EventKind::DeliveryFailed).await.is_empty());
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "dlq");
    let heard = receiver.rest().await;
    assert_eq!(heard.len(), 6);
    let events = desk.events(action, EventKind::DeliveryFailed).await;
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0]["attempts"], &events[0]["last_status"]), (&json!(6), &json!(500)));
    assert_eq!((&events[0]["detail"], &events[0]["host"]), (&json!("HTTP 500"), &json!("127.0.0.1")));
    assert!(!events[0].to_string().contains("secret-path"));
    desk.advance(1_000_000);
    assert_eq!(desk.send_due().await, 0);

    assert!(replay(&desk, action).await);
    assert!(!replay(&desk, action).await, "once is enough");
    assert_eq!(desk.send_due().await, 1);
    let again = receiver.next().await;
    assert_eq!(again.body, heard[0].body, "the same event");
    assert_eq!(desk.delivery(action).await.state, "delivered");
    assert!(replay(&desk, action).await, "a delivered one may be wanted again");
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.events(action, EventKind::DeliveryReplayed).await.len(), 2);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_redirect_is_not_followed(pool: PgPool) {
    let (desk, elsewhere) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let location: &'static str = {
        static LOCATION: OnceLock<String> = OnceLock::new();
        LOCATION.get_or_init(|| elsewhere.url("/"))
    };
    for status in [StatusCode::FOUND, StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT] {
        let receiver = Receiver::start(&[(status, location)]).await;
        let action = desk.approved(&receiver.url("/")).await;
        assert_eq!(desk.send_due().await, 1);
        let delivery = desk.delivery(action).await;
        assert_eq!(
            (delivery.state.as_str(), delivery.last_status),
            ("retry", Some(i32::from(status.as_u16())))
        );
    }
    assert!(elsewhere.rest().await.is_empty());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_that_hangs_delays_nobody_else(pool: PgPool) {
    let (desk, good) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let bad = Receiver::start_at("127.0.0.2:0", &[OK]).await;
    // More than a server sends at a time, all of them older than what the good receiver is waiting for.
    let mut stuck = Vec::new();
    for n in 0..40 {
        stuck.push(desk.approved(&bad.url(&format!("/hang/{n}"))).await);
    }
    let worker = desk.start_worker(OPEN);
    for _ in 0..4 {
        bad.next().await;
    }
    let decided = std::time::Instant::now();
    for _ in 0..10 {
        let action = desk.approved(&good.url("/")).await;
        good.next().await;
        desk.until_state(action, "delivered").await;
    }
    assert!(decided.elapsed() < Duration::from_secs(5), "{:?}", decided.elapsed());
    assert_eq!(bad.shared.hanging.load(Ordering::SeqCst), 4, "still hanging, four at a time");

    // Its turn goes on as soon as it answers, four at a time.
    soon(async {
        let mut answered = 4;
        while answered < stuck.len() {
            bad.shared.let_go.notify_one();
            bad.next().await;
            answered += 1;
        }
    })
    .await;
    assert!(
        bad.shared.most_hanging.load(Ordering::SeqCst) <= 5,
        "one may have been answered and not counted yet"
    );
    worker.stop().await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn inner_addresses_are_refused_unless_the_operator_allows_them(pool: PgPool) {
    let (desk, receiver) = (Desk::open(pool).await, Receiver::start(&[OK]).await);
    let port = receiver.address.port();
    for host in
        ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0x7f.1", "2130706433", "0"]
    {
        let action = desk.approved(&format!("http://{host}:{port}/")).await;
        assert_eq!(soon(notify::send_due(&desk.services, GUARDED)).await.expect("a database"), 1);
        let delivery = desk.delivery(action).await;
        assert_eq!(delivery.state, "dlq", "{host}");
        let reason = delivery.last_error.unwrap_or_default();
        assert!(reason.starts_with("SSRF blocked"), "{host}: {reason}");
        assert_eq!(desk.events(action, EventKind::DeliveryFailed).await.len(), 1, "{host}");
    }
    assert!(receiver.rest().await.is_empty());
    // The same name, when private targets are allowed.
    let action = desk.approved(&format!("http://localhost:{port}/")).await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.delivery(action).await.state, "delivered");
}
