//! Finding actions: pages of a list, and waiting for any of several.

use std::time::Duration;

use futures::future::select_all;
use tokio_util::sync::CancellationToken;

use super::{Services, cursor};
use crate::domain::Instant;
use crate::domain::action::{Action, Status};
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db;
use crate::server::db::finding::{self, ActionFilter, Order};
use crate::server::error::ServiceResult;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct ActionSearch {
    /// In one of these; in any if empty.
    pub statuses: Vec<Status>,
    /// Of exactly this kind.
    pub kind: Option<String>,
    /// Proposed at this instant or later.
    pub since: Option<Instant>,
    /// Proposed at this instant or earlier.
    pub until: Option<Instant>,
    /// With words that begin like all of these, in the proposed title or body.
    pub words: Option<String>,
    /// After the page that ended here.
    pub cursor: Option<String>,
}

/// One page, the newest first.
#[derive(Debug)]
pub struct ActionList {
    /// The actions.
    pub items: Vec<Action>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// One page of up to `limit` actions. Pages don't shift when actions are proposed meanwhile.
    ///
    /// # Errors
    /// If the cursor is none of ours.
    pub async fn find_actions(
        &self,
        project: ProjectId,
        search: ActionSearch,
        limit: u32,
    ) -> ServiceResult<ActionList> {
        let before = search.cursor.as_deref().map(cursor::parse).transpose()?;
        let filter = ActionFilter {
            statuses: search.statuses,
            kind: search.kind,
            since: search.since,
            until: search.until,
            words: search.words.as_deref().map(prefixes),
            before,
            ..ActionFilter::default()
        };
        let mut tx = self.pool.begin().await?;
        let now = self.clock.now();
        let sample = finding::sample(&mut tx, project, &filter, now).await?;
        let (order, sample, wanted) = (Order::Newest, sample.as_ref(), i64::from(limit) + 1);
        let places = finding::first(&mut tx, project, &filter, order, sample, now, wanted).await?;
        let ids: Vec<ActionId> = places.into_iter().map(|(_, id)| id).collect();
        let mut items = db::listing::by_ids(&mut tx, project, &ids).await?;
        tx.commit().await?;
        let has_more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next_cursor =
            items.last().filter(|_| has_more).map(|last| cursor::write(last.created_at, last.id));
        Ok(ActionList { items, next_cursor })
    }

    /// These actions, as far as the project has them, newest first; read when one of them is not `pending`, when `wait`
    /// is over or when `stop` is cancelled. No connection is held meanwhile.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn any_decided(
        &self,
        project: ProjectId,
        ids: &[ActionId],
        wait: Duration,
        stop: &CancellationToken,
    ) -> ServiceResult<Vec<Action>> {
        let deadline = tokio::time::Instant::now() + wait;
        let places: Vec<_> = ids.iter().map(|id| self.live.wait_for(*id)).collect();
        loop {
            // Heard from here on, so that nothing falls between the look and the wait.
            let changes: Vec<_> = places.iter().map(|place| Box::pin(place.changed())).collect();
            let mut conn = self.pool.acquire().await?;
            let found = db::listing::by_ids(&mut conn, project, ids).await?;
            drop(conn);
            let now = self.clock.now();
            let is_over = stop.is_cancelled() || tokio::time::Instant::now() >= deadline;
            let next_expiry = found.iter().map(|action| action.expires_at).min();
            let (false, Some(next_expiry), true) =
                (is_over, next_expiry, found.iter().all(|action| action.status(now) == Status::Pending))
            else {
                return Ok(found);
            };
            let until_expiry = Duration::try_from(next_expiry - now).unwrap_or_default();
            tokio::select! {
                _ = select_all(changes) => {}
                () = tokio::time::sleep(until_expiry) => {}
                () = tokio::time::sleep_until(deadline) => {}
                () = stop.cancelled() => {}
            }
        }
    }
}

/// A query for words that begin like those of the text, in the syntax of `to_tsquery`: quoted, so that nothing in the
/// text is syntax.
///
/// A database without a locale folds the case of ASCII letters only, so other letters are asked for in each case that
/// words are written in.
pub(super) fn prefixes(text: &str) -> String {
    let quoted = |word: &str| format!("'{word}':*");
    let any_case = |word: &str| {
        if word.is_ascii() {
            return quoted(word);
        }
        let lower = word.to_lowercase();
        let mut rest = lower.chars();
        let capital: String = rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect();
        let mut forms = vec![word.to_owned(), word.to_uppercase(), capital, lower];
        forms.sort_unstable();
        forms.dedup();
        let forms: Vec<String> = forms.iter().map(|form| quoted(form)).collect();
        format!("({})", forms.join(" | "))
    };
    let words =
        text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation()).filter(|word| !word.is_empty());
    words.map(any_case).collect::<Vec<_>>().join(" & ")
}

#[cfg(test)]
mod tests {
    use super::prefixes;

    #[test]
    fn words_are_never_syntax() {
        assert_eq!(prefixes(" acme  invoice "), "'acme':* & 'invoice':*");
        assert_eq!(prefixes("it's | !x"), "'it':* & 's':* & 'x':*");
        assert_eq!(prefixes("a\\ sarah@acme.com"), "'a':* & 'sarah':* & 'acme':* & 'com':*");
        assert_eq!(prefixes("~/ <!--"), "");
        assert_eq!(prefixes("über x"), "('ÜBER':* | 'Über':* | 'über':*) & 'x':*");
    }
}
