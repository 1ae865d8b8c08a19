//! How much a project does.

use super::Services;
use crate::domain::Instant;
use crate::domain::action::Status;
use crate::domain::ids::ProjectId;
use crate::server::db;
use crate::server::db::usage::Undelivered;
use crate::server::error::ServiceResult;

/// How much a project did in a calendar month, UTC.
#[derive(Debug, Clone)]
pub struct Usage {
    /// The month's first instant.
    pub start: Instant,
    /// The next month's first instant.
    pub end: Instant,
    /// How many of the actions that were proposed in it have which status now.
    pub actions: Vec<(Status, i64)>,
    /// What could not be delivered yet, or at all.
    pub undelivered: Undelivered,
}

impl Services {
    /// How much a project did this month.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn usage(&self, project: ProjectId) -> ServiceResult<Usage> {
        let (start, end) = month(self.clock.now());
        let mut conn = self.pool.acquire().await?;
        Ok(Usage {
            start,
            end,
            actions: db::usage::actions_since(&mut conn, project, start).await?,
            undelivered: db::usage::undelivered(&mut conn, project).await?,
        })
    }
}

/// The calendar month of an instant: its beginning and its end.
fn month(at: Instant) -> (Instant, Instant) {
    let first = at.date().replace_day(1).unwrap_or(at.date());
    let days = i64::from(first.month().length(first.year()));
    let start = first.midnight().assume_utc();
    (start, start + time::Duration::days(days))
}

#[cfg(test)]
mod tests {
    use super::month;
    use time::macros::datetime;

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let february = (datetime!(2028-02-01 00:00 UTC), datetime!(2028-03-01 00:00 UTC));
        assert_eq!(month(datetime!(2028-02-29 23:59:59.9 UTC)), february);
        assert_eq!(month(datetime!(2026-12-31 12:00 UTC)).1, datetime!(2027-01-01 00:00 UTC));
    }
}
