//! The project in the public JSON.

use crate::server::db::projects::Project;
use crate::wire::v1;

/// The settings, without the secret.
pub fn project(project: &Project) -> v1::Project {
    v1::Project {
        id: project.id.to_string(),
        name: project.name.clone(),
        timezone: project.timezone.clone(),
        allow_self_approval: project.allow_self_approval,
        webhook_secret: None,
        created_at: project.created_at.unix_timestamp(),
    }
}
