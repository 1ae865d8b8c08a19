//! Nobody is locked out: somebody or something that may do everything is left, whoever goes.

use sqlx::PgConnection;

use super::Services;
use crate::domain::ids::{KeyId, ProjectId, ReviewerId};
use crate::server::db;
use crate::server::error::{ServiceError, ServiceResult};

/// Who is about to lose their way in.
pub(super) enum Leaving {
    /// A person.
    Person(ReviewerId),
    /// A key.
    Key(KeyId),
}

impl Services {
    /// Whether a project keeps an administrator without `leaving`. After a person that is another person who can sign
    /// in, because keys open no pages and make no people; after a key it is a person, or another key that is valid now.
    /// Until the end of the transaction nobody else can leave, or two could rely on each other.
    pub(super) async fn an_admin_remains(
        &self,
        conn: &mut PgConnection,
        project: ProjectId,
        leaving: &Leaving,
    ) -> ServiceResult<bool> {
        db::projects::lock(conn, project).await?;
        match *leaving {
            Leaving::Person(id) => Ok(db::people::another_admin(conn, project, Some(id)).await?),
            Leaving::Key(id) => Ok(db::people::another_admin(conn, project, None).await?
                || db::keys::another_admin(conn, project, Some(id), self.clock.now()).await?),
        }
    }

    /// Refuses what would leave a project without one.
    pub(super) async fn keep_an_admin(
        &self,
        conn: &mut PgConnection,
        project: ProjectId,
        leaving: &Leaving,
    ) -> ServiceResult<()> {
        match self.an_admin_remains(conn, project, leaving).await? {
            true => Ok(()),
            false => Err(ServiceError::LastAdmin),
        }
    }
}
