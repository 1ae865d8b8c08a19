//! Unguessable values from the operating system: ids, keys, tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRngCore as _;
use rand::rngs::OsRng;
use uuid::Uuid;

use crate::domain::Instant;

/// `N` random bytes.
///
/// # Panics
/// If the operating system has no randomness, without which no key or token could be safe.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(clippy::expect_used, reason = "no key or token could be safe without randomness")]
    OsRng.try_fill_bytes(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// A version 7 UUID: the milliseconds of `now`, then 74 random bits.
pub fn uuid(now: Instant) -> Uuid {
    let millis = u64::try_from(now.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &bytes()).into_uuid()
}

/// 256 random bits as 43 base64url characters.
pub fn token() -> String {
    URL_SAFE_NO_PAD.encode(bytes::<32>())
}
