//! Typed ids: a prefix that says what the id names, and 16 bytes as 22 base64url characters.
//!
//! At rest an id is a UUID (version 7, so that new rows sit together); on the wire it is `act_…`, `key_…` and so on.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

/// The text is not an id of the expected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: expected {prefix} and 22 base64url characters")]
pub struct IdError {
    /// What the id has to start with.
    pub prefix: &'static str,
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a stored or freshly made UUID.
            pub fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            /// The form the database keeps.
            pub fn uuid(self) -> Uuid { self.0 }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($prefix)?;
                f.write_str(&URL_SAFE_NO_PAD.encode(self.0.as_bytes()))
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                let wrong = IdError { prefix: $prefix };
                let body = text.strip_prefix($prefix).ok_or(wrong)?;
                let bytes = URL_SAFE_NO_PAD.decode(body).map_err(|_| wrong)?;
                Uuid::from_slice(&bytes).map(Self).map_err(|_| wrong)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.collect_str(self) }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

typed_id!(
    /// Names a proposed action.
    ActionId, "act_");
typed_id!(
    /// Names an API key (not the key itself).
    KeyId, "key_");
typed_id!(
    /// Names a project.
    ProjectId, "proj_");
typed_id!(
    /// Names a person who decides.
    ReviewerId, "rev_");
typed_id!(
    /// Names a link that makes an account (not its token).
    InviteId, "inv_");
typed_id!(
    /// Names a place where a person is signed in.
    SessionId, "ses_");
typed_id!(
    /// Names one delivery to the outside, so that its receiver can tell a repeat.
    DeliveryId, "evt_");
typed_id!(
    /// Names the receipt of one decision.
    ReceiptId, "rcp_");

typed_id!(
    /// Names a channel that people are told things through.
    ChannelId, "nchan_");
typed_id!(
    /// Names a device that is told by web push.
    PushDeviceId, "dev_");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_the_wire() {
        let id = ActionId::from_uuid(Uuid::from_bytes([7; 16]));
        let text = id.to_string();
        assert_eq!(text.len(), 4 + 22);
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(serde_json::to_value(id).unwrap(), serde_json::json!(text));
        assert_eq!(serde_json::from_value::<ActionId>(serde_json::json!(text)).unwrap(), id);
    }

    #[test]
    fn another_types_id_is_refused() {
        for text in [
            "",
            "act_",
            "key_BwcHBwcHBwcHBwcHBwcHBw",
            "act_BwcHBwcHBwcHBwcHBwcHB",
            "act_!wcHBwcHBwcHBwcHBwcHBw",
        ] {
            assert!(text.parse::<ActionId>().is_err(), "{text}");
        }
    }
}
