//! Keys: the private one that signs, public ones that verify, and how they are published (RFC 7517, RFC 8037).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::server::random;
use crate::wire::v1;

/// The key of this server's receipts.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// A new key, with the private part to be stored.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    pub fn generate() -> (Self, [u8; 32]) {
        let seed = random::bytes::<32>();
        #[expect(
            clippy::expect_used,
            reason = "every 32 bytes are an Ed25519 seed (RFC 8032, section 5.1.5)"
        )]
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).expect("a seed");
        (Self::new(pair), seed)
    }

    /// A stored key; none if the parts do not belong together.
    pub fn stored(seed: &[u8], public: &[u8]) -> Option<Self> {
        Ed25519KeyPair::from_seed_and_public_key(seed, public).ok().map(Self::new)
    }

    fn new(pair: Ed25519KeyPair) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(pair.public_key().as_ref());
        Self { pair, public: PublicKey::new(bytes) }
    }

    /// The part that everybody may know.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(super) fn signature(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// A key that verifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    kid: String,
    bytes: [u8; 32],
}

impl PublicKey {
    /// A key under the name that it has in itself: its thumbprint (RFC 7638).
    pub fn new(bytes: [u8; 32]) -> Self {
        let thumbprint =
            format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, URL_SAFE_NO_PAD.encode(bytes));
        Self { kid: URL_SAFE_NO_PAD.encode(Sha256::digest(thumbprint)), bytes }
    }

    /// Its name.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Its row where one is named by a UUID: the first half of it.
    pub fn row(&self) -> Uuid {
        let mut half = [0; 16];
        half.copy_from_slice(&self.bytes[..16]);
        Uuid::from_bytes(half)
    }

    /// Itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.bytes).verify(message, signature).is_ok()
    }

    fn to_jwk(&self) -> v1::ReceiptKey {
        v1::ReceiptKey {
            kty: "OKP",
            crv: "Ed25519",
            usage: "sig",
            alg: "EdDSA",
            kid: self.kid.clone(),
            x: URL_SAFE_NO_PAD.encode(self.bytes),
        }
    }
}

/// Why a text is no JWK Set.
#[derive(Debug, thiserror::Error)]
pub enum KeySetError {
    /// It is no JSON object with a list of keys.
    #[error("it is not a JWK Set: a JSON object with a list called keys")]
    NotASet,
    /// No key in it can verify a receipt.
    #[error("it has no Ed25519 key with a kid")]
    NoKey,
}

/// Public keys, as `/.well-known/jwks.json` answers them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet(Vec<PublicKey>);

impl KeySet {
    /// These keys.
    pub fn new(keys: Vec<PublicKey>) -> Self {
        Self(keys)
    }

    /// Reads a JWK Set. Keys of other sorts are passed over: a set may hold keys for other purposes.
    ///
    /// # Errors
    /// If it is none, or nothing in it could verify a receipt.
    pub fn parse(text: &str) -> Result<Self, KeySetError> {
        let set: Value = serde_json::from_str(text).map_err(|_| KeySetError::NotASet)?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or(KeySetError::NotASet)?;
        let keys: Vec<PublicKey> = keys.iter().filter_map(read).collect();
        if keys.is_empty() { Err(KeySetError::NoKey) } else { Ok(Self(keys)) }
    }

    /// The JWK Set as it is published.
    pub fn to_jwks(&self) -> v1::ReceiptKeySet {
        v1::ReceiptKeySet { keys: self.0.iter().map(PublicKey::to_jwk).collect() }
    }

    /// The key of this name.
    pub fn get(&self, kid: &str) -> Option<&PublicKey> {
        self.0.iter().find(|key| key.kid == kid)
    }
}

/// A key of a set, if it is Ed25519, for signatures, and named by its thumbprint as this server's are.
fn read(jwk: &Value) -> Option<PublicKey> {
    let member = |name: &str| jwk.get(name).and_then(Value::as_str);
    let is_ours = member("kty") == Some("OKP")
        && member("crv") == Some("Ed25519")
        && matches!(member("use"), None | Some("sig"))
        && matches!(member("alg"), None | Some("EdDSA" | "Ed25519"));
    let bytes = URL_SAFE_NO_PAD.decode(member("x").filter(|_| is_ours)?).ok()?;
    let key = PublicKey::new(bytes.try_into().ok()?);
    (member("kid") == Some(key.kid())).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// RFC 8037, A.2 and A.3.
    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const THUMBPRINT: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

    #[test]
    fn a_key_is_named_by_the_thumbprint_of_the_standards_example() {
        let bytes = URL_SAFE_NO_PAD.decode(X).unwrap();
        assert_eq!(PublicKey::new(bytes.try_into().unwrap()).kid(), THUMBPRINT);
    }

    #[test]
    fn a_set_survives_its_text_and_keys_of_other_sorts_are_passed_over() {
        let set = KeySet::new(vec![SigningKey::generate().0.public, SigningKey::generate().0.public]);
        assert_eq!(KeySet::parse(&json!(set.to_jwks()).to_string()).unwrap(), set);
        let mixed = json!({"keys": [
            {"kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB"},
            {"kty": "oct", "kid": THUMBPRINT, "k": X},
            {"kty": "OKP", "crv": "X25519", "kid": THUMBPRINT, "x": X},
            {"kty": "OKP", "crv": "Ed25519", "use": "enc", "kid": THUMBPRINT, "x": X},
            {"kty": "OKP", "crv": "Ed25519", "kid": "somebody else's name", "x": X},
            {"kty": "OKP", "crv": "Ed25519", "kid": THUMBPRINT, "x": X},
        ]});
        assert_eq!(KeySet::parse(&mixed.to_string()).unwrap().0.len(), 1);
        assert!(matches!(KeySet::parse(r#"{"keys": []}"#), Err(KeySetError::NoKey)));
        for wrong in ["", "[]", "{}", r#"{"keys": {}}"#] {
            assert!(matches!(KeySet::parse(wrong), Err(KeySetError::NotASet)), "{wrong}");
        }
    }

    #[test]
    fn a_stored_key_is_whole_or_none() {
        let (key, seed) = SigningKey::generate();
        assert!(SigningKey::stored(&seed, key.public().as_bytes()).is_some());
        let other = SigningKey::generate().0;
        assert!(SigningKey::stored(&seed, other.public().as_bytes()).is_none());
        assert!(SigningKey::stored(&seed[1..], key.public().as_bytes()).is_none());
    }
}
