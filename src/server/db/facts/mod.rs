//! Which facts of the history a filter finds, newest first, however many there are.
//!
//! Every condition has an index of its own in the order of time, so one condition alone costs what it finds. Of several
//! one leads: its facts are walked in order, up to [`WALK`] of them, and the others are looked at in each. The one
//! whose walk reaches furthest back leads, so whatever has a rare condition is found whole; where all are common and
//! nothing fits them together, the walk ends and says how far back it came.

mod filter;

use std::cmp::Reverse;

use sqlx::PgConnection;

use self::filter::{Asked, Lead};
pub use self::filter::{EventFilter, Found};
use super::DbResult;
use super::audit::{EventRow, Place, StoredEvent};
use crate::domain::Instant;
use crate::domain::ids::ProjectId;

/// How many facts one search looks at, at most, if it can't know which fit.
const WALK: i64 = 10_000;

/// One statement over the facts of a lead, newest first. `$head` ends where their select begins, `$kind` is one more
/// condition on them, `$tail` goes on after their `order by`. Arguments after the first fifteen start at `$16`.
macro_rules! select_facts {
    ($row:ident, [$($head:literal)+], $kind:literal, [$($tail:literal)+], $project:expr, $lead:expr, $filter:expr,
        $asked:expr, $walk:expr $(, $arg:expr)*) => {{
        let (before_at, before_id) = $filter.before.unzip();
        sqlx::query_as!(
            $row,
            $($head +)+ "
                 select e.* from audit_event e
                 where e.project_id = $1
                   and ($2 <> 'action' or e.action_id = $3)
                   and ($2 <> 'subject' or (e.action_id is null and event_subject(e.data) = $4))
                   and ($2 <> 'actor' or e.actor_id = $5)
                   and ($2 <> 'agent' or e.agent = $6)
                   and ($2 <> 'action_kind' or e.action_kind = $7)
                   and ($2 <> 'channel' or e.channel = $8)
                   and ($2 <> 'edited' or is_edited(e.kind, e.data))
                   and ($2 <> 'nameless' or (e.actor_id is null and e.actor_kind = $15))
                   and ($9::timestamptz is null or e.at >= $9)
                   and ($10::timestamptz is null or e.at < $10)
                   and ($11::bigint is null or (e.at, e.event_id) < (audit_place_at($11), $12::bigint))
                   and (" + $kind + ")
                 order by e.at desc, e.event_id desc " $(+ $tail)+,
            $project.uuid(),
            $lead.text(),
            $asked.action,
            $asked.subject,
            $asked.actor,
            $filter.agent,
            $filter.action_kind,
            $filter.channel,
            $filter.since,
            $filter.until,
            before_at,
            before_id,
            $asked.kinds.as_deref(),
            $walk,
            $asked.nameless
            $(, $arg)*
        )
    }};
}

/// The newest facts of a project that pass the filter, up to `limit`. Call it inside a transaction.
///
/// # Errors
/// If the database can't be reached or a row is corrupt.
pub async fn find(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &EventFilter,
    limit: i64,
) -> DbResult<Found> {
    // The best plan depends on which conditions are set, so it is made for each call. Facts are walked in order, never
    // gathered and sorted: how many it takes is bounded, and what Postgres guesses of them is not.
    sqlx::query!(
        "select set_config('plan_cache_mode', 'force_custom_plan', true) as plans,
           set_config('enable_bitmapscan', 'off', true) as bitmaps, set_config('enable_seqscan', 'off', true) as whole"
    )
    .fetch_one(&mut *conn)
    .await?;
    let asked = Asked::of(filter);
    let leads = filter.leads();
    // One more, to see whether there is one.
    let wanted = limit + 1;
    let (lead, walk, end) = match leads[..] {
        [] => (Lead::Time, wanted, None),
        [lead] => (lead, wanted, None),
        _ => {
            let mut ends = Vec::with_capacity(leads.len());
            for lead in leads {
                ends.push((lead, walk_end(conn, project, lead, filter, &asked).await?));
            }
            // No end is further back than any.
            let furthest = ends
                .into_iter()
                .max_by_key(|(_, end)| end.map_or((true, None), |end| (false, Some(Reverse(end)))));
            furthest.map_or((Lead::Time, WALK, None), |(lead, end)| (lead, WALK, end))
        }
    };
    let mut events = read(conn, project, lead, filter, &asked, walk, wanted).await?;
    if events.len() >= usize::try_from(wanted).unwrap_or(usize::MAX) {
        events.pop();
        let next = events.last().map(StoredEvent::place);
        return Ok(Found { events, next, looked_back_to: None });
    }
    let looked_back_to = match end {
        Some(place) => Some(legible(conn, place).await?),
        None => None,
    };
    Ok(Found { events, next: end, looked_back_to })
}

