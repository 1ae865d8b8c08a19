//! Nobody is locked out: somebody or something that may do everything is left, whoever goes.

use sqlx::PgConnection;

use super::Services;
use crate::domain::ids::{KeyId, ProjectId};
use crate::domain::text::Email;
use crate::server::db;
use crate::server::error::ServiceResult;

/// Who is about to lose their way in.
pub(super) enum Leaving<'a> {
    /// The account behind an address.
    Person(&'a Email),
    /// A key.
    Key(KeyId),
}

impl Services {
    /// Whether a project keeps an administrator without `leaving`: a person who can sign in, or a key that is valid
    /// now. Until the end of the transaction nobody else can leave, or two could rely on each other.
    pub(super) async fn an_admin_remains(
        &self,
        conn: &mut PgConnection,
        project: ProjectId,
        leaving: &Leaving<'_>,
    ) -> ServiceResult<bool> {
        let (person, key) = match *leaving {
            Leaving::Person(email) => (Some(email), None),
            Leaving::Key(id) => (None, Some(id)),
        };
        db::projects::lock(conn, project).await?;
        Ok(db::people::another_admin(conn, project, person).await?
            || db::keys::another_admin(conn, project, key, self.clock.now()).await?)
    }
}
