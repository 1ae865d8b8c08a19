//! Everything that is stored of a project, page by page.
//!
//! No connection is held between pages: how fast it goes is up to whoever reads. Rows later than the beginning are left
//! out, so an export ends however busy the project is.

use serde_json::json;

use super::{Caller, SeenChannel, Services};
use crate::domain::Instant;
use crate::domain::action::Action;
use crate::domain::audit::EventKind;
use crate::domain::decision::{Channel, Decision};
use crate::domain::ids::{ActionId, ProjectId};
use crate::server::db;
use crate::server::db::chat::ChatAccount;
use crate::server::db::facts::EventFilter;
use crate::server::db::keys::StoredKey;
use crate::server::db::people::Member;
use crate::server::db::projects::Project;
use crate::server::error::ServiceResult;

/// Actions on one page: each may hold some megabytes.
const ACTIONS: i64 = 10;
/// Decisions on one page; edits make some of them large.
const DECISIONS: i64 = 25;

/// The beginning of an export.
#[derive(Debug)]
pub struct Export {
    /// When it began; later rows are no part of it.
    pub at: Instant,
    /// The project.
    pub project: Project,
    /// Its keys, without what they are called with.
    pub keys: Vec<StoredKey>,
    /// Its people, each with the chat accounts that stand for them.
    pub people: Vec<(Member, Vec<ChatAccount>)>,
    /// How people are told, the secret settings masked.
    pub channels: Vec<SeenChannel>,
    /// The facts that are a part of it.
    pub events: EventFilter,
}

impl Services {
    /// Notes that somebody takes everything away, and begins with what is small.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn begin_export(&self, caller: &Caller, channel: Channel) -> ServiceResult<Export> {
        let kind = EventKind::GdprExport;
        let event = self.about_project(caller.project, kind, json!({}), caller.actor(), channel);
        let channels = self.list_channels(caller.project).await?;
        let mut conn = self.pool.acquire().await?;
        db::audit::append(&mut conn, &event).await?;
        let mut people = Vec::new();
        for member in db::people::list(&mut conn, caller.project).await? {
            let accounts = db::chat::accounts_of(&mut conn, member.id).await?;
            people.push((member, accounts));
        }
        // The database counts microseconds; the fact that was just noted is a part.
        let until = event.at + time::Duration::MICROSECOND;
        Ok(Export {
            at: event.at,
            project: db::projects::get(&mut conn, caller.project).await?,
            keys: db::keys::list(&mut conn, caller.project).await?,
            people,
            channels,
            events: EventFilter { until: Some(until), ..EventFilter::default() },
        })
    }

    /// The next actions of an export that began at `at`.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn export_actions(
        &self,
        project: ProjectId,
        after: ActionId,
        at: Instant,
    ) -> ServiceResult<Vec<Action>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::listing::by_id_after(&mut conn, project, after, at, ACTIONS).await?)
    }

    /// The next decisions of an export that began at `at`.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn export_decisions(
        &self,
        project: ProjectId,
        after: ActionId,
        at: Instant,
    ) -> ServiceResult<Vec<(ActionId, Decision)>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::decisions::page(&mut conn, project, after, at, DECISIONS).await?)
    }
}
