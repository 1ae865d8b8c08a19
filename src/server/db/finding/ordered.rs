//! The first actions that fit, in the order of a list.

use sqlx::PgConnection;
use sqlx::types::Uuid;

use super::{ActionFilter, Way, WordSample, plan_for};
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db::DbResult;

/// Where an action stands in a list: the time that the list is ordered by, and its id for those of the same instant.
pub type Place = (Instant, ActionId);

/// How a list is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By when they were proposed, the newest first.
    Newest,
    /// By when they came to their status, the latest first; what waits has not come to one.
    Ended,
    /// By the end of their time, the next first; only what waits has one ahead.
    Due,
}

impl Order {
    /// The place of an action in a list of this order.
    fn place(self, id: ActionId, times: &Times) -> Place {
        match self {
            Self::Newest => (times.created_at, id),
            Self::Ended => (times.ended_at.unwrap_or(times.expires_at), id),
            Self::Due => (times.expires_at, id),
        }
    }
}

#[expect(clippy::struct_field_names, reason = "they are called as the columns are")]
struct Times {
    created_at: Instant,
    expires_at: Instant,
    ended_at: Option<Instant>,
}

/// Where an action of the project stands, or stood, in a list of this order.
///
/// # Errors
/// If the database can't be reached.
pub async fn place_of(
    conn: &mut PgConnection,
    project: ProjectId,
    id: ActionId,
    order: Order,
) -> DbResult<Option<Place>> {
    let times = sqlx::query_as!(
        Times,
        "select created_at, expires_at, ended_at from action where action_id = $1 and project_id = $2",
        id.uuid(),
        project.uuid(),
    );
    Ok(times.fetch_optional(conn).await?.map(|times| order.place(id, &times)))
}

struct PlaceRow {
    action_id: Uuid,
    at: Instant,
}

/// The first places of one order, by the way that suits the words.
macro_rules! first_by {
    ([$at:literal, $direction:literal, $only:literal], $tail:literal,
     $conn:expr, $project:expr, $filter:expr, $order:expr, $sample:expr, $now:expr, $limit:expr) => {{
        let is_common = $sample.is_none_or(|sample| sample.is_common_in(&$filter.statuses));
        plan_for($conn, $filter, $order, if is_common { Way::InOrder } else { Way::ByWords }).await?;
        let rows = if is_common {
            // Status by status, because the index gives the first of one status; then the first of those.
            let rows = select_found!(
                PlaceRow,
                r#"select found.action_id as "action_id!", found.at as "at!"
                   from unnest($2::text[], $3::bool[]) as wanted (status, late)
                   cross join lateral ("#,
                "action",
                [$at, $direction, $only],
                $tail,
                $project,
                $filter,
                $now,
                $limit
            );
            rows.fetch_all($conn).await?
        } else {
            let rows = select_found!(
                PlaceRow,
                r#"with hits as materialized (
                     select action_id, project_id, status, kind, proposed_by_name, created_at, expires_at, ended_at, words
                     from action where words @@ to_tsquery('simple', $9))
                   select found.action_id as "action_id!", found.at as "at!"
                   from unnest($2::text[], $3::bool[]) as wanted (status, late)
                   cross join lateral ("#,
                "hits",
                [$at, $direction, $only],
                $tail,
                $project,
                $filter,
                $now,
                $limit
            );
            rows.fetch_all($conn).await?
        };
        rows.into_iter().map(|row| (row.at, ActionId::from_uuid(row.action_id))).collect::<Vec<Place>>()
    }};
}

/// The first actions of a list in this order that pass the filter. Call it inside a transaction.
///
/// # Errors
/// If the database can't be reached.
pub async fn first(
    conn: &mut PgConnection,
    project: ProjectId,
    filter: &ActionFilter,
    order: Order,
    sample: Option<&WordSample>,
    now: Instant,
    limit: i64,
) -> DbResult<Vec<Place>> {
    // Whatever ends at `now` is late.
    let last_late = (now, ActionId::from_uuid(Uuid::max()));
    match order {
        Order::Newest => Ok(first_by!(
            ["w.created_at", "desc", ""],
            "limit $14) found order by found.at desc, found.action_id desc limit $14",
            conn,
            project,
            filter,
            order,
            sample,
            now,
            limit
        )),
        Order::Ended => {
            let mut places = first_by!(
                ["w.ended_at", "desc", "and w.ended_at is not null"],
                "limit $14) found order by found.at desc, found.action_id desc limit $14",
                &mut *conn,
                project,
                filter,
                order,
                sample,
                now,
                limit
            );
            if filter.statuses.contains(&Status::Expired) {
                // Nobody has noted the end of these yet.
                let before = filter.before.map_or(last_late, |before| before.min(last_late));
                let late = &ActionFilter { before: Some(before), ..filter.clone() };
                let late = first_by!(
                    ["w.expires_at", "desc", "and w.status = 'pending'"],
                    "limit $14) found order by found.at desc, found.action_id desc limit $14",
                    conn,
                    project,
                    late,
                    order,
                    sample,
                    now,
                    limit
                );
                places.extend(late);
                places.sort_unstable_by(|a, b| b.cmp(a));
                places.truncate(usize::try_from(limit).unwrap_or_default());
            }
            Ok(places)
        }
        Order::Due => {
            // Further on is later here, and what is late is not in the list.
            let further = filter.before.map_or(last_late, |before| before.max(last_late));
            let filter = &ActionFilter { before: filter.after, after: Some(further), ..filter.clone() };
            Ok(first_by!(
                ["w.expires_at", "asc", "and w.status = 'pending'"],
                "limit $14) found order by found.at, found.action_id limit $14",
                conn,
                project,
                filter,
                order,
                sample,
                now,
                limit
            ))
        }
    }
}
