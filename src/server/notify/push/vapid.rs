//! Who this server is to push services: RFC 8292, a token signed with ES256 by a key that subscriptions are bound to.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::error::{KeyRejected, Unspecified};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;
use time::Duration;
use url::Url;

use crate::domain::Instant;

/// How long a token is good for; RFC 8292 §2 allows a day.
const LIFE: Duration = Duration::hours(12);

/// The key that subscriptions are bound to. It does not show itself.
pub struct VapidKey(EcdsaKeyPair);

impl VapidKey {
    /// A new one, with the form in which it is stored (PKCS#8).
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn generate() -> Result<Vec<u8>, Unspecified> {
        let stored = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())?;
        Ok(stored.as_ref().to_vec())
    }

    /// One that was stored.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(stored: &[u8]) -> Result<Self, KeyRejected> {
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, stored, &SystemRandom::new()).map(Self)
    }

    /// The public part, as browsers take it: an uncompressed point in base64url.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The value of `Authorization` for one endpoint (RFC 8292 §3). `contact` says whom a push service can ask.
    ///
    /// # Errors
    /// If it can't be signed.
    pub fn authorization(&self, endpoint: &Url, contact: &str, now: Instant) -> Result<String, Unspecified> {
        let claims = json!({
            "aud": endpoint.origin().ascii_serialization(),
            "exp": (now + LIFE).unix_timestamp(),
            "sub": contact,
        });
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(json!({"typ": "JWT", "alg": "ES256"})), part(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes())?;
        Ok(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature.as_ref()), self.public()))
    }
}
