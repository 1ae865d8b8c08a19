//! Which actions a search is about: the first that fit in an order, and how many there are in each status.
//!
//! Owns the conditions of a search, once, and the choice of the way through the indexes; what is then read of each
//! action is [`super::listing`]'s. Every way is bounded by what it finds or by a limit, never by how much is stored.

use sqlx::PgConnection;

use super::DbResult;
use crate::domain::Instant;
use crate::domain::action::Status;

/// Which actions to find.
#[derive(Debug, Clone, Default)]
pub struct ActionFilter {
    /// In one of these; in any if empty.
    pub statuses: Vec<Status>,
    /// Of exactly this kind.
    pub kind: Option<String>,
    /// Proposed by a key of exactly this name.
    pub agent: Option<String>,
    /// Proposed then or later.
    pub since: Option<Instant>,
    /// Proposed then or earlier.
    pub until: Option<Instant>,
    /// A query of `to_tsquery` over the proposed title and body.
    pub words: Option<String>,
    /// Further on in the list than this one: the last of the page before.
    pub before: Option<Place>,
    /// Not as far in the list as this one.
    pub after: Option<Place>,
}

impl ActionFilter {
    /// Whether every action of the statuses passes, so that there is one good plan.
    fn is_open(&self) -> bool {
        self.kind.is_none()
            && self.agent.is_none()
            && self.since.is_none()
            && self.until.is_none()
            && self.words.is_none()
    }
}

/// The conditions of a search as one statement has them. What waits is looked through for what is late only where
/// anything is, which the clock sees to within seconds: otherwise all that waits would be read to find nothing.
///
/// `$head` ends where a subselect of `action_id` and `at` begins, `$tail` goes on after its `order by`; `$source` is where
/// the actions come from, as `w`. `$at` is the time that they are ordered by, `$direction` how, and `$only` the condition
/// of the index that has that order, if it is a partial one. The arguments after the thirteen of the conditions start at
/// `$14`.
macro_rules! select_found {
    ($row:ident, $head:literal, $source:literal, [$at:literal, $direction:literal, $only:literal], $tail:literal,
     $project:expr, $filter:expr, $now:expr $(, $arg:expr)*) => {{
        let (statuses, late) = $crate::server::db::finding::stored(&$filter.statuses);
        let (before_at, before_id) = $filter.before.unzip();
        let (after_at, after_id) = $filter.after.unzip();
        sqlx::query_as!(
            $row,
            $head + "
               select w.action_id, " + $at + " as at, w.words from " + $source + " w
               where w.project_id = $1 and w.status = wanted.status " + $only + "
                 and (wanted.status <> 'pending' or (w.expires_at <= $4) = wanted.late)
                 and (not wanted.late or exists (
                   select from action late
                   where late.project_id = $1 and late.status = 'pending' and late.expires_at <= $4))
                 and ($5::text is null or w.kind = $5)
                 and ($6::text is null or w.proposed_by_name = $6)
                 and w.created_at >= coalesce($7, '-infinity'::timestamptz)
                 and w.created_at <= coalesce($8, 'infinity'::timestamptz)
                 and ($9::text is null or w.words @@ to_tsquery('simple', $9))
                 and (" + $at + ", w.action_id) < (coalesce($10, 'infinity'::timestamptz),
                   coalesce($11, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
                 and (" + $at + ", w.action_id) > (coalesce($12, '-infinity'::timestamptz),
                   coalesce($13, '00000000-0000-0000-0000-000000000000'::uuid))
               order by " + $at + " " + $direction + ", w.action_id " + $direction + " " + $tail,
            $project.uuid(),
            &statuses,
            &late,
            $now,
            $filter.kind,
            $filter.agent,
            $filter.since,
            $filter.until,
            $filter.words,
            before_at,
            before_id.map($crate::domain::ids::ActionId::uuid),
            after_at,
            after_id.map($crate::domain::ids::ActionId::uuid)
            $(, $arg)*
        )
    }};
}

/// The statuses as rows have them: what is late is expired, although its row says pending until the clock comes by.
fn stored(wanted: &[Status]) -> (Vec<String>, Vec<bool>) {
    let wanted = if wanted.is_empty() { &Status::ALL[..] } else { wanted };
    let rows = wanted.iter().flat_map(|status| {
        let late = (*status == Status::Expired).then_some((Status::Pending, true));
        std::iter::once((*status, false)).chain(late)
    });
    rows.map(|(status, late)| (status.as_str().to_owned(), late)).unzip()
}

mod counting;
mod ordered;

pub use counting::{StatusCount, WordSample, counts, sample};
pub use ordered::{Order, Place, first, place_of};

/// Ways through the indexes that a statement may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The first, one after the other.
    InOrder,
    /// All that have the words.
    ByWords,
}

/// Plans the next statements of the transaction for this filter.
///
/// The best plan depends on which conditions are set, so it is made for each call; without any there is one for the newest.
/// In the other orders a plan for no values takes the open range of days for a narrow one, and sorts what is in it. How many
/// actions have a word is known from the sample, and what Postgres guesses of beginnings of words is wrong; so the
/// other way is closed.
async fn plan_for(conn: &mut PgConnection, filter: &ActionFilter, order: Order, way: Way) -> DbResult<()> {
    let mode =
        if filter.is_open() && order == Order::Newest { "force_generic_plan" } else { "force_custom_plan" };
    let bitmaps = if way == Way::InOrder { "off" } else { "on" };
    sqlx::query!(
        "select set_config('plan_cache_mode', $1, true) as plans, set_config('enable_bitmapscan', $2, true) as bitmaps,
           set_config('enable_seqscan', $3, true) as whole_table",
        mode,
        bitmaps,
        "off",
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}
