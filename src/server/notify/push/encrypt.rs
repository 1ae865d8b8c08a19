//! What a browser's push service carries and can't read: RFC 8291, which is RFC 8188's `aes128gcm` with a key that only the
//! browser can derive. All of it from `ring`, which TLS links already.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;

use crate::server::random;

/// Most bytes that a push service has to take (RFC 8030 §7.2).
pub const BODY_MAX: usize = 4_096;
/// Bytes of a public key: a point of P-256, uncompressed.
pub const PUBLIC_KEY: usize = 65;
/// Bytes of the secret that the browser shares with us.
pub const AUTH: usize = 16;
/// Bytes of the salt.
const SALT: usize = 16;
/// Most bytes of content: salt, record size, the key with its length, a delimiter and a tag go with it (RFC 8291 §4).
pub const CONTENT_MAX: usize = BODY_MAX - SALT - 4 - 1 - PUBLIC_KEY - 1 - 16;

/// How many bytes are derived.
struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

/// Derives `N` bytes (RFC 5869).
fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut derived = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(secret).expand(info, Bytes(N))?.fill(&mut derived)?;
    Ok(derived)
}

/// The body of a push message for the browser with these keys.
///
/// # Errors
/// If the public key is no point of the curve, or there is more content than [`CONTENT_MAX`].
pub fn encrypt(content: &[u8], browser: &[u8], auth: &[u8]) -> Result<Vec<u8>, Unspecified> {
    if content.len() > CONTENT_MAX || browser.len() != PUBLIC_KEY || auth.len() != AUTH {
        return Err(Unspecified);
    }
    // A new one for each message (RFC 8291 §3.1).
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())?;
    let public = own.compute_public_key()?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, browser);
    let input = agree_ephemeral(own, &peer, |shared| {
        // §3.4: bound to both public keys and to the secret that came with the subscription.
        derive::<32>(auth, shared, &[b"WebPush: info\0", browser, public.as_ref()])
    })??;
    let salt: [u8; SALT] = random::bytes();
    let key: [u8; 16] = derive(&salt, &input, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; NONCE_LEN] = derive(&salt, &input, &[b"Content-Encoding: nonce\0"])?;
    // One record, the last one (RFC 8188 §2), so the nonce is used once.
    let mut record = [content, &[2]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)?;
    let size = u32::try_from(BODY_MAX).map_err(|_| Unspecified)?.to_be_bytes();
    let length = u8::try_from(PUBLIC_KEY).map_err(|_| Unspecified)?;
    Ok([&salt[..], &size, &[length], public.as_ref(), &record].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_content_makes_the_largest_body() {
        let browser = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).expect("a key");
        let browser = browser.compute_public_key().expect("a key");
        let auth = [7; AUTH];
        let body = encrypt(&[b'x'; CONTENT_MAX], browser.as_ref(), &auth).expect("encrypted");
        assert_eq!((CONTENT_MAX, body.len()), (3_993, BODY_MAX));
        assert!(encrypt(&[b'x'; CONTENT_MAX + 1], browser.as_ref(), &auth).is_err());
        for wrong in [&[4; PUBLIC_KEY][..], &[0; PUBLIC_KEY], &browser.as_ref()[1..]] {
            assert!(encrypt(b"x", wrong, &auth).is_err());
        }
        assert!(encrypt(b"x", browser.as_ref(), &auth[1..]).is_err());
    }
}
