//! Accounts: making, listing, changing what they may do, disabling and enabling them. Who may is the caller's.

use serde_json::{Value, json};
use sqlx::PgConnection;

use super::Services;
use super::admins::Leaving;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ProjectId, ReviewerId};
use crate::domain::preferences::Preferences;
use crate::domain::role::Role;
use crate::domain::text::{Email, FieldError, PersonName};
use crate::server::auth::passwords::{self, Password};
use crate::server::db::people::Member;
use crate::server::db::projects::Project;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::Signal;
use crate::server::{db, random};

/// An account to be made.
pub struct NewPerson {
    /// Their name: 1 to 100 characters.
    pub name: String,
    /// Their address, which they sign in with.
    pub email: String,
    /// Their password: 10 to 200 characters.
    pub password: String,
    /// What they may do.
    pub role: Role,
}

/// A [`NewPerson`] whose fields keep their rules and whose password is hashed.
pub(super) struct CheckedPerson {
    pub(super) name: PersonName,
    pub(super) email: Email,
    hash: String,
    role: Role,
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
        Ok(CheckedPerson { name, email, hash, role: new.role })
    }

    pub(super) async fn insert_person(
        &self,
        conn: &mut PgConnection,
        project: &Project,
        person: &CheckedPerson,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Member> {
        let member = self.insert_member(conn, project, person).await?;
        let data = person_data(&member, json!({"role": member.role.as_str()}));
        let event = self.about_person(project.id, EventKind::PersonCreated, data, actor, channel);
        db::audit::append(conn, &event).await?;
        Ok(member)
    }

    /// Stores a person; the caller notes how they came.
    pub(super) async fn insert_member(
        &self,
        conn: &mut PgConnection,
        project: &Project,
        person: &CheckedPerson,
    ) -> ServiceResult<Member> {
        let now = self.clock.now();
        let member = Member {
            id: ReviewerId::from_uuid(random::uuid(now)),
            email: person.email.as_str().to_owned(),
            name: person.name.as_str().to_owned(),
            project: project.id,
            project_name: project.name.clone(),
            project_time_zone: project.timezone.clone(),
            role: person.role,
            preferences: Preferences::default(),
            joined_at: now,
            last_seen_at: None,
            disabled_at: None,
        };
        if !db::people::insert(conn, &member, &person.hash, now).await? {
            let message = "has an account already. Use another address.".to_owned();
            return Err(FieldError { code: "taken", ..FieldError::invalid("email", message) }.into());
        }
        Ok(member)
    }

    /// Everybody of a project.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn list_people(&self, project: ProjectId) -> ServiceResult<Vec<Member>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::people::list(&mut conn, project).await?)
    }

    /// The person of a project behind an address.
    ///
    /// # Errors
    /// If there is none.
    pub async fn person_behind(&self, project: ProjectId, email: &str) -> ServiceResult<Member> {
        let email = Email::parse(email)?;
        let mut conn = self.pool.acquire().await?;
        db::people::by_email(&mut conn, project, &email).await?.ok_or(ServiceError::NotFound)
    }

    /// Gives a person another role. Links that they made as an administrator end with it.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, there is no such person, or they are the last administrator.
    pub async fn set_role(
        &self,
        project: ProjectId,
        id: ReviewerId,
        role: Role,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        if role != Role::Admin {
            self.keep_an_admin(&mut tx, project, &Leaving::Person(id)).await?;
            db::invites::withdraw_all_of(&mut tx, id, self.clock.now()).await?;
        }
        let person = db::people::get(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        if person.role == role {
            return Ok(());
        }
        db::accounts::set_role(&mut tx, project, id, role).await?;
        let change = json!({"before": person.role.as_str(), "after": role.as_str()});
        let data = person_data(&person, json!({"change": change, "role": role.as_str()}));
        let event = self.about_person(project, EventKind::PersonRoleChanged, data, actor, channel);
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::Person(id)).await
    }

    /// Disables an account: its sessions are over at the end of this call, and so are the links that it made.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, there is no such account to disable, or it is the last administrator's.
    pub async fn disable_person(
        &self,
        project: ProjectId,
        id: ReviewerId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        self.keep_an_admin(&mut tx, project, &Leaving::Person(id)).await?;
        let person = db::people::get(&mut tx, project, id).await?;
        let person = person.filter(|person| person.disabled_at.is_none()).ok_or(ServiceError::NotFound)?;
        db::accounts::set_disabled(&mut tx, id, Some(now)).await?;
        db::sessions::end_all(&mut tx, id, None).await?;
        db::invites::withdraw_all_of(&mut tx, id, now).await?;
        let data = person_data(&person, json!({}));
        let event = self.about_person(project, EventKind::PersonDisabled, data, actor, channel);
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::Person(id)).await
    }

    /// Lets a disabled account be used again, with the role and the password that it had.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, or there is no such account to enable.
    pub async fn enable_person(
        &self,
        project: ProjectId,
        id: ReviewerId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        let person = db::people::get(&mut tx, project, id).await?;
        let person = person.filter(|person| person.disabled_at.is_some()).ok_or(ServiceError::NotFound)?;
        db::accounts::set_disabled(&mut tx, id, None).await?;
        // A session that began while the account was being disabled is not to come back with it.
        db::sessions::end_all(&mut tx, id, None).await?;
        let data = person_data(&person, json!({}));
        let event = self.about_person(project, EventKind::PersonEnabled, data, actor, channel);
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(())
    }

    /// A fact about somebody's account.
    pub(super) fn about_person(
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

/// Whom a fact is about, and more members. No addresses: the history is kept for ever.
pub(super) fn person_data(person: &Member, more: Value) -> Value {
    let mut data = json!({"reviewer_id": person.id.to_string(), "name": person.name});
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    data
}
