//! Who may do what.

use sqlx::PgConnection;

use super::Services;
use crate::domain::audit::Actor;
use crate::domain::decision::Decider;
use crate::domain::ids::{ProjectId, ReviewerId};
use crate::domain::role::Role;
use crate::server::db;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};

impl Member {
    /// Checks that the person's role allows what `needed` allows.
    ///
    /// # Errors
    /// If it does not.
    pub fn require(&self, needed: Role) -> ServiceResult<()> {
        require(self.role, needed)
    }
}

fn require(held: Role, needed: Role) -> ServiceResult<()> {
    match held.allows(needed) {
        true => Ok(()),
        false => Err(ServiceError::Forbidden(needed)),
    }
}

impl Services {
    /// The same for a person who is known by name only, and by what is true at this moment: they may have lost the role
    /// since their page was made.
    pub(super) async fn require_role(
        conn: &mut PgConnection,
        project: ProjectId,
        id: ReviewerId,
        needed: Role,
    ) -> ServiceResult<()> {
        let held = db::people::role(conn, project, id).await?.ok_or(ServiceError::Forbidden(needed))?;
        require(held, needed)
    }

    /// The same for whoever acts, if that is a person. What a key may do was asked at its door, with the request, and
    /// whoever has a shell on the server's machine may do everything.
    pub(super) async fn require_role_of(
        conn: &mut PgConnection,
        project: ProjectId,
        actor: &Actor,
        needed: Role,
    ) -> ServiceResult<()> {
        match actor {
            Actor::Reviewer { id, .. } => Self::require_role(conn, project, *id, needed).await,
            Actor::Key { .. } | Actor::Operator | Actor::Clock | Actor::Anonymous => Ok(()),
        }
    }

    /// Checks that who decides may, and has it stay so until the transaction ends: what somebody decides does not count after
    /// an administrator was told that they decide nothing any more.
    pub(super) async fn hold_right(
        conn: &mut PgConnection,
        project: ProjectId,
        decider: &Decider,
    ) -> ServiceResult<()> {
        match decider {
            Decider::Reviewer { id, .. } => {
                let held = db::people::hold_role(conn, project, *id).await?;
                require(held.ok_or(ServiceError::Forbidden(Role::Reviewer))?, Role::Reviewer)
            }
            Decider::Key { id, .. } if db::keys::hold(conn, *id).await? => Ok(()),
            Decider::Key { .. } => Err(ServiceError::KeyRevoked),
        }
    }

    /// The names of those who can change what somebody may do.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn admins(&self, member: &Member) -> ServiceResult<Vec<String>> {
        let people = self.list_people(member.project).await?;
        let admins = people.into_iter().filter(|one| one.role == Role::Admin && one.disabled_at.is_none());
        Ok(admins.map(|admin| crate::server::text::reveal_text(&admin.name)).collect())
    }
}
