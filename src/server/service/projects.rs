//! A project's settings.

use serde_json::json;

use super::Services;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ProjectId;
use crate::server::db;
use crate::server::db::projects::Project;
use crate::server::error::ServiceResult;

impl Services {
    /// The project that was made first, which the command line works on; none before the set-up.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn first_project(&self) -> ServiceResult<Option<Project>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::projects::first(&mut conn).await?)
    }

    /// Lets or stops people and keys deciding what they proposed themselves.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn set_self_approval(
        &self,
        project: ProjectId,
        allow: bool,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        if db::projects::set_self_approval(&mut tx, project, allow).await? {
            let event = AuditEvent {
                project,
                at: self.clock.now(),
                kind: EventKind::ProjectUpdated,
                action: None,
                actor,
                channel,
                data: json!({"allow_self_approval": {"before": !allow, "after": allow}}),
            };
            db::audit::append(&mut tx, &event).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
