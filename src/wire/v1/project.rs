//! The project's settings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The project of the key.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Project {
    /// `proj_…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its time zone, by its IANA name.
    pub timezone: String,
    /// Whether a key may decide what it proposed itself.
    pub allow_self_approval: bool,
    /// What callbacks are signed with; left out of the answer to a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<String>,
    /// When it was made.
    pub created_at: i64,
}

/// `PATCH /v1/project`; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct ChangeProject {
    /// One line, 1–200 characters.
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    /// The IANA name of a time zone.
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// Whether a key may decide what it proposed itself; for one-person set-ups.
    pub allow_self_approval: Option<bool>,
}

/// A new secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RotatedSecret {
    /// What callbacks are signed with from now on.
    pub webhook_secret: String,
    /// A word to whoever reads the answer.
    pub note: &'static str,
}
