//! Who holds this API key, and what may they do.
//!
//! Keys are looked up by digest. What was looked up is remembered for a minute, but only while this server hears the
//! signals of the others, and all of it is forgotten whenever any key is revoked: revocation takes effect at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::broadcast;

use super::Services;
use crate::domain::Instant;
use crate::domain::audit::Actor;
use crate::domain::decision::Decider;
use crate::domain::ids::{KeyId, ProjectId};
use crate::domain::scope::{Scope, Scopes};
use crate::server::db;
use crate::server::db::keys::StoredKey;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::Live;

/// What was looked up is used for this long at most.
const REMEMBER: Duration = Duration::from_mins(1);
/// At most this many keys are remembered.
const REMEMBER_MAX: usize = 10_000;

/// A program that called with a valid key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Which key.
    pub key: KeyId,
    /// The key's name.
    pub name: String,
    /// The project that the key belongs to.
    pub project: ProjectId,
    /// What the key may do.
    pub scopes: Scopes,
    /// What the key is looked up by.
    digest: [u8; 32],
}

impl Caller {
    /// The holder of a key that this server proposes with itself. Nobody has the key, so it is looked up by nothing.
    pub(super) fn of(key: StoredKey) -> Self {
        Self { key: key.id, name: key.name, project: key.project, scopes: key.scopes, digest: [0; 32] }
    }

    /// The caller as somebody who decides; [`Scope::Decide`] is checked by the door.
    pub fn decider(&self) -> Decider {
        Decider::Key { id: self.key, name: self.name.clone() }
    }

    /// The caller as the history names it.
    pub fn actor(&self) -> Actor {
        Actor::Key { id: self.key, name: self.name.clone() }
    }

    /// Checks that the key may do one of these.
    ///
    /// # Errors
    /// Names what the key lacks.
    pub fn require(&self, any_of: &'static [Scope]) -> Result<(), CallerError> {
        match any_of.iter().any(|scope| self.scopes.allow(*scope)) {
            true => Ok(()),
            false => Err(CallerError::Scope { needed: any_of, held: self.scopes.clone() }),
        }
    }
}

/// Why a caller was turned away.
#[derive(Debug)]
pub enum CallerError {
    /// No key was sent.
    Missing,
    /// What was sent is no key of this server, or not any more.
    Invalid,
    /// The key is real but may not do this.
    Scope {
        /// One of these would do.
        needed: &'static [Scope],
        /// The key has these.
        held: Scopes,
    },
    /// The key could not be looked up.
    Service(ServiceError),
}

/// Looked-up keys by digest.
pub(super) struct KeyMemory {
    known: Mutex<Known>,
}

struct Known {
    by_digest: HashMap<[u8; 32], Remembered>,
    changes: broadcast::Receiver<()>,
    /// Counts how often everything was forgotten.
    era: u64,
}

#[derive(Clone)]
struct Remembered {
    caller: Arc<Caller>,
    expires_at: Option<Instant>,
    looked_up_at: Instant,
    /// Unix seconds of the last note in the database.
    noted_at: Arc<AtomicI64>,
}

impl KeyMemory {
    pub(super) fn new(live: &Live) -> Self {
        let changes = live.key_changes();
        Self { known: Mutex::new(Known { by_digest: HashMap::new(), changes, era: 0 }) }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        use broadcast::error::TryRecvError::{Closed, Empty};
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // A revocation sends its signal before its caller is answered, so it is seen here by the next request.
        while !matches!(known.changes.try_recv(), Err(Empty | Closed)) {
            known.by_digest.clear();
            known.era += 1;
        }
        known
    }

    /// What is remembered, and the era to remember in if nothing is.
    fn recall(&self, digest: &[u8; 32], now: Instant) -> (Option<Remembered>, u64) {
        let known = self.known();
        let found = known.by_digest.get(digest).filter(|found| now - found.looked_up_at < REMEMBER).cloned();
        (found, known.era)
    }

    /// Remembers what was looked up, unless a key was revoked since: it may have been this one.
    fn remember(&self, digest: [u8; 32], found: Remembered, era: u64) {
        let mut known = self.known();
        if known.era != era {
            return;
        }
        if known.by_digest.len() >= REMEMBER_MAX {
            known.by_digest.clear();
        }
        known.by_digest.insert(digest, found);
    }
}

/// The SHA-256 that a key is stored under.
pub(super) fn key_digest(key: &str) -> [u8; 32] {
    Sha256::digest(key).into()
}

impl Services {
    /// Who holds this key.
    ///
    /// # Errors
    /// If it is unknown, revoked or expired, or can't be looked up.
    pub async fn caller(&self, key: &str) -> Result<Arc<Caller>, CallerError> {
        self.holder(key_digest(key)).await
    }

    /// Asks again for who has waited: their key may have been revoked meanwhile.
    ///
    /// # Errors
    /// As [`Services::caller`].
    pub async fn caller_again(&self, caller: &Caller) -> Result<(), CallerError> {
        self.holder(caller.digest).await.map(drop)
    }

    async fn holder(&self, digest: [u8; 32]) -> Result<Arc<Caller>, CallerError> {
        let now = self.clock.now();
        let (recalled, era) = self.keys.recall(&digest, now);
        // While signals don't arrive nothing remembered can be trusted.
        let found = match recalled.filter(|_| self.live.is_linked()) {
            Some(found) => found,
            None => self.look_up(digest, now, era).await?,
        };
        if found.expires_at.is_some_and(|end| end <= now) {
            return Err(CallerError::Invalid);
        }
        self.note_used(&found, now);
        Ok(found.caller)
    }

    async fn look_up(&self, digest: [u8; 32], now: Instant, era: u64) -> Result<Remembered, CallerError> {
        let found = self.stored_key(&digest).await.map_err(CallerError::Service)?;
        let key = found.filter(|key| key.revoked_at.is_none()).ok_or(CallerError::Invalid)?;
        let last_used = key.last_used_at.map_or(0, Instant::unix_timestamp);
        let found = Remembered {
            caller: Arc::new(Caller {
                key: key.id,
                name: key.name,
                project: key.project,
                scopes: key.scopes,
                digest,
            }),
            expires_at: key.expires_at,
            looked_up_at: now,
            noted_at: Arc::new(AtomicI64::new(last_used)),
        };
        self.keys.remember(digest, found.clone(), era);
        Ok(found)
    }

    async fn stored_key(&self, digest: &[u8; 32]) -> ServiceResult<Option<StoredKey>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::keys::by_digest(&mut conn, digest).await?)
    }

    /// Notes the use behind the caller's back, at most once a minute.
    fn note_used(&self, found: &Remembered, now: Instant) {
        let (seconds, noted) = (now.unix_timestamp(), found.noted_at.load(Ordering::Relaxed));
        if seconds - noted <= 60
            || found.noted_at.compare_exchange(noted, seconds, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        let (pool, key) = (self.pool.clone(), found.caller.key);
        tokio::spawn(async move {
            let noted = match pool.acquire().await {
                Ok(mut conn) => db::keys::note_used(&mut conn, key, now).await,
                Err(error) => Err(error),
            };
            if let Err(error) = noted {
                tracing::debug!(%error, "could not note the use of a key");
            }
        });
    }
}
