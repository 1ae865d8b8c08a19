//! Accounts: making, listing and disabling them.

use serde_json::json;
use sqlx::PgConnection;

use super::Services;
use super::admins::Leaving;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ProjectId, ReviewerId};
use crate::domain::text::{Email, FieldError, PersonName};
use crate::server::auth::passwords::{self, Password};
use crate::server::db::people::Member;
use crate::server::db::projects::Project;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, random};

/// An account to be made.
pub struct NewPerson {
    /// Their name: 1 to 100 characters.
    pub name: String,
    /// Their address, which they sign in with.
    pub email: String,
    /// Their password: 10 to 200 characters.
    pub password: String,
    /// Whether they may change settings.
    pub is_admin: bool,
}

/// A [`NewPerson`] whose fields keep their rules and whose password is hashed.
pub(super) struct CheckedPerson {
    pub(super) name: PersonName,
    pub(super) email: Email,
    hash: String,
    is_admin: bool,
}

impl Services {
    /// Makes an account in a project.
    ///
    /// # Errors
    /// If a field breaks a rule or the address is taken.
    pub async fn create_person(
        &self,
        project: &Project,
        new: NewPerson,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Member> {
        let checked = self.check_person(new).await?;
        let mut tx = self.pool.begin().await?;
        let member = self.insert_person(&mut tx, project, &checked, actor, channel).await?;
        tx.commit().await?;
        Ok(member)
    }

    /// Checks the fields and hashes the password; slow, so it comes before any transaction.
    pub(super) async fn check_person(&self, new: NewPerson) -> ServiceResult<CheckedPerson> {
        let name = PersonName::parse(new.name.trim())?;
        let email = Email::parse(&new.email)?;
        let password = Password::parse(new.password)?;
        let hash = passwords::hash(&self.passwords, password).await?;
        Ok(CheckedPerson { name, email, hash, is_admin: new.is_admin })
    }

    pub(super) async fn insert_person(
        &self,
        conn: &mut PgConnection,
        project: &Project,
        person: &CheckedPerson,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Member> {
        let now = self.clock.now();
        let member = Member {
            id: ReviewerId::from_uuid(random::uuid(now)),
            email: person.email.as_str().to_owned(),
            name: person.name.as_str().to_owned(),
            project: project.id,
            project_name: project.name.clone(),
            is_admin: person.is_admin,
            disabled_at: None,
        };
        if !db::people::insert(conn, &member, &person.hash, now).await? {
            return Err(FieldError::invalid("email", "has an account already. Use another address.").into());
        }
        let role = if member.is_admin { "admin" } else { "reviewer" };
        let event = AuditEvent {
            project: project.id,
            at: now,
            kind: EventKind::PersonCreated,
            action: None,
            actor,
            channel,
            data: json!({"reviewer_id": member.id.to_string(), "name": member.name, "role": role}),
        };
        db::audit::append(conn, &event).await?;
        Ok(member)
    }

    /// A person who may act, by the id in their session.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn member(&self, id: ReviewerId) -> ServiceResult<Option<Member>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::people::active_member(&mut conn, id).await?)
    }

    /// Everybody of a project.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn list_people(&self, project: ProjectId) -> ServiceResult<Vec<Member>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::people::list(&mut conn, project).await?)
    }

    /// Disables an account; every session of it ends with its next request.
    ///
    /// # Errors
    /// If there is no such account, or it is the last administrator's.
    pub async fn disable_person(
        &self,
        project: ProjectId,
        email: &str,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let email = Email::parse(email)?;
        let mut tx = self.pool.begin().await?;
        if !self.an_admin_remains(&mut tx, project, &Leaving::Person(&email)).await? {
            let text = "is the last administrator's. Make another one first, so that nobody is locked out.";
            return Err(FieldError::invalid("email", text).into());
        }
        let (id, name) = db::people::disable(&mut tx, &email, now).await?.ok_or(ServiceError::NotFound)?;
        let data = json!({"reviewer_id": id.to_string(), "name": name});
        let event = AuditEvent {
            project,
            at: now,
            kind: EventKind::PersonDisabled,
            action: None,
            actor,
            channel,
            data,
        };
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(())
    }
}
