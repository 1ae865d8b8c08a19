//! What is kept sealed in the database, where it lies, and what to do when one of it is lost.
//!
//! Owns the list of these secrets. How a text is sealed and under which key is the vault's ([`super::secrets`]), which
//! knows nothing of this list.

use uuid::Uuid;

use super::secrets::{Place, SecretError};

/// A sort of secret at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// What a project's callbacks are signed with.
    WebhookSecret,
    /// The private part of the key that signs receipts and checkpoints.
    ReceiptKey,
    /// The secret settings of a channel.
    Channel,
    /// The private part of the key that push services know this server by.
    PushKey,
}

impl Kept {
    /// Where it belongs.
    pub fn place(self, row: Uuid) -> Place {
        let column = match self {
            Self::WebhookSecret => "project.sealed_webhook_secret",
            Self::ReceiptKey => "receipt_key.sealed_key",
            Self::Channel => "notification_channel.secrets",
            Self::PushKey => "push_key.sealed",
        };
        Place { column, row }
    }

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::WebhookSecret => "the webhook secret that signs callbacks",
            Self::ReceiptKey => "the key that signs receipts",
            Self::Channel => "the secret settings of a channel",
            Self::PushKey => "the key for web push",
        }
    }

    /// What is left to do when nobody has the key any more that it was sealed with, as the end of a sentence.
    fn last_resort(self) -> &'static str {
        match self {
            Self::WebhookSecret => {
                "impri project rotate-webhook-secret --lost makes another one, which every receiver needs then"
            }
            Self::ReceiptKey => {
                "impri receipts rotate-key --lost makes another one, and what the old one signed goes on to verify"
            }
            Self::Channel => "delete the channel and make it anew",
            Self::PushKey => "devices can't be told any more",
        }
    }
}

/// A secret that this server can't open, or a new one that it can't seal, and why. It shows names of keys and no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Which.
    pub what: Kept,
    /// Why.
    pub error: SecretError,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, error) = (self.what.name(), &self.error);
        match error {
            // Without any key there is nothing to make another one with.
            SecretError::NoKey(_) => write!(f, "{name} can't be opened or sealed: {error}"),
            SecretError::UnknownKey(_) | SecretError::Damaged => {
                write!(
                    f,
                    "{name} can't be opened: {error}. If it is lost for good: {}",
                    self.what.last_resort()
                )
            }
        }
    }
}

impl std::error::Error for Lost {}

/// A secret as it is stored. It does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub enum StoredSecret {
    /// Sealed for its place.
    Sealed(String),
    /// As earlier versions stored it, until a server that has a key starts.
    Clear(String),
}

impl StoredSecret {
    /// The one of two columns that is not empty.
    pub fn of(sealed: Option<String>, clear: Option<String>) -> Option<Self> {
        sealed.map(Self::Sealed).or_else(|| clear.map(Self::Clear))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_names_the_fix() {
        let unknown = SecretError::UnknownKey("0123456789ab".to_owned());
        let said = Lost { what: Kept::ReceiptKey, error: unknown.clone() }.to_string();
        for part in ["0123456789ab", "IMPRI_SECRET_KEY", "impri receipts rotate-key --lost"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let said = Lost { what: Kept::WebhookSecret, error: unknown }.to_string();
        assert!(said.contains("impri project rotate-webhook-secret --lost"), "{said}");
        let no_key = SecretError::NoKey("set IMPRI_SECRET_KEY".to_owned());
        let said = Lost { what: Kept::WebhookSecret, error: no_key }.to_string();
        assert!(said.ends_with("set IMPRI_SECRET_KEY") && !said.contains("--lost"), "{said}");
    }
}
