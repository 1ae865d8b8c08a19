//! The envelope: header, payload and signature, each as base64url, joined by dots (RFC 7515, section 7.1).
//!
//! Assembled here and not by a library: it is three lines, and verifying accepts exactly one algorithm and one type,
//! so that none of what general libraries have to guard against can be asked for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{KeySet, SigningKey};
use crate::domain::receipt::{Claims, RECEIPT_TYPE, Receipt};
use crate::domain::seal::{CHECKPOINT_TYPE, Checkpoint};

/// The one algorithm: Ed25519, under the name of RFC 8037.
const ALGORITHM: &str = "EdDSA";
/// Longer than any receipt.
const MAX_BYTES: usize = 8 * 1024;

/// The protected header. Whatever else one has asks for something that is not done here, such as `crit` or `jwk`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    kid: String,
    typ: String,
}

/// Why a text is no receipt to rely on.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is no compact JWS.
    #[error("it is not a receipt: three parts of base64url with dots between them were expected")]
    Malformed,
    /// The header asks for something else than a receipt's.
    #[error("it is not a receipt: its header is not the one of a receipt")]
    Header,
    /// Signed otherwise, or not at all.
    #[error("it is not signed with Ed25519 (alg EdDSA)")]
    Algorithm,
    /// It is a signed text of another sort.
    #[error("it is not a receipt: its type is not {RECEIPT_TYPE}")]
    Type,
    /// The signer is unknown.
    #[error(
        "no key of the set is called {0}: the set is too old, the key was withdrawn, or somebody else signed it"
    )]
    UnknownKey(String),
    /// It was changed, or signed by somebody else.
    #[error("the signature does not fit: it was changed, or somebody else signed it")]
    Signature,
    /// It was signed, and says something that this version does not understand.
    #[error("it is signed, but does not say what a receipt says")]
    Claims,
}

/// Signs a receipt.
///
/// # Errors
/// Never: claims are texts and numbers, which JSON can hold.
pub fn sign(key: &SigningKey, claims: &Claims) -> Result<Receipt, serde_json::Error> {
    Ok(Receipt::stored(sign_as(key, RECEIPT_TYPE, claims)?))
}

/// Signs a checkpoint of the history.
///
/// # Errors
/// Never, as for receipts.
pub fn sign_checkpoint(key: &SigningKey, checkpoint: &Checkpoint) -> Result<String, serde_json::Error> {
    sign_as(key, CHECKPOINT_TYPE, checkpoint)
}

fn sign_as(key: &SigningKey, typ: &str, claims: &impl Serialize) -> Result<String, serde_json::Error> {
    let header =
        Header { alg: ALGORITHM.to_owned(), kid: key.public().kid().to_owned(), typ: typ.to_owned() };
    Ok(seal(key, &serde_json::to_vec(&header)?, &serde_json::to_vec(claims)?))
}

fn seal(key: &SigningKey, header: &[u8], payload: &[u8]) -> String {
    let mut text = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let signature = key.signature(text.as_bytes());
    text.push('.');
    text.push_str(&URL_SAFE_NO_PAD.encode(signature));
    text
}

/// What a receipt says, if one of these keys signed it. Whether it is still in time is for the caller to ask.
///
/// # Errors
/// Says why it can't be relied on.
pub fn verify(receipt: &str, keys: &KeySet) -> Result<Claims, VerifyError> {
    verify_as(receipt, RECEIPT_TYPE, keys)
}

/// What a checkpoint of the history says, if one of these keys signed it.
///
/// # Errors
/// Says why it can't be relied on, in words about receipts.
pub fn verify_checkpoint(text: &str, keys: &KeySet) -> Result<Checkpoint, VerifyError> {
    verify_as(text, CHECKPOINT_TYPE, keys)
}

/// What a checkpoint claims, whoever signed it: to know which one a text is, never to believe it.
pub fn unverified_checkpoint(text: &str) -> Option<Checkpoint> {
    read(text.split('.').nth(1)?)
}

fn verify_as<T: DeserializeOwned>(text: &str, typ: &str, keys: &KeySet) -> Result<T, VerifyError> {
    if text.len() > MAX_BYTES {
        return Err(VerifyError::Malformed);
    }
    let (message, signature) = text.rsplit_once('.').ok_or(VerifyError::Malformed)?;
    let (header, payload) = message.split_once('.').ok_or(VerifyError::Malformed)?;
    let header: Header = read(header).ok_or(VerifyError::Header)?;
    if header.alg != ALGORITHM {
        return Err(VerifyError::Algorithm);
    }
    if header.typ != typ {
        return Err(VerifyError::Type);
    }
    let Some(key) = keys.get(&header.kid) else { return Err(VerifyError::UnknownKey(header.kid)) };
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| VerifyError::Malformed)?;
    if !key.verifies(message.as_bytes(), &signature) {
        return Err(VerifyError::Signature);
    }
    read(payload).ok_or(VerifyError::Claims)
}

fn read<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

#[cfg(test)]
mod tests;
