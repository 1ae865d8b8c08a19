//! Web push in the public JSON.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What browsers subscribe with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PushKey {
    /// Whether this server can push.
    pub enabled: bool,
    /// The public key, an uncompressed point of P-256 in base64url; null if it can't.
    pub public_key: Option<String>,
}

/// A browser's subscription, as `PushSubscription.toJSON()` has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct Subscribe {
    /// Where its push service listens: an https address.
    #[schema(max_length = 2000)]
    pub endpoint: Option<String>,
    /// What only that browser can read.
    pub keys: Option<SubscriptionKeys>,
}

/// What only that browser can read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct SubscriptionKeys {
    /// Its public key: 65 bytes in base64url.
    #[schema(max_length = 512)]
    pub p256dh: Option<String>,
    /// The secret that it shares: 16 bytes in base64url.
    #[schema(max_length = 512)]
    pub auth: Option<String>,
}

/// That it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Subscribed {
    /// Always true.
    pub subscribed: bool,
}

/// Which subscription is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct Unsubscribe {
    /// Where its push service listens.
    pub endpoint: Option<String>,
}
