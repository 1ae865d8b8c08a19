//! Making, listing and revoking API keys.

use serde_json::json;
use sqlx::PgConnection;
use time::Duration;

use super::Services;
use super::access::key_digest;
use super::admins::Leaving;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{KeyId, ProjectId};
use crate::domain::role::Role;
use crate::domain::scope::{Scope, Scopes};
use crate::domain::text::{FieldError, KeyName};
use crate::server::db::keys::StoredKey;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::Signal;
use crate::server::{db, random};

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Its name for people: 1 to 100 characters.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// How long it lasts; for ever if absent.
    pub lasts: Option<std::time::Duration>,
}

/// A key that was just made; the only time that the key itself can be seen.
#[derive(Debug, Clone)]
pub struct RevealedKey {
    /// What was stored.
    pub stored: StoredKey,
    /// The key: `im_` and 43 base64url characters.
    pub key: String,
}

impl Services {
    /// Makes a key.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, or the name or the scopes break a rule.
    pub async fn create_key(
        &self,
        project: ProjectId,
        new: NewKey,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<RevealedKey> {
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        let made = self.insert_key(&mut tx, project, new, actor, channel).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Makes a key for an agent, as a person who may: one that can propose and not decide.
    ///
    /// # Errors
    /// If the person is no admin, or the name breaks a rule.
    pub async fn create_agent_key(&self, member: &Member, name: &str) -> ServiceResult<RevealedKey> {
        member.require(Role::Admin)?;
        let new = NewKey { name: name.trim().to_owned(), scopes: vec![Scope::Actions], lasts: None };
        self.create_key(member.project, new, member.actor(), Channel::web()).await
    }

    /// Makes a key inside another use case's transaction.
    pub(super) async fn insert_key(
        &self,
        conn: &mut PgConnection,
        project: ProjectId,
        new: NewKey,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<RevealedKey> {
        let now = self.clock.now();
        let name = KeyName::parse(new.name)?;
        let scopes = Scopes::new(new.scopes).ok_or_else(|| {
            FieldError::required("scopes", "at least one of actions, decide, audit, admin.")
        })?;
        let lasts = new.lasts.map(|lasts| Duration::try_from(lasts).ok().filter(|lasts| !lasts.is_zero()));
        let expires_at = match lasts {
            None => None,
            Some(lasts) => Some(lasts.and_then(|lasts| now.checked_add(lasts)).ok_or_else(|| {
                FieldError::invalid("expires_in", "must be a time that can be counted to.")
            })?),
        };
        let key = format!("im_{}", random::token());
        let stored = StoredKey {
            id: KeyId::from_uuid(random::uuid(now)),
            project,
            name: name.into_string(),
            prefix: key[..16].to_owned(),
            scopes,
            created_at: now,
            last_used_at: None,
            expires_at,
            revoked_at: None,
        };
        db::keys::insert(conn, &stored, &key_digest(&key)).await?;
        let scopes: Vec<&str> = stored.scopes.iter().map(Scope::as_str).collect();
        let data = json!({"key_id": stored.id.to_string(), "name": stored.name, "prefix": stored.prefix,
            "scopes": scopes, "expires_at": stored.expires_at.map(crate::domain::Instant::unix_timestamp)});
        let event =
            AuditEvent { project, at: now, kind: EventKind::KeyCreated, action: None, actor, channel, data };
        db::audit::append(conn, &event).await?;
        Ok(RevealedKey { stored, key })
    }

    /// Every key of a project, revoked ones included, oldest first.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn list_keys(&self, project: ProjectId) -> ServiceResult<Vec<StoredKey>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::keys::list(&mut conn, project).await?)
    }

    /// Revokes a key; from the end of this call on no server accepts it.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, there is no such key, it is revoked already, or it is the last way in for an administrator.
    pub async fn revoke_key(
        &self,
        project: ProjectId,
        id: KeyId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        // Asked before it is known what the key may do, so that whoever revokes another one waits for the answer.
        let is_last = !self.an_admin_remains(&mut tx, project, &Leaving::Key(id)).await?;
        let revoked = db::keys::revoke(&mut tx, project, id, now).await?.ok_or(ServiceError::NotFound)?;
        let was_valid = revoked.expires_at.is_none_or(|end| end > now);
        if is_last && was_valid && revoked.scopes.allow(Scope::Admin) {
            return Err(ServiceError::LastAdmin);
        }
        let data = json!({"key_id": id.to_string(), "name": revoked.name});
        let event =
            AuditEvent { project, at: now, kind: EventKind::KeyRevoked, action: None, actor, channel, data };
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::KeyRevoked).await
    }
}
