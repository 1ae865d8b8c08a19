//! Keys of the cipher, and their names.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use sha2::{Digest as _, Sha256};

use super::KeyError;

/// One key. Two texts of the same key have the same name.
#[derive(Clone)]
pub(super) struct Key {
    id: String,
    key: std::sync::Arc<LessSafeKey>,
}

impl Key {
    fn parse(text: &str) -> Result<Self, KeyError> {
        let hex_digits = || hex::decode(text).ok();
        let base64url = || URL_SAFE_NO_PAD.decode(text).ok();
        let bytes =
            hex_digits().or_else(base64url).filter(|bytes| bytes.len() == 32).ok_or(KeyError::Form)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| KeyError::Form)?;
        let digest = Sha256::digest([b"impri key\0", bytes.as_slice()].concat());
        Ok(Self { id: hex::encode(&digest[..6]), key: std::sync::Arc::new(LessSafeKey::new(key)) })
    }

    /// Its name, which says nothing about it.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn seal(&self, nonce: [u8; 12], place: &[u8], secret: &[u8]) -> Vec<u8> {
        let mut bytes = secret.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        #[expect(clippy::expect_used, reason = "the cipher refuses only texts of 256 GiB and more")]
        self.key.seal_in_place_append_tag(nonce, Aad::from(place), &mut bytes).expect("a short text");
        bytes
    }

    pub(super) fn open(&self, nonce: [u8; 12], place: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        let length = self.key.open_in_place(nonce, Aad::from(place), &mut bytes).ok()?.len();
        bytes.truncate(length);
        Some(bytes)
    }
}

/// Keys, the sealing one first.
#[derive(Default)]
pub(super) struct KeyRing(Vec<Key>);

impl KeyRing {
    /// Keys with commas, spaces or line breaks between them; a line that begins with `#` says something to people.
    pub(super) fn parse(text: &str) -> Result<Self, KeyError> {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = lines.flat_map(|line| line.split([',', ' ', '\t'])).filter(|word| !word.is_empty());
        let keys = words.map(Key::parse).collect::<Result<Vec<Key>, KeyError>>()?;
        match keys.is_empty() {
            true => Err(KeyError::Form),
            false => Ok(Self(keys)),
        }
    }

    pub(super) fn all(&self) -> &[Key] {
        &self.0
    }

    pub(super) fn by_id(&self, id: &str) -> Option<Key> {
        self.0.iter().find(|key| key.id == id).cloned()
    }
}
