//! Links that make accounts: an administrator makes one, somebody else uses it once.
//!
//! A link is worth what its maker is: it ends when they are disabled or lose their role.

use serde_json::json;
use time::Duration;

use super::people::person_data;
use super::setup::digest;
use super::{NewPerson, Services};
use crate::domain::audit::EventKind;
use crate::domain::decision::Channel;
use crate::domain::ids::InviteId;
use crate::domain::role::Role;
use crate::domain::text::{Email, FieldError};
use crate::server::db::invites::OpenInvite;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::view::Reader;
use crate::server::zone::Zone;
use crate::server::{db, random, view};
use crate::wire::people::Invitation;

/// A link works for this long.
const LASTS: Duration = Duration::days(7);

/// A link that was just made; the only time that it can be seen.
#[derive(Debug, Clone)]
pub struct MadeInvite {
    /// Its name.
    pub id: InviteId,
    /// The whole address.
    pub link: String,
}

/// A role by its name.
pub(super) fn parse_role(role: &str) -> ServiceResult<Role> {
    let wrong = || FieldError::invalid("role", "must be viewer, reviewer or admin.");
    Ok(Role::from_text(role).ok_or_else(wrong)?)
}

impl Services {
    /// Makes a link that makes one account. With an address, the account gets that one.
    ///
    /// # Errors
    /// If the member is no administrator, a field breaks a rule or the address has an account.
    pub async fn invite(&self, member: &Member, email: &str, role: &str) -> ServiceResult<MadeInvite> {
        member.require(Role::Admin)?;
        let role = parse_role(role)?;
        let email = match email.trim() {
            "" => None,
            email => Some(Email::parse(email)?),
        };
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role(&mut tx, member.project, member.id, Role::Admin).await?;
        if let Some(email) = &email
            && db::people::by_email(&mut tx, member.project, email).await?.is_some()
        {
            let message = "has an account already.";
            return Err(FieldError { code: "taken", ..FieldError::invalid("email", message) }.into());
        }
        let invite = OpenInvite {
            id: InviteId::from_uuid(random::uuid(now)),
            project: member.project,
            project_name: member.project_name.clone(),
            email: email.map(|email| email.as_str().to_owned()),
            role,
            made_by: member.id,
            made_by_name: member.name.clone(),
            expires_at: now + LASTS,
        };
        let token = random::token();
        db::invites::insert(&mut tx, &invite, &digest(&token), now).await?;
        let data = json!({"invite_id": invite.id.to_string(), "role": role.as_str()});
        let event =
            self.about_person(member.project, EventKind::PersonInvited, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(MadeInvite { id: invite.id, link: format!("{}/join?token={token}", self.public_url) })
    }

    /// Withdraws a link that nobody has used.
    ///
    /// # Errors
    /// If the member is no administrator, or there is no such link.
    pub async fn withdraw_invite(&self, member: &Member, id: &str) -> ServiceResult<()> {
        member.require(Role::Admin)?;
        let id: InviteId = id.parse().map_err(|_| ServiceError::NotFound)?;
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role(&mut tx, member.project, member.id, Role::Admin).await?;
        let open = db::invites::list(&mut tx, member.project, now).await?;
        let invite = open.into_iter().find(|invite| invite.id == id).ok_or(ServiceError::NotFound)?;
        if !db::invites::withdraw(&mut tx, member.project, id, now).await? {
            return Err(ServiceError::NotFound);
        }
        let data = json!({"invite_id": id.to_string(), "role": invite.role.as_str()});
        let kind = EventKind::PersonInviteWithdrawn;
        let event = self.about_person(member.project, kind, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(())
    }

    /// What a link opens.
    ///
    /// # Errors
    /// If it is used, withdrawn, too old or wrong.
    pub async fn invitation(&self, token: &str) -> ServiceResult<Invitation> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let invite = db::invites::by_token(&mut conn, &digest(token), now).await?;
        let invite = invite.ok_or(ServiceError::InviteClosed)?;
        Ok(view::people::invitation(invite, &Reader::new(now, Zone::utc())))
    }

    /// Makes the account that a link is for.
    ///
    /// # Errors
    /// If the link is used, withdrawn, too old or wrong; or a field breaks a rule, and the link stays valid then.
    pub async fn join(
        &self,
        token: &str,
        name: String,
        email: String,
        password: String,
    ) -> ServiceResult<Member> {
        let digest = digest(token);
        let mut conn = self.pool.acquire().await?;
        // Looked at first, so that no core is busy with a stranger's password.
        let invite = db::invites::by_token(&mut conn, &digest, self.clock.now()).await?;
        drop(conn);
        let invite = invite.ok_or(ServiceError::InviteClosed)?;
        let email = invite.email.clone().unwrap_or(email);
        let person = self.check_person(NewPerson { name, email, password, role: invite.role }).await?;
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        let project = db::projects::get(&mut tx, invite.project).await?;
        let member = self.insert_member(&mut tx, &project, &person).await?;
        if !db::invites::take(&mut tx, invite.id, member.id, now).await? {
            return Err(ServiceError::InviteClosed);
        }
        let more = json!({"role": member.role.as_str(), "invite_id": invite.id.to_string(),
            "invited_by": invite.made_by.to_string(), "invited_by_name": invite.made_by_name});
        let data = person_data(&member, more);
        let event =
            self.about_person(project.id, EventKind::PersonJoined, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_one_of_three() {
        assert!(parse_role("viewer").is_ok());
        for text in ["", "Admin", "owner"] {
            assert!(parse_role(text).is_err(), "{text}");
        }
    }
}
