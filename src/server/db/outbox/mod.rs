//! What has to leave the house: rows written with their cause and taken by workers that hold a lease.
//!
//! A row is open while its state is `pending` or `retry`. Whoever takes it writes a lease into it; what the taker says
//! afterwards counts only while that very lease is still there, so a taker that was too slow and was replaced changes
//! nothing. No row is ever deleted.

mod look;
mod notices;

pub use look::*;
pub use notices::*;
use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::delivery::{Fate, Outcome};
use crate::domain::ids::{ActionId, ChannelId, DeliveryId, ProjectId, PushDeviceId};
use crate::server::kept::StoredSecret;

/// A message to be sent.
#[derive(Debug, Clone)]
pub struct OutboxMessage {
    /// Named to the receiver.
    pub event: DeliveryId,
    /// Of which project.
    pub project: ProjectId,
    /// About which action.
    pub action: ActionId,
    /// Where to.
    pub target: String,
    /// What.
    pub body: String,
}

/// Stores a callback to be sent at once.
///
/// # Errors
/// If the database can't be reached.
pub async fn enqueue_callback(
    conn: &mut PgConnection,
    message: &OutboxMessage,
    now: Instant,
) -> DbResult<()> {
    sqlx::query!(
        "insert into outbox (event_id, project_id, action_id, channel, target, target_host, body, state,
           created_at, due_at)
         values ($1, $2, $3, 'callback', $4, $5, $6, 'pending', $7, $7)",
        message.event.uuid(),
        message.project.uuid(),
        message.action.uuid(),
        message.target,
        receiver(&message.target),
        message.body,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The host that a target names, in the one spelling that the URL standard gives it.
fn receiver(target: &str) -> String {
    let url = url::Url::parse(target).ok();
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or_default();
    host.trim_end_matches('.').to_owned()
}

/// The right to send one row and to say what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    id: i64,
    until: Instant,
}

impl Lease {
    /// Until when the row is ours.
    pub fn until(&self) -> Instant {
        self.until
    }
}

/// A row that is ours to send. It holds a secret, so it does not show itself.
pub struct TakenMessage {
    /// What we have to show afterwards.
    pub lease: Lease,
    /// What is sent where.
    pub message: OutboxMessage,
    /// The host in the target.
    pub host: String,
    /// The channel that it goes to, if it is no callback.
    pub channel: Option<ChannelId>,
    /// The device that it goes to, if it is a push.
    pub device: Option<PushDeviceId>,
    /// How often it failed so far.
    pub failures: u32,
    /// How often whoever had taken it did not say what came of that.
    pub lost: u32,
    /// What the project signs with.
    pub secret: StoredSecret,
}

/// How much may be taken at once.
pub struct Room<'a> {
    /// Callbacks in all.
    pub callbacks: usize,
    /// Messages to people in all. They have room of their own, because receivers of callbacks are chosen by agents.
    pub people: usize,
    /// Rows for one host, counting those that are being sent.
    pub per_host: usize,
    /// What is being sent to each host now.
    pub sending: &'a std::collections::HashMap<String, usize>,
}

/// Takes what is due, the oldest first, with a lease until `until`; skips what somebody else is taking.
///
/// It goes from host to host, because a queue in order of time alone would show nothing but the messages of a receiver
/// that hangs, once there are enough of them; and among those agents take turns, because one of them may name as many
/// hosts that hang as it likes.
///
/// # Errors
/// If the database can't be reached.
pub async fn take_due(
    conn: &mut PgConnection,
    room: &Room<'_>,
    now: Instant,
    until: Instant,
) -> DbResult<Vec<TakenMessage>> {
    let hosts: Vec<String> = room.sending.keys().cloned().collect();
    let counts: Vec<i64> = room.sending.values().map(|count| clamp(*count)).collect();
    let rows = sqlx::query!(
        r#"with recursive host (name) as (
             (select target_host from outbox where state in ('pending', 'retry') order by target_host limit 1)
             union all
             select (select o.target_host from outbox o
                     where o.state in ('pending', 'retry') and o.target_host > host.name
                     order by o.target_host limit 1)
             from host where host.name is not null),
           found as (
             select due.outbox_id, due.due_at, host.name like 'channel:%' as is_people,
               row_number() over (
                 partition by host.name like 'channel:%', a.proposed_by order by due.due_at) as turn
             from host
             left join unnest($3::text[], $4::bigint[]) as busy (name, sending) on busy.name = host.name
             cross join lateral (
               select o.outbox_id, o.due_at, o.action_id from outbox o
               where o.state in ('pending', 'retry') and o.target_host = host.name and o.due_at <= $1
                 and (o.leased_until is null or o.leased_until <= $1)
               order by o.due_at
               -- Messages of a channel go one after the other, and so do those of a device, which is named like one.
               limit greatest(case when host.name like 'channel:%' then 1 else $6::bigint end - coalesce(busy.sending, 0), 0)
               for update skip locked) due
             left join action a on a.action_id = due.action_id),
           taken as (
             (select outbox_id from found where not is_people order by turn, due_at limit $5)
             union all
             (select outbox_id from found where is_people order by turn, due_at limit $7))
           -- Whoever says what came of a try takes the lease away: one that is still there was lost.
           update outbox o set leased_until = $2, lost = o.lost + case when o.leased_until is null then 0 else 1 end
           from taken, project p
           where o.outbox_id = taken.outbox_id and p.project_id = o.project_id
           returning o.outbox_id, o.event_id, o.project_id, o.action_id, o.target, o.target_host, o.body, o.attempt,
             o.lost, o.channel_id, o.push_device_id, p.sealed_webhook_secret as sealed, p.webhook_secret as clear"#,
        now,
        until,
        &hosts,
        &counts,
        clamp(room.callbacks),
        clamp(room.per_host),
        clamp(room.people),
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let secret = StoredSecret::of(row.sealed, row.clear);
            Ok(TakenMessage {
                lease: Lease { id: row.outbox_id, until },
                message: OutboxMessage {
                    event: DeliveryId::from_uuid(row.event_id),
                    project: ProjectId::from_uuid(row.project_id),
                    action: ActionId::from_uuid(row.action_id),
                    target: row.target,
                    body: row.body,
                },
                host: row.target_host,
                channel: row.channel_id.map(ChannelId::from_uuid),
                device: row.push_device_id.map(PushDeviceId::from_uuid),
                failures: u32::try_from(row.attempt).unwrap_or_default(),
                lost: u32::try_from(row.lost).unwrap_or_default(),
                secret: secret.ok_or(corrupt("project.sealed_webhook_secret"))?,
            })
        })
        .collect()
}

