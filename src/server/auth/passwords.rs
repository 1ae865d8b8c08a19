//! Passwords: argon2id with the parameters that OWASP's password storage sheet gives (19 MiB, 2 passes, 1 lane).
//!
//! Hashing takes a core for some tens of milliseconds, so it runs beside the async threads and only a few at a time.

use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::domain::text::FieldError;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::random;

/// Shortest password, in characters.
pub const PASSWORD_MIN: usize = 10;
/// Longest password, in characters.
pub const PASSWORD_MAX: usize = 200;

/// A hash of nothing that anybody knows, so that an unknown account costs as much time as a known one.
const DECOY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aW1wcmktZGVjb3ktc2FsdA$lYQjJDTDaqYd3kBFHTIFqYQMYsSRD8HfXQXxbOZ0xZo";

/// A password that keeps the rules. Never logged, never stored.
pub struct Password(String);

impl Password {
    /// Checks the length.
    ///
    /// # Errors
    /// If it is shorter than 10 or longer than 200 characters.
    pub fn parse(text: String) -> Result<Self, FieldError> {
        let length = text.chars().count();
        if (PASSWORD_MIN..=PASSWORD_MAX).contains(&length) {
            return Ok(Self(text));
        }
        let message =
            format!("must have {PASSWORD_MIN} to {PASSWORD_MAX} characters. Several words are a good one.");
        Err(FieldError::invalid("password", message))
    }
}

fn argon2() -> ServiceResult<Argon2<'static>> {
    let params = Params::new(19 * 1024, 2, 1, None).map_err(internal)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn internal(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Internal(error.to_string().into())
}

/// Hashes a password for storage.
///
/// # Errors
/// If the hash function fails, which it does for no password.
pub async fn hash(slots: &Semaphore, password: Password) -> ServiceResult<String> {
    let _slot = slots.acquire().await.map_err(internal)?;
    let work = move || -> ServiceResult<String> {
        let salt = SaltString::encode_b64(&random::bytes::<16>()).map_err(internal)?;
        Ok(argon2()?.hash_password(password.0.as_bytes(), &salt).map_err(internal)?.to_string())
    };
    tokio::task::spawn_blocking(work).await.map_err(internal)?
}

/// Whether the password is the one behind the hash; without a hash, never, after the same time.
///
/// # Errors
/// If the stored hash is not one.
pub async fn verify(slots: &Semaphore, password: String, hash: Option<String>) -> ServiceResult<bool> {
    let _slot = slots.acquire().await.map_err(internal)?;
    let work = move || -> ServiceResult<bool> {
        let stored = PasswordHash::new(hash.as_deref().unwrap_or(DECOY)).map_err(internal)?;
        // Longer than any password that can be set: not worth a core's time, and never right.
        let is_right = password.len() <= 4 * PASSWORD_MAX
            && argon2()?.verify_password(password.as_bytes(), &stored).is_ok();
        Ok(is_right && hash.is_some())
    };
    tokio::task::spawn_blocking(work).await.map_err(internal)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_opens_and_no_account_never_does() {
        let slots = Semaphore::new(1);
        let hash = hash(&slots, Password::parse("correct horse".into()).unwrap()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(verify(&slots, "correct horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!verify(&slots, "correct hors".into(), Some(hash)).await.unwrap());
        assert!(!verify(&slots, "correct horse".into(), None).await.unwrap());
    }

    #[test]
    fn length_is_the_only_rule() {
        assert!(Password::parse("123456789".into()).is_err());
        assert!(Password::parse("1234567890".into()).is_ok());
        assert!(Password::parse("x".repeat(201)).is_err());
    }
}
