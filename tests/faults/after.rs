//! What must be true afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use impri::domain::ids::{ActionId, DeliveryId};
use impri::server::receipts;
use sqlx::{PgConnection, Row as _};
use tokio::time::sleep;
use uuid::Uuid;

use super::load::Load;
use super::machines::Machines;
use super::receiver::Receiver;
use crate::managed_postgres::support::PATIENCE;

/// Everything about one action, counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Counted {
    status: String,
    key: String,
    verdict: Option<String>,
    receipt: Option<String>,
    events: BTreeMap<String, i64>,
    deliveries: Vec<String>,
    delivered: usize,
}

/// Checks it, and says how much there was.
pub(super) async fn check(machines: &mut Machines, load: &Load, receiver: &Receiver) -> String {
    let mut conn = machines.connect().await;
    // What a killed server was sending is held for it for half a minute more, which is not waited for.
    until_none(
        &mut conn,
        "callbacks that could be sent",
        "select count(*) from outbox where state in ('pending', 'retry') and due_at <= now()
           and (leased_until is null or leased_until <= now())",
    )
    .await;
    until_none(
        &mut conn,
        "events without a seal",
        "select count(*) from audit_event e where not exists (select from audit_seal s where s.event_id = e.event_id)",
    )
    .await;
    let keys = load.public_keys().await;
    machines.stop_servers();

    let stored = read(&mut conn).await;
    let accepted = load.accepted().clone();
    let heard = receiver.heard();
    assert!(accepted.proposals.len() > 20, "something happened: {}", accepted.proposals.len());

    // Every accepted request is there once, and nothing else is.
    let ids: BTreeSet<&String> = accepted.proposals.values().collect();
    assert_eq!(ids.len(), accepted.proposals.len(), "an action for each key");
    assert_eq!(stored.keys().collect::<BTreeSet<_>>(), ids);
    for (key, id) in &accepted.proposals {
        assert_eq!(&stored[id].key, key, "{id}");
    }
    for (id, action) in &stored {
        let count = |kind: &str| action.events.get(kind).copied().unwrap_or_default();
        assert_eq!(count("action.created"), 1, "{id}: {action:?}");
        // Every decision has one event, one receipt and one delivery.
        let verdict = action.verdict.as_deref().unwrap_or_else(|| panic!("{id} was decided: {action:?}"));
        let decided = (count("action.approved"), count("action.rejected"));
        assert_eq!(decided, if verdict == "approve" { (1, 0) } else { (0, 1) }, "{id}: {action:?}");
        let receipt = action.receipt.as_deref().unwrap_or_else(|| panic!("{id} has a receipt: {action:?}"));
        let claims = receipts::verify(receipt, &keys).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!((claims.sub.to_string(), claims.verdict.as_str()), (id.clone(), verdict));
        assert_eq!(action.deliveries.len(), 1, "{id}: {action:?}");
        let told: Vec<String> = heard.get(id).into_iter().flatten().cloned().collect();
        assert!(told.len() <= 1 && told.len() >= action.delivered, "{id}: told {told:?}, {action:?}");
        assert!(
            told.iter().all(|event| action.deliveries.contains(event)),
            "{id}: told {told:?}, {action:?}"
        );
        let yes = accepted.decisions.get(id).cloned().unwrap_or_default();
        assert!(yes.len() <= 1 && yes.iter().all(|said| *said == verdict), "{id}: {yes:?} and {action:?}");
        // Claims are exclusive.
        let claims = accepted.claims.get(id).copied().unwrap_or_default();
        assert!(claims <= 1 && i64::from(claims) <= count("action.claimed"), "{id}: {claims} and {action:?}");
        assert!(count("action.claimed") <= i64::from(verdict == "approve"), "{id}: {action:?}");
        let results = count("action.executed");
        assert_eq!(action.status == "executed", results == 1, "{id}: {action:?}");
        assert!(results <= count("action.claimed"), "{id}: {action:?}");
    }
    for id in &accepted.reports {
        assert_eq!(stored[id].status, "executed", "{id}");
    }

    let (is_intact, said) = machines.command(&["audit", "verify"]);
    assert!(is_intact && said.contains("is intact"), "{said}");
    format!(
        "{} proposals, {} decisions, {} claims and {} results were accepted, and are there once",
        accepted.proposals.len(),
        accepted.decisions.len(),
        accepted.claims.len(),
        accepted.reports.len()
    )
}

async fn until_none(conn: &mut PgConnection, what: &str, count: &'static str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left: i64 = sqlx::query_scalar(count).fetch_one(&mut *conn).await.expect("a count");
        if left == 0 {
            return;
        }
        assert!(Instant::now() < deadline, "{what}: {left} are left");
        sleep(Duration::from_millis(50)).await;
    }
}

async fn read(conn: &mut PgConnection) -> BTreeMap<String, Counted> {
    let rows = sqlx::query(
        "select a.action_id, a.status, a.idempotency_key, d.verdict, d.receipt
         from action a left join decision d using (action_id)",
    );
    let mut all = BTreeMap::new();
    for row in rows.fetch_all(&mut *conn).await.expect("rows") {
        let counted = Counted {
            status: row.get("status"),
            key: row.get("idempotency_key"),
            verdict: row.get("verdict"),
            receipt: row.get("receipt"),
            ..Counted::default()
        };
        all.insert(name(&row), counted);
    }
    let rows = sqlx::query(
        "select action_id, kind, count(*) as number from audit_event where action_id is not null group by 1, 2",
    );
    for row in rows.fetch_all(&mut *conn).await.expect("rows") {
        let action: &mut Counted = all.get_mut(&name(&row)).expect("an event's action");
        action.events.insert(row.get("kind"), row.get("number"));
    }
    let rows = sqlx::query("select action_id, event_id, state from outbox order by outbox_id");
    for row in rows.fetch_all(&mut *conn).await.expect("rows") {
        let event = DeliveryId::from_uuid(row.get("event_id")).to_string();
        let action = all.get_mut(&name(&row)).expect("a delivery's action");
        action.deliveries.push(event);
        action.delivered += usize::from(row.get::<String, _>("state") == "delivered");
    }
    all
}

fn name(row: &sqlx::postgres::PgRow) -> String {
    ActionId::from_uuid(row.get::<Uuid, _>("action_id")).to_string()
}
