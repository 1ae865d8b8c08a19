//! Receipts of decisions: which key signs them, and which keys verify them.
//!
//! Keys are read once and remembered while this server hears the signals of the others; a rotation makes every server
//! read them again. The first decision or start on an empty database makes the first key.
//!
//! The private part is sealed at rest and opened when it is read. Where that fails no other key is made in its place:
//! nothing is decided, because a decision has a receipt, and what was signed before goes on to verify.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Services;
use crate::domain::action::Action;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ProjectId, ReceiptId};
use crate::domain::receipt::Claims;
use crate::server::db::receipt_keys::{StoredSigningKey, Withdrawal};
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::kept::{Kept, Lost};
use crate::server::live::Signal;
use crate::server::receipts::{self, KeySet, PublicKey, SigningKey};
use crate::server::secrets::SecretError;
use crate::server::{db, random};

/// The key that signs, and the set that verifies.
pub struct ReceiptKeys {
    signing: Result<SigningKey, Lost>,
    signing_kid: String,
    set: KeySet,
}

impl ReceiptKeys {
    /// The public keys.
    pub fn set(&self) -> &KeySet {
        &self.set
    }

    /// The key that signs.
    ///
    /// # Errors
    /// If its private part can't be opened; the public keys are good nevertheless.
    pub fn signing(&self) -> Result<&SigningKey, Lost> {
        self.signing.as_ref().map_err(Lost::clone)
    }

    /// The name of the key that signs.
    pub fn signing_kid(&self) -> &str {
        &self.signing_kid
    }
}

/// What was read last, and in which era.
#[derive(Default)]
pub(super) struct ReceiptKeyMemory(Mutex<Option<(u64, Arc<ReceiptKeys>)>>);

impl ReceiptKeyMemory {
    fn recall(&self, era: u64) -> Option<Arc<ReceiptKeys>> {
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.as_ref().filter(|(read_in, _)| *read_in == era).map(|(_, keys)| Arc::clone(keys))
    }

    fn remember(&self, era: u64, keys: &Arc<ReceiptKeys>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((era, Arc::clone(keys)));
    }
}

/// What a rotation did.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// The key that signed until now, if there was one.
    pub retired: Option<String>,
    /// The key that signs from now on.
    pub signing: String,
}

impl Services {
    /// The keys of receipts; makes the first one where there is none.
    ///
    /// # Errors
    /// If the database can't be reached, or there is none and a new one can't be sealed. That the one that signs can't be
    /// opened is said by [`ReceiptKeys::signing`].
    pub async fn receipt_keys(&self) -> ServiceResult<Arc<ReceiptKeys>> {
        // The era is read first: keys that are read while they change are remembered for an era that is over.
        let era = self.live.receipt_key_era();
        // While signals don't arrive another server may have rotated.
        if let Some(keys) = self.receipt_keys.recall(era).filter(|_| self.live.is_linked()) {
            return Ok(keys);
        }
        let mut conn = self.pool.acquire().await?;
        let mut stored = db::receipt_keys::all(&mut conn).await?;
        if stored.signing.is_none() {
            let (public, sealed) = self.new_receipt_key()?;
            // Of several servers that get here one stores its key; all go on with that one.
            db::receipt_keys::insert(&mut conn, &public, &sealed, self.clock.now()).await?;
            stored = db::receipt_keys::all(&mut conn).await?;
        }
        let signing = stored.signing.ok_or_else(|| ServiceError::Internal("no key signs receipts".into()))?;
        let keys = Arc::new(ReceiptKeys {
            signing: self.open_receipt_key(&signing),
            signing_kid: signing.public.kid().to_owned(),
            set: KeySet::new(stored.verifying),
        });
        self.complaints.note(Kept::ReceiptKey, keys.signing.as_ref().err());
        // What can't sign is not remembered, so that a key that somebody puts back is found by itself.
        if keys.signing.is_ok() {
            self.receipt_keys.remember(era, &keys);
        }
        Ok(keys)
    }

    /// A new key: its public part, and the private one sealed.
    fn new_receipt_key(&self) -> Result<(PublicKey, String), Lost> {
        let (key, seed) = SigningKey::generate();
        let (what, public) = (Kept::ReceiptKey, key.public().clone());
        let sealed = self.seal_kept(what, what.place(public.row()), &STANDARD.encode(seed))?;
        Ok((public, sealed))
    }

    fn open_receipt_key(&self, stored: &StoredSigningKey) -> Result<SigningKey, Lost> {
        let what = Kept::ReceiptKey;
        let seed = self.open_kept(what, what.place(stored.public.row()), &stored.secret)?;
        let seed = STANDARD.decode(seed).ok();
        let key = seed.and_then(|seed| SigningKey::stored(&seed, stored.public.as_bytes()));
        key.ok_or(Lost { what, error: SecretError::Damaged })
    }

    /// A decided action with its receipt.
    ///
    /// # Errors
    /// If the key that signs can't be opened. That it is not decided is a fault of this program.
    pub(super) fn with_receipt(&self, action: Action, keys: &ReceiptKeys) -> ServiceResult<Action> {
        let id = ReceiptId::from_uuid(random::uuid(action.updated_at));
        let claims = Claims::of(&action, &self.public_url, id)
            .ok_or_else(|| ServiceError::Internal("a receipt is about a decision".into()))?;
        let receipt = receipts::sign(keys.signing()?, &claims)
            .map_err(|error| ServiceError::Internal(Box::new(error)))?;
        Ok(action.with_receipt(receipt))
    }

    /// Makes another key sign from now on, and destroys the private part of the one before. What that one signed goes
    /// on to verify. The one before need not be opened for that: this is the way on when it is lost.
    ///
    /// # Errors
    /// If the database can't be reached, or the new key can't be sealed; nothing is changed then.
    pub async fn rotate_receipt_key(
        &self,
        project: ProjectId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Rotation> {
        let now = self.clock.now();
        let (public, sealed) = self.new_receipt_key()?;
        let mut tx = self.pool.begin().await?;
        db::receipt_keys::lock(&mut tx).await?;
        let retired = db::receipt_keys::retire(&mut tx, now).await?;
        if !db::receipt_keys::insert(&mut tx, &public, &sealed, now).await? {
            return Err(ServiceError::Internal("another key signs receipts".into()));
        }
        let signing = public.kid().to_owned();
        let data = json!({"signing": signing, "retired": retired});
        let kind = EventKind::ReceiptKeyRotated;
        let event = AuditEvent { project, at: now, kind, action: None, actor, channel, data };
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::ReceiptKeysChanged).await?;
        Ok(Rotation { retired, signing })
    }

    /// Withdraws a key whose private part somebody else may have: from now on nothing that it signed verifies, because
    /// nobody can tell a receipt of this server from a forged one.
    ///
    /// # Errors
    /// If there is no such key, it was withdrawn before, or it is the one that signs.
    pub async fn withdraw_receipt_key(
        &self,
        project: ProjectId,
        kid: &str,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<Withdrawal> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        db::receipt_keys::lock(&mut tx).await?;
        let outcome = db::receipt_keys::withdraw(&mut tx, kid, now).await?;
        if outcome == Withdrawal::Done {
            let event = AuditEvent {
                project,
                at: now,
                kind: EventKind::ReceiptKeyWithdrawn,
                action: None,
                actor,
                channel,
                data: json!({"withdrawn": kid}),
            };
            db::audit::append(&mut tx, &event).await?;
            self.commit_and_tell(tx, Signal::ReceiptKeysChanged).await?;
        }
        Ok(outcome)
    }
}
