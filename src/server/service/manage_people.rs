//! People, as an administrator manages them in the browser.

use super::Services;
use super::invites::parse_role;
use crate::domain::decision::Channel;
use crate::domain::ids::ReviewerId;
use crate::domain::role::Role;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, view};
use crate::wire::people::{FreshInvite, PeopleView};

impl Services {
    /// Everybody of the project, and the links that nobody has used. `fresh` is the one that was made just before.
    ///
    /// # Errors
    /// If the member is no administrator.
    pub async fn people_page(
        &self,
        member: &Member,
        fresh: Option<FreshInvite>,
    ) -> ServiceResult<PeopleView> {
        member.require(Role::Admin)?;
        let reader = self.reader(member);
        let mut conn = self.pool.acquire().await?;
        let mut people = db::people::list(&mut conn, member.project).await?;
        let invites = db::invites::list(&mut conn, member.project, reader.now).await?;
        // Stable: both halves stay in the order of joining.
        people.sort_by_key(|person| person.disabled_at.is_some());
        Ok(PeopleView {
            people: people.into_iter().map(|one| view::people::person(one, member.id, &reader)).collect(),
            invites: invites.into_iter().map(|invite| view::people::invite(invite, &reader)).collect(),
            fresh,
        })
    }

    /// Gives somebody else another role.
    ///
    /// # Errors
    /// If the member is no administrator, it is their own account, or as [`Services::set_role`].
    pub async fn change_role(&self, member: &Member, id: &str, role: &str) -> ServiceResult<()> {
        let id = somebody_else(member, id)?;
        let role = parse_role(role)?;
        self.set_role(member.project, id, role, member.actor(), Channel::web()).await
    }

    /// Disables somebody else's account.
    ///
    /// # Errors
    /// If the member is no administrator, it is their own account, or as [`Services::disable_person`].
    pub async fn disable_account(&self, member: &Member, id: &str) -> ServiceResult<()> {
        let id = somebody_else(member, id)?;
        self.disable_person(member.project, id, member.actor(), Channel::web()).await
    }

    /// Lets a disabled account be used again.
    ///
    /// # Errors
    /// If the member is no administrator, or as [`Services::enable_person`].
    pub async fn enable_account(&self, member: &Member, id: &str) -> ServiceResult<()> {
        let id = somebody_else(member, id)?;
        self.enable_person(member.project, id, member.actor(), Channel::web()).await
    }
}

/// The person that an administrator means, who is not to be themselves: a slip of the hand must not lock them out.
fn somebody_else(member: &Member, id: &str) -> ServiceResult<ReviewerId> {
    member.require(Role::Admin)?;
    let id: ReviewerId = id.parse().map_err(|_| ServiceError::NotFound)?;
    if id == member.id { Err(ServiceError::OwnAccount) } else { Ok(id) }
}
