//! The chains of the history: what is not sealed yet, the links, the checkpoints, and where the sealer is.
//!
//! How it is known that no event is left out: see [`Place`].

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::ids::{ActionId, ProjectId};
use crate::domain::seal::{Sha256Digest, StoredFact};

/// The lock of the one that seals, or erases what is sealed: `imprseal`.
pub const LOCK: i64 = 0x696d_7072_7365_616c;

/// Becomes the sealer until the transaction ends, unless there is one.
///
/// # Errors
/// If the database can't be reached.
pub async fn try_lock(conn: &mut PgConnection) -> DbResult<bool> {
    sqlx::query_scalar!(r#"select pg_try_advisory_xact_lock($1) as "locked!""#, LOCK).fetch_one(conn).await
}

/// Waits until nobody seals, and keeps everybody from it until the transaction ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock(conn: &mut PgConnection) -> DbResult<()> {
    sqlx::query!(r#"select pg_advisory_xact_lock($1) as "locked!: ()""#, LOCK).execute(conn).await?;
    Ok(())
}

/// Where the sealer is.
///
/// The numbers of events are no order of commits: one with a low number may appear after one with a high number was
/// sealed. So a round seals every event that it sees and that has no seal, and begins its search at `settled_to`. Below
/// that nothing can appear: a transaction has its own number before it takes one for an event (the column's default
/// sees to that), so whoever began after a round has numbers above the highest that the round saw. Once nobody
/// is under way who had begun before that round, its highest number is the new `settled_to`. Who had begun by then is told
/// by the round's own number, taken after it saw that event. A snapshot's upper end does not tell: it is the last
/// transaction that *ended*, and others with higher numbers may be under way already, with low numbers for their events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Up to here all is sealed, and nothing can appear.
    pub settled_to: i64,
    /// The next such number, …
    pub settling_to: i64,
    /// … once no transaction is under way that is older than this one.
    pub settling_xact: i64,
}

/// What there is before a round.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    /// The oldest transaction that is under way, or the next to come.
    pub oldest: i64,
    /// Transactions from here on had not begun.
    pub next: i64,
    /// The highest number that an event has.
    pub newest: i64,
}

impl Place {
    /// Where the sealer is after a round; `cut_at` is the last event that it sealed, if it left some for the next.
    #[must_use]
    pub fn after(self, sight: Sight, cut_at: Option<i64>) -> Self {
        let mut place = self;
        // A number from before a restore may be one that this cluster has yet to reach.
        let is_foreign = self.settling_xact > sight.next;
        if sight.oldest >= self.settling_xact {
            let reached = cut_at.map_or(self.settling_to, |last| last.min(self.settling_to));
            place.settled_to = self.settled_to.max(reached);
        }
        let is_done = place.settled_to >= self.settling_to;
        if (is_done || is_foreign) && sight.newest > place.settled_to {
            place.settling_to = sight.newest;
            place.settling_xact = sight.next;
        }
        place
    }
}

