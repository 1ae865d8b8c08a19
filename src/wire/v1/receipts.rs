//! The public keys of receipts, for the API's description.

use serde::Serialize;
use utoipa::ToSchema;

/// A JWK Set (RFC 7517): the keys that receipts are verified with.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptKeySet {
    /// The oldest first; the last one signs.
    pub keys: Vec<ReceiptKey>,
}

/// An Ed25519 public key (RFC 8037).
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptKey {
    /// Always `OKP`.
    pub kty: &'static str,
    /// Always `Ed25519`.
    pub crv: &'static str,
    /// Always `sig`.
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// Always `EdDSA`.
    pub alg: &'static str,
    /// The key's name, which a receipt has in its header: the RFC 7638 thumbprint.
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    pub kid: String,
    /// The key.
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    pub x: String,
}
