//! A project's settings.

use serde_json::{Map, Value, json};

use super::Services;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ProjectId;
use crate::domain::text::{FieldError, ProjectName};
use crate::server::db::projects::Project;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::kept::{Kept, Lost};
use crate::server::{db, random};

/// What is to change; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct ProjectChange {
    /// The name for people: 1 to 200 characters.
    pub name: Option<String>,
    /// The time zone, by its IANA name.
    pub timezone: Option<String>,
    /// Whether one may decide what one proposed. Whoever administers a project may set it, with an API key too: an
    /// admin key can make itself a second key that decides, so a refusal would protect nothing. The history tells.
    pub allow_self_approval: Option<bool>,
}

impl Services {
    /// The project that was made first, which the command line works on; none before the set-up.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn first_project(&self) -> ServiceResult<Option<Project>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::projects::first(&mut conn).await?)
    }

    /// One project.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn project(&self, id: ProjectId) -> ServiceResult<Project> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::projects::get(&mut conn, id).await?)
    }

    /// Changes settings and notes each with what it was and is. What is set to what it is already is no change.
    ///
    /// # Errors
    /// If a value breaks a rule; nothing is changed then.
    pub async fn change_project(
        &self,
        id: ProjectId,
        change: ProjectChange,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Project> {
        let mut tx = self.pool.begin().await?;
        let mut errors = Vec::new();
        let name = change.name.map(|name| ProjectName::parse(name.trim()).map_err(|error| error.at("name")));
        let name = name.transpose().unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        if let Some(zone) = &change.timezone
            // PostgreSQL has no text with this character to compare.
            && (zone.contains('\0') || !db::projects::is_timezone(&mut tx, zone).await?)
        {
            let text = "is not the IANA name of a time zone, such as Europe/Berlin or UTC.";
            errors.push(FieldError::invalid("timezone", text));
        }
        if !errors.is_empty() {
            return Err(ServiceError::Invalid(errors));
        }
        db::projects::lock(&mut tx, id).await?;
        let before = db::projects::get(&mut tx, id).await?;
        let after = Project {
            name: name.map_or_else(|| before.name.clone(), ProjectName::into_string),
            timezone: change.timezone.unwrap_or_else(|| before.timezone.clone()),
            allow_self_approval: change.allow_self_approval.unwrap_or(before.allow_self_approval),
            ..before.clone()
        };
        let data = differences(&before, &after);
        if !data.is_empty() {
            db::projects::update(&mut tx, &after).await?;
            let event =
                self.about_project(id, EventKind::ProjectUpdated, Value::Object(data), actor, channel);
            db::audit::append(&mut tx, &event).await?;
        }
        tx.commit().await?;
        Ok(after)
    }

    /// The key of callback signatures, for its administrators.
    ///
    /// # Errors
    /// If the database can't be reached, or it can't be opened.
    pub async fn webhook_secret(&self, id: ProjectId) -> ServiceResult<String> {
        let mut conn = self.pool.acquire().await?;
        let stored = db::projects::webhook_secret(&mut conn, id).await?;
        let what = Kept::WebhookSecret;
        Ok(self.open_kept(what, what.place(id.uuid()), &stored)?)
    }

    /// A new key of callback signatures, and how it is stored.
    pub(super) fn new_webhook_secret(&self, id: ProjectId) -> Result<(String, String), Lost> {
        let (what, secret) = (Kept::WebhookSecret, random::token());
        let sealed = self.seal_kept(what, what.place(id.uuid()), &secret)?;
        Ok((secret, sealed))
    }

    /// Makes a new key of callback signatures. The old one signs nothing from the end of this call on, except what is
    /// on its way in this moment. It need not be opened for that: this is the way on when it is lost.
    ///
    /// # Errors
    /// If the database can't be reached, or the new key can't be sealed; nothing is changed then.
    pub async fn rotate_webhook_secret(
        &self,
        id: ProjectId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<String> {
        let (secret, sealed) = self.new_webhook_secret(id)?;
        let mut tx = self.pool.begin().await?;
        db::projects::set_webhook_secret(&mut tx, id, &sealed).await?;
        let event = self.about_project(id, EventKind::ProjectSecretRotated, json!({}), actor, channel);
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(secret)
    }

    /// A fact about a project as a whole.
    pub(super) fn about_project(
        &self,
        project: ProjectId,
        kind: EventKind,
        data: Value,
        actor: Actor,
        channel: Channel,
    ) -> AuditEvent {
        AuditEvent { project, at: self.clock.now(), kind, action: None, actor, channel, data }
    }
}

/// What differs, as `{"name": {"before": …, "after": …}}`.
fn differences(before: &Project, after: &Project) -> Map<String, Value> {
    let members = |project: &Project| {
        [
            ("name", json!(project.name)),
            ("timezone", json!(project.timezone)),
            ("allow_self_approval", json!(project.allow_self_approval)),
        ]
    };
    let pairs = members(before).into_iter().zip(members(after));
    pairs
        .filter(|((_, before), (_, after))| before != after)
        .map(|((name, before), (_, after))| (name.to_owned(), json!({"before": before, "after": after})))
        .collect()
}