/// Where the sealer is, and what there is. Read it before the events, and before anything is written.
///
/// # Errors
/// If the database can't be reached.
pub async fn look(conn: &mut PgConnection) -> DbResult<(Place, Sight)> {
    // A row that somebody gave a number by hand says nothing about the numbers to come.
    let row = sqlx::query!(
        r#"select settled_to, settling_to, settling_xact,
             pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldest!",
             pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "ended!",
             coalesce((select max(event_id) from audit_event
                       where event_id <= (select last_value from audit_event_number)), 0) as "newest!",
             pg_current_xact_id_if_assigned() is null as "is_new!"
           from audit_sealer"#
    )
    .fetch_one(&mut *conn)
    .await?;
    let place =
        Place { settled_to: row.settled_to, settling_to: row.settling_to, settling_xact: row.settling_xact };
    let sight = Sight { oldest: row.oldest, next: row.ended, newest: row.newest };
    if row.newest <= row.settled_to {
        return Ok((place, sight));
    }
    // A number that was taken before the look would not tell who had begun by then; nothing settles with it.
    if !row.is_new {
        return Ok((place, Sight { oldest: 0, newest: 0, ..sight }));
    }
    // In a statement of its own: after the look, whatever a plan would do first.
    let next = sqlx::query_scalar!(r#"select pg_current_xact_id()::text::bigint as "next!""#)
        .fetch_one(conn)
        .await?;
    Ok((place, Sight { next, ..sight }))
}

/// Stores where the sealer is.
///
/// # Errors
/// If the database can't be reached.
pub async fn move_to(conn: &mut PgConnection, place: Place) -> DbResult<()> {
    sqlx::query!(
        "update audit_sealer set settled_to = $1, settling_to = $2, settling_xact = $3",
        place.settled_to,
        place.settling_to,
        place.settling_xact,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The next events without a seal, of all projects, by number.
///
/// # Errors
/// If the database can't be reached.
pub async fn unsealed(conn: &mut PgConnection, settled_to: i64, limit: i64) -> DbResult<Vec<StoredFact>> {
    // Both sides begin at the same number, so that no plan looks at what was sealed long ago.
    sqlx::query!("set local plan_cache_mode = force_custom_plan").execute(&mut *conn).await?;
    let rows = sqlx::query_as!(
        FactRow,
        r#"select e.event_id, e.project_id, e.kind, e.action_id, e.actor_kind, e.actor_id, e.actor_name, e.channel,
             e.data, audit_instant(e.at) as "at!"
           from audit_event e
           where e.event_id > $1
             and not exists (select from audit_seal s where s.event_id > $1 and s.event_id = e.event_id)
           order by e.event_id limit $2"#,
        settled_to,
        limit,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(FactRow::into_fact).collect())
}

/// The last place of a chain and its hash; nothing if the chain is empty.
///
/// # Errors
/// If the database can't be reached or the hash is corrupt.
pub async fn head(conn: &mut PgConnection, project: ProjectId) -> DbResult<Option<(i64, Sha256Digest)>> {
    let row = sqlx::query!(
        "select seq, hash from audit_seal where project_id = $1 order by seq desc limit 1",
        project.uuid(),
    )
    .fetch_optional(conn)
    .await?;
    row.map(|row| Ok((row.seq, digest(&row.hash, "audit_seal.hash")?))).transpose()
}

/// A new link.
#[derive(Debug, Clone)]
pub struct NewSeal {
    /// Whose chain.
    pub project: ProjectId,
    /// Its place.
    pub seq: i64,
    /// Of which event.
    pub event: i64,
    /// The event's digest.
    pub digest: Sha256Digest,
    /// The digest of what can be erased.
    pub erasable: Sha256Digest,
    /// What that was salted with.
    pub salt: [u8; 16],
    /// The hash of the link.
    pub hash: Sha256Digest,
}

/// Appends links.
///
/// # Errors
/// If the database can't be reached, or an event is sealed already.
pub async fn append(conn: &mut PgConnection, seals: &[NewSeal], now: Instant) -> DbResult<()> {
    fn column<T>(seals: &[NewSeal], take: impl Fn(&NewSeal) -> T) -> Vec<T> {
        seals.iter().map(take).collect()
    }
    sqlx::query!(
        "insert into audit_seal (project_id, seq, event_id, digest, erasable_sha256, salt, hash, sealed_at)
         select *, $8::timestamptz
         from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])",
        &column(seals, |seal| seal.project.uuid()),
        &column(seals, |seal| seal.seq),
        &column(seals, |seal| seal.event),
        &column(seals, |seal| seal.digest.as_bytes().to_vec()),
        &column(seals, |seal| seal.erasable.as_bytes().to_vec()),
        &column(seals, |seal| seal.salt.to_vec()),
        &column(seals, |seal| seal.hash.as_bytes().to_vec()),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// How far a project's history is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealState {
    /// The place of the last sealed event.
    pub seq: i64,
    /// When it was sealed.
    pub sealed_at: Instant,
    /// When the last checkpoint was signed.
    pub signed_at: Option<Instant>,
}

/// How far a project's history is sealed; nothing if no event is.
///
/// # Errors
/// If the database can't be reached.
pub async fn state(conn: &mut PgConnection, project: ProjectId) -> DbResult<Option<SealState>> {
    sqlx::query_as!(
        SealState,
        r#"select seq, sealed_at,
             (select signed_at from audit_checkpoint where project_id = $1 order by seq desc limit 1) as signed_at
           from audit_seal where project_id = $1 order by seq desc limit 1"#,
        project.uuid(),
    )
    .fetch_optional(conn)
    .await
}

pub(super) fn digest(bytes: &[u8], column: &'static str) -> DbResult<Sha256Digest> {
    Sha256Digest::from_slice(bytes).ok_or_else(|| corrupt(column))
}

pub(super) struct FactRow {
    pub(super) event_id: i64,
    pub(super) project_id: Uuid,
    pub(super) at: String,
    pub(super) kind: String,
    pub(super) action_id: Option<Uuid>,
    pub(super) actor_kind: String,
    pub(super) actor_id: Option<Uuid>,
    pub(super) actor_name: String,
    pub(super) channel: String,
    pub(super) data: serde_json::Value,
}

impl FactRow {
    pub(super) fn into_fact(self) -> StoredFact {
        StoredFact {
            id: self.event_id,
            project: ProjectId::from_uuid(self.project_id),
            at: self.at,
            kind: self.kind,
            action: self.action_id.map(ActionId::from_uuid),
            actor_kind: self.actor_kind,
            actor_id: self.actor_id,
            actor_name: self.actor_name,
            channel: self.channel,
            data: self.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(settled_to: i64, settling_to: i64, settling_xact: i64) -> Place {
        Place { settled_to, settling_to, settling_xact }
    }

    #[test]
    fn a_number_settles_when_all_are_gone_who_were_there_when_it_was_the_highest() {
        let begun = place(0, 0, 0).after(Sight { oldest: 90, next: 100, newest: 40 }, None);
        assert_eq!(begun, place(0, 40, 100));
        let waiting = begun.after(Sight { oldest: 99, next: 120, newest: 60 }, None);
        assert_eq!(waiting, begun, "transaction 99 may still write an event below 40");
        let settled = waiting.after(Sight { oldest: 100, next: 130, newest: 70 }, None);
        assert_eq!(settled, place(40, 70, 130));
        let quiet = place(70, 70, 130).after(Sight { oldest: 140, next: 140, newest: 70 }, None);
        assert_eq!(quiet, place(70, 70, 130), "nothing to write when nothing happens");
    }

    #[test]
    fn a_round_that_left_events_settles_only_what_it_sealed() {
        let sight = Sight { oldest: 200, next: 200, newest: 900 };
        assert_eq!(place(0, 500, 100).after(sight, Some(100)), place(100, 500, 100));
        assert_eq!(place(400, 500, 100).after(sight, Some(510)), place(500, 900, 200));
        assert_eq!(place(0, 0, 0).after(sight, Some(100)), place(0, 900, 200));
    }

    #[test]
    fn a_restored_database_starts_anew() {
        let sight = Sight { oldest: 50, next: 60, newest: 900 };
        assert_eq!(place(300, 500, 7_000).after(sight, None), place(300, 900, 60));
    }
}