/// Where a walk along a lead ends; nothing if it comes to the end of all.
async fn walk_end(
    conn: &mut PgConnection,
    project: ProjectId,
    lead: Lead,
    filter: &EventFilter,
    asked: &Asked,
) -> DbResult<Option<Place>> {
    struct PlaceRow {
        micros: i64,
        event_id: i64,
    }
    let row = if lead == Lead::Kinds {
        let row = select_facts!(
            PlaceRow,
            [r#"select audit_place(f.at) as "micros!", f.event_id as "event_id!"
               from unnest($13::text[]) as wanted (kind) cross join lateral ("#],
            "e.kind = wanted.kind",
            ["limit $14) f order by f.at desc, f.event_id desc offset $14::bigint - 1 limit 1"],
            project,
            lead,
            filter,
            asked,
            WALK
        );
        row.fetch_optional(conn).await?
    } else {
        let row = select_facts!(
            PlaceRow,
            [r#"select audit_place(f.at) as "micros!", f.event_id as "event_id!" from ("#],
            "$13::text[] is null or true",
            ["offset $14::bigint - 1 limit 1) f"],
            project,
            lead,
            filter,
            asked,
            WALK
        );
        row.fetch_optional(conn).await?
    };
    Ok(row.map(|row| (row.micros, row.event_id)))
}

async fn read(
    conn: &mut PgConnection,
    project: ProjectId,
    lead: Lead,
    filter: &EventFilter,
    asked: &Asked,
    walk: i64,
    limit: i64,
) -> DbResult<Vec<StoredEvent>> {
    macro_rules! fitting {
        ($from:literal, $kind:literal, $walked:literal) => {
            select_facts!(
                EventRow,
                [r#"select e.event_id as "event_id!", e.project_id as "project_id!", legible_instant(e.at) as "at!",
                     audit_place(e.at) as "micros!", e.kind as "kind!", e.action_id, e.actor_kind as "actor_kind!",
                     e.actor_id, e.actor_name as "actor_name!", e.channel as "channel!", e.data as "data!",
                     a.title as "title?", a.created_at as "created_at?", a.expires_at as "expires_at?", s.seq as "seal?"
                   from (
                     select f.* from ("# $from],
                $kind,
                [$walked "
                     where ($3::uuid is null or f.action_id = $3)
                       and ($4::text is null or (f.action_id is null and event_subject(f.data) = $4))
                       and ($5::uuid is null or f.actor_id = $5)
                       and ($6::text is null or f.agent = $6)
                       and ($7::text is null or f.action_kind = $7)
                       and ($8::text is null or f.channel = $8)
                       and ($13::text[] is null or f.kind = any($13))
                       and (not $17 or is_edited(f.kind, f.data))
                       and ($15::text is null or f.actor_kind = $15)
                     order by f.at desc, f.event_id desc limit $16) e
                   left join action a using (action_id)
                   left join audit_seal s on s.event_id = e.event_id and s.project_id = e.project_id
                   order by e.at desc, e.event_id desc"],
                project,
                lead,
                filter,
                asked,
                walk,
                limit,
                filter.is_edited
            )
        };
    }
    let rows = if lead == Lead::Kinds {
        let rows = fitting!(
            "select l.* from unnest($13::text[]) as wanted (kind) cross join lateral (",
            "e.kind = wanted.kind",
            "limit $14) l order by l.at desc, l.event_id desc limit $14) f"
        );
        rows.fetch_all(conn).await?
    } else {
        let rows = fitting!("", "true", "limit $14) f");
        rows.fetch_all(conn).await?
    };
    rows.into_iter().map(EventRow::into_event).collect()
}

async fn legible(conn: &mut PgConnection, place: Place) -> DbResult<Instant> {
    sqlx::query_scalar!(r#"select legible_instant(audit_place_at($1)) as "at!""#, place.0)
        .fetch_one(conn)
        .await
}
