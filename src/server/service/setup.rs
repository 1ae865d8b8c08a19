//! The first account and project: by the one-time link in the server's log, or unattended.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;

use super::people::{CheckedPerson, NewPerson};
use super::{NewKey, RevealedKey, Services};
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ProjectId;
use crate::domain::role::Role;
use crate::domain::scope::Scope;
use crate::domain::text::ProjectName;
use crate::server::db::people::Member;
use crate::server::db::projects::Project;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, random};
use crate::wire::session::SetUpLink;

/// What the set-up made.
pub struct FirstAccount {
    /// The administrator.
    pub member: Member,
    /// A key for their first agent.
    pub agent_key: RevealedKey,
}

impl Services {
    /// Whether anybody has an account.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn is_set_up(&self) -> ServiceResult<bool> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::people::any(&mut conn).await?)
    }

    /// What a set-up link opens, before anything is typed.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn setup_link(&self, token: &str) -> ServiceResult<SetUpLink> {
        let mut conn = self.pool.acquire().await?;
        if db::people::any(&mut conn).await? {
            return Ok(SetUpLink::Done);
        }
        let is_newest = db::setup::is_link(&mut conn, &digest(token)).await?;
        Ok(if is_newest { SetUpLink::Open } else { SetUpLink::Replaced })
    }

    /// Makes a new set-up link, which replaces every older one; none if somebody has an account already.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn new_setup_link(&self) -> ServiceResult<Option<String>> {
        let mut tx = self.pool.begin().await?;
        db::setup::lock(&mut tx).await?;
        if db::people::any(&mut tx).await? {
            return Ok(None);
        }
        let token = random::token();
        db::setup::replace_link(&mut tx, &digest(&token), self.clock.now()).await?;
        tx.commit().await?;
        Ok(Some(format!("{}/setup?token={token}", self.public_url)))
    }

    /// Makes the first account and project for whoever holds the link, and a key for their first agent.
    ///
    /// # Errors
    /// If the link is used, replaced or wrong, or a field breaks a rule; the link stays valid then.
    pub async fn set_up(&self, token: &str, project: &str, person: NewPerson) -> ServiceResult<FirstAccount> {
        let project_name = ProjectName::parse(project.trim())?;
        let person = self.check_person(NewPerson { role: Role::Admin, ..person }).await?;
        let mut tx = self.pool.begin().await?;
        db::setup::lock(&mut tx).await?;
        if !db::setup::take_link(&mut tx, &digest(token)).await? {
            return Err(ServiceError::SetupClosed);
        }
        let member = self.make_first(&mut tx, project_name, &person, Channel::web()).await?;
        let new_key = NewKey { name: "first-agent".to_owned(), scopes: vec![Scope::Actions], lasts: None };
        let agent_key =
            self.insert_key(&mut tx, member.project, new_key, member.actor(), Channel::web()).await?;
        tx.commit().await?;
        Ok(FirstAccount { member, agent_key })
    }

    /// Makes the first account and project from the server's own settings; nothing if somebody has an account.
    ///
    /// # Errors
    /// If a field breaks a rule.
    pub async fn set_up_unattended(&self, person: NewPerson) -> ServiceResult<Option<Member>> {
        let project_name = ProjectName::parse("My project")?;
        let person = self.check_person(NewPerson { role: Role::Admin, ..person }).await?;
        let mut tx = self.pool.begin().await?;
        db::setup::lock(&mut tx).await?;
        match self.make_first(&mut tx, project_name, &person, Channel::cli()).await {
            Ok(member) => {
                tx.commit().await?;
                Ok(Some(member))
            }
            Err(ServiceError::SetupClosed) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The first account and project, in a transaction that holds the lock of the set-up.
    async fn make_first(
        &self,
        conn: &mut PgConnection,
        name: ProjectName,
        person: &CheckedPerson,
        channel: Channel,
    ) -> ServiceResult<Member> {
        if db::people::any(conn).await? {
            return Err(ServiceError::SetupClosed);
        }
        let now = self.clock.now();
        let project = Project {
            id: ProjectId::from_uuid(random::uuid(now)),
            name: name.into_string(),
            timezone: "UTC".to_owned(),
            allow_self_approval: false,
            created_at: now,
        };
        let (_, sealed) = self.new_webhook_secret(project.id)?;
        db::projects::insert(conn, &project, &sealed).await?;
        let made = AuditEvent {
            project: project.id,
            at: now,
            kind: EventKind::ProjectCreated,
            action: None,
            actor: Actor::Operator,
            channel: channel.clone(),
            data: json!({"name": project.name}),
        };
        db::audit::append(conn, &made).await?;
        self.insert_person(conn, &project, person, Actor::Operator, channel).await
    }
}

/// The SHA-256 that a link's token is stored under.
pub(super) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}
