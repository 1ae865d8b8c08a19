//! Checkpoints of the history for a receiver outside: in order, each at least once, and in nobody's way.

use impri::domain::delivery::Outcome;
use impri::server::notify::checkpoints::{self, CheckpointReceiver, Sent};
use impri::server::notify::outbound::Outbound;
use serde_json::json;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::{BROKEN, Desk, GUARDED, OK, OPEN, Receiver, soon};

impl Desk {
    /// Something happens, is sealed and signed.
    async fn signed(&self) {
        self.propose("http://nobody.example/").await;
        self.services.seal_all().await.expect("a database");
    }

    async fn stored(&self) -> Vec<String> {
        let jws = sqlx::query_scalar("select jws from audit_checkpoint order by seq");
        let jws: Vec<String> = jws.fetch_all(self.services.pool()).await.expect("rows");
        jws.into_iter().map(|jws| json!({"type": "checkpoint", "jws": jws}).to_string() + "\n").collect()
    }

    async fn anchor(&self, receiver: &CheckpointReceiver) -> Sent {
        soon(checkpoints::send_due(&self.services, &Outbound::new(OPEN), receiver)).await.expect("a database")
    }
}

fn at(receiver: &Receiver, path: &str) -> CheckpointReceiver {
    CheckpointReceiver::new(&receiver.url(path).parse().expect("an address"))
}

async fn bodies(receiver: &Receiver) -> Vec<serde_json::Value> {
    let heard = receiver.rest().await;
    assert!(
        heard.iter().all(|one| one.header("content-type") == "application/json" && one.body.ends_with('\n'))
    );
    heard.iter().map(|one| serde_json::from_str(&one.body).expect("JSON")).collect()
}

async fn expected(desk: &Desk, places: &[usize]) -> Vec<serde_json::Value> {
    let stored = desk.stored().await;
    places.iter().map(|place| serde_json::from_str(&stored[*place]).expect("JSON")).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn each_arrives_in_order_and_what_failed_comes_again_first(pool: PgPool) {
    let desk = Desk::open(pool).await;
    for _ in 0..3 {
        desk.signed().await;
    }
    let receiver = Receiver::start(&[OK, BROKEN, OK]).await;
    let first = at(&receiver, "/anchor?key=secret");
    let failed = desk.anchor(&first).await;
    assert!(matches!(&failed, Sent::Failed(Outcome::Failed { status: Some(500), .. })), "{failed:?}");
    assert_eq!(bodies(&receiver).await, expected(&desk, &[0, 1]).await, "the third waits for the second");
    let states = desk.services.receivers().await.expect("a database");
    assert_eq!((states.len(), states[0].host.as_str()), (1, "127.0.0.1"));
    assert_eq!(states[0].last_error.as_deref(), Some("HTTP 500"));
    assert!(states[0].failing_since.is_some() && states[0].delivered_at.is_some());

    // A server that was killed holds it for a minute; the one that comes after it goes on where it was.
    let second = at(&receiver, "/anchor?key=secret");
    assert_eq!(desk.anchor(&second).await, Sent::Elsewhere);
    desk.advance(61);
    desk.signed().await;
    assert_eq!(desk.anchor(&second).await, Sent::All(3));
    assert_eq!(bodies(&receiver).await, expected(&desk, &[1, 2, 3]).await);
    let states = desk.services.receivers().await.expect("a database");
    assert_eq!((&states[0].failing_since, &states[0].last_error), (&None, &None));
    assert_eq!(desk.anchor(&second).await, Sent::All(0), "and none comes again");

    // Another address is another receiver, which has nothing yet.
    let other = at(&receiver, "/elsewhere");
    assert_eq!(desk.anchor(&other).await, Sent::All(4));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_receiver_that_hangs_delays_no_seal_and_the_next_server_goes_on(pool: PgPool) {
    let desk = Desk::open(pool).await;
    desk.signed().await;
    let receiver = Receiver::start(&[OK]).await;
    let hanging = at(&receiver, "/hang");
    let (services, stop) = (desk.services.clone(), CancellationToken::new());
    let token = stop.clone();
    let running = tokio::spawn(async move { checkpoints::run(&services, OPEN, &hanging, &token).await });
    receiver.next().await;
    desk.signed().await;
    let unsealed = "select count(*) from audit_event e where not exists (
        select from audit_seal s where s.event_id = e.event_id)";
    let unsealed: i64 = sqlx::query_scalar(unsealed).fetch_one(desk.services.pool()).await.expect("a count");
    assert_eq!((unsealed, desk.stored().await.len()), (0, 2));
    stop.cancel();
    soon(running).await.expect("an orderly end");
    // It let go, so nobody has to wait for the end of its lease.
    let again = at(&receiver, "/hang");
    let offered = desk.services.clone();
    let next = tokio::spawn(async move {
        checkpoints::send_due(&offered, &Outbound::new(OPEN), &again).await.expect("a database")
    });
    for _ in 0..2 {
        receiver.next().await;
        receiver.shared.let_go.notify_waiters();
    }
    assert_eq!(soon(next).await.expect("no panic"), Sent::All(2));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn private_addresses_take_none_unless_the_operator_says_so(pool: PgPool) {
    let desk = Desk::open(pool).await;
    desk.signed().await;
    let receiver = Receiver::start(&[OK]).await;
    let sent = checkpoints::send_due(&desk.services, &Outbound::new(GUARDED), &at(&receiver, "/")).await;
    let sent = sent.expect("a database");
    assert!(matches!(&sent, Sent::Failed(Outcome::Refused { .. })), "{sent:?}");
    assert!(receiver.rest().await.is_empty());
}