fn clamp(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Locks the row of a lease, and others with it, until the transaction ends. Whoever writes down what came of an attempt
/// does this before all else, because whoever erases locks rows of the outbox, in this order, before their actions.
///
/// # Errors
/// If the database can't be reached.
pub async fn hold(conn: &mut PgConnection, lease: Lease, others: &[i64]) -> DbResult<()> {
    let rows: Vec<i64> = others.iter().copied().chain([lease.id]).collect();
    sqlx::query!("select from outbox where outbox_id = any($1) order by outbox_id for no key update", &rows)
        .execute(conn)
        .await?;
    Ok(())
}

/// Writes what came of an attempt and gives the lease back; says whether the lease was still ours.
///
/// # Errors
/// If the database can't be reached.
pub async fn record(
    conn: &mut PgConnection,
    lease: Lease,
    outcome: &Outcome,
    fate: Fate,
    now: Instant,
) -> DbResult<bool> {
    let (due_at, done_at) = match fate {
        Fate::Retry(pause) => (Some(now + pause), None),
        Fate::Delivered | Fate::Gone | Fate::Dead => (None, Some(now)),
    };
    let done = sqlx::query!(
        "update outbox set state = $3, attempt = attempt + $4, last_status = $5, last_error = $6,
           due_at = coalesce($7, due_at), done_at = $8, leased_until = null
         where outbox_id = $1 and leased_until = $2 and state in ('pending', 'retry')",
        lease.id,
        lease.until,
        fate.as_str(),
        i32::from(outcome.is_failure()),
        outcome.status().map(i32::from),
        outcome.reason(),
        due_at,
        done_at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Gives leases back without an attempt, so that another server need not wait for their end.
///
/// # Errors
/// If the database can't be reached.
pub async fn release(conn: &mut PgConnection, leases: &[Lease]) -> DbResult<()> {
    let (ids, until): (Vec<i64>, Vec<Instant>) = leases.iter().map(|lease| (lease.id, lease.until)).unzip();
    sqlx::query!(
        "update outbox o set leased_until = null
         from unnest($1::bigint[], $2::timestamptz[]) as lease (id, until)
         where o.outbox_id = lease.id and o.leased_until = lease.until",
        &ids,
        &until,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// When the next row that is not due yet will be.
///
/// # Errors
/// If the database can't be reached.
pub async fn next_due(conn: &mut PgConnection, now: Instant) -> DbResult<Option<Instant>> {
    sqlx::query_scalar!(
        "select min(due_at) from outbox where state in ('pending', 'retry') and due_at > $1",
        now
    )
    .fetch_one(conn)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_has_one_spelling() {
        for (target, host) in [
            ("https://user:pw@Hooks.Example:8443/a?b#c", "hooks.example"),
            ("https://hooks.example./", "hooks.example"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://[::FFFF:127.0.0.1]:80/", "[::ffff:7f00:1]"),
            ("http://b\u{fc}cher.example/", "xn--bcher-kva.example"),
            ("nonsense", ""),
        ] {
            assert_eq!(receiver(target), host, "{target}");
        }
    }
}
