//! How many fit: counts for the tabs, and how common words are.

use sqlx::PgConnection;

use super::{ActionFilter, Order, Way, plan_for};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::ids::ProjectId;
use crate::server::db::{DbResult, corrupt};

/// Of each status, so many of the newest are looked at to learn how common the words are.
const SAMPLE: i64 = 200;
/// Words are common if at least one of so many actions has them. Then the newest are read one after the other until
/// there are enough; otherwise all that have the words are fetched, which are few.
const COMMON_ONE_IN: i64 = 50;

/// How common the words of a search are among the newest actions, status by status.
#[derive(Debug, Clone)]
pub struct WordSample(Vec<Sampled>);

#[derive(Debug, Clone)]
struct Sampled {
    status: Status,
    looked_at: i64,
    hits: i64,
}

impl Sampled {
    fn is_all(&self) -> bool {
        self.looked_at < SAMPLE
    }

    fn is_common(&self) -> bool {
        self.is_all() || self.hits * COMMON_ONE_IN >= self.looked_at
    }
}

impl WordSample {
    /// Whether the newest of these statuses, or of all, soon show enough that have the words.
    pub(super) fn is_common_in(&self, statuses: &[Status]) -> bool {
        let wanted = |status: Status| statuses.is_empty() || statuses.contains(&status);
        self.0.iter().filter(|sampled| wanted(sampled.status)).all(Sampled::is_common)
    }
}

/// How many actions are in a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusCount {
    /// The status.
    pub status: Status,
    /// Counted so far.
    pub number: i64,
    /// There may be more.
    pub is_least: bool,
}

struct CountRow {
    status: String,
    late: bool,
    number: i64,
    hits: i64,
}

/// Looks how common the words of a search are; none if it has no words. Call it inside a transaction, and hand what it
/// found to [`super::first`] and [`counts`] with the same words.
///
/// # Errors
/// If the database can't be reached.
pub async fn sample(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &ActionFilter,
    now: Instant,
) -> DbResult<Option<WordSample>> {
    let Some(words) = &filter.words else { return Ok(None) };
    let open = ActionFilter { words: None, before: None, after: None, ..filter.clone() };
    plan_for(conn, &open, Order::Newest, Way::InOrder).await?;
    let rows = select_found!(
        CountRow,
        r#"select wanted.status as "status!", wanted.late as "late!", newest.number as "number!", newest.hits as "hits!"
           from unnest($2::text[], $3::bool[]) as wanted (status, late)
           cross join lateral (
             select count(*) as number, count(*) filter (where s.words @@ to_tsquery('simple', $14)) as hits from ("#,
        "action",
        ["w.created_at", "desc", ""],
        "limit $15) s) newest",
        project,
        open,
        now,
        words,
        SAMPLE
    );
    let rows = rows.fetch_all(conn).await?;
    let sampled = rows.into_iter().map(|row| {
        let status = shown(&row.status, row.late)?;
        Ok(Sampled { status, looked_at: row.number, hits: row.hits })
    });
    sampled.collect::<DbResult<Vec<_>>>().map(|sampled| Some(WordSample(sampled)))
}

/// How many actions pass the filter in each of its statuses, counted up to `cap`. Call it inside a transaction.
///
/// Words that are common are counted among the newest of each status only, which is then the least that there are.
///
/// # Errors
/// If the database can't be reached.
pub async fn counts(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &ActionFilter,
    sample: Option<&WordSample>,
    now: Instant,
    cap: i64,
) -> DbResult<Vec<StatusCount>> {
    let filter = ActionFilter { before: None, after: None, ..filter.clone() };
    if let Some(WordSample(sampled)) = sample {
        let (looked_at, hits) =
            sampled.iter().fold((0, 0), |(all, hits), one| (all + one.looked_at, hits + one.hits));
        if sampled.iter().all(Sampled::is_all) || hits * COMMON_ONE_IN >= looked_at {
            let rows = sampled.iter().map(|one| (one.status, one.hits, !one.is_all()));
            return Ok(together(rows, cap));
        }
    }
    let is_by_words = filter.words.is_some();
    plan_for(conn, &filter, Order::Newest, if is_by_words { Way::ByWords } else { Way::InOrder }).await?;
    let rows = if is_by_words {
        let rows = select_found!(
            CountRow,
            r#"with hits as materialized (
                 select action_id, project_id, status, kind, proposed_by_name, created_at, expires_at, words
                 from action where words @@ to_tsquery('simple', $9))
               select wanted.status as "status!", wanted.late as "late!", found.number as "number!", 0::bigint as "hits!"
               from unnest($2::text[], $3::bool[]) as wanted (status, late)
               cross join lateral (select count(*) as number from ("#,
            "hits",
            ["w.created_at", "desc", ""],
            "limit $14) one) found",
            project,
            filter,
            now,
            cap
        );
        rows.fetch_all(conn).await?
    } else {
        let rows = select_found!(
            CountRow,
            r#"select wanted.status as "status!", wanted.late as "late!", found.number as "number!", 0::bigint as "hits!"
               from unnest($2::text[], $3::bool[]) as wanted (status, late)
               cross join lateral (select count(*) as number from ("#,
            "action",
            ["w.created_at", "desc", ""],
            "limit $14) one) found",
            project,
            filter,
            now,
            cap
        );
        rows.fetch_all(conn).await?
    };
    let rows = rows.into_iter().map(|row| Ok((shown(&row.status, row.late)?, row.number, false)));
    Ok(together(rows.collect::<DbResult<Vec<_>>>()?, cap))
}

/// The two halves of the expired as one.
fn together(rows: impl IntoIterator<Item = (Status, i64, bool)>, cap: i64) -> Vec<StatusCount> {
    let mut counts: Vec<StatusCount> = Vec::new();
    for (status, number, is_least) in rows {
        if let Some(count) = counts.iter_mut().find(|count| count.status == status) {
            count.number += number;
            count.is_least |= is_least;
        } else {
            counts.push(StatusCount { status, number, is_least });
        }
    }
    for count in &mut counts {
        if count.number >= cap {
            (count.number, count.is_least) = (cap, true);
        }
    }
    counts
}

/// The status that rows are in.
fn shown(status: &str, late: bool) -> DbResult<Status> {
    match Status::from_text(status) {
        Some(_) if late => Ok(Status::Expired),
        Some(status) => Ok(status),
        None => Err(corrupt("action.status")),
    }
}
