//! The devices that a person is told on while their browser is closed.

use serde::{Deserialize, Serialize};

use super::Moment;

/// What the account page shows of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushView {
    /// The key that a browser subscribes with; none where this server can keep none.
    pub key: Option<String>,
    /// The oldest first.
    pub devices: Vec<DeviceView>,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceView {
    /// `dev_…`.
    pub id: String,
    /// `Firefox on Android`.
    pub name: String,
    /// What a browser knows its own subscription by: SHA-256 of the endpoint, in base64url.
    pub mark: String,
    /// Whether it says only that something waits.
    pub hides_content: bool,
    /// Since when.
    pub added: Moment,
    /// When it was last told something.
    pub told: Option<Moment>,
    /// Why it was not since.
    pub error: Option<String>,
}
