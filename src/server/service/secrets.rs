//! Secrets at rest: opened and sealed for their places, and all of them sealed anew.
//!
//! [`Row`] is the list of everything that is sealed: who adds a place adds it there, and the state, the sealing at the
//! start and the rotation know it.

use std::sync::{Mutex, PoisonError};

use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Services;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ChannelId, ProjectId};
use crate::server::db::{self, DbResult};
use crate::server::error::ServiceResult;
use crate::server::kept::{Kept, Lost, StoredSecret};
use crate::server::receipts::PublicKey;
use crate::server::secrets::Place;

/// The row that a secret lies in.
enum Row {
    Project(ProjectId),
    ReceiptKey(PublicKey),
    Channel(ChannelId),
    PushKey(Uuid),
}

impl Row {
    fn what(&self) -> (Kept, Place) {
        let (kept, row) = match self {
            Self::Project(id) => (Kept::WebhookSecret, id.uuid()),
            Self::ReceiptKey(key) => (Kept::ReceiptKey, key.row()),
            Self::Channel(id) => (Kept::Channel, id.uuid()),
            Self::PushKey(id) => (Kept::PushKey, *id),
        };
        (kept, kept.place(row))
    }

    async fn store(&self, conn: &mut PgConnection, sealed: &str) -> DbResult<()> {
        match self {
            Self::Project(id) => db::projects::set_webhook_secret(conn, *id, sealed).await,
            Self::ReceiptKey(key) => db::receipt_keys::reseal(conn, key.kid(), sealed).await,
            Self::Channel(id) => db::channels::reseal(conn, *id, sealed).await,
            Self::PushKey(id) => db::push::reseal_key(conn, *id, sealed).await,
        }
    }
}

/// Everything that is kept secret; nobody changes it until the transaction ends. Projects come first, because whatever
/// else changes a project takes its row before those of its channels.
async fn all(conn: &mut PgConnection) -> DbResult<Vec<(Row, StoredSecret)>> {
    let mut all: Vec<(Row, StoredSecret)> = Vec::new();
    let projects = db::projects::webhook_secrets(conn).await?;
    all.extend(projects.into_iter().map(|(id, secret)| (Row::Project(id), secret)));
    db::receipt_keys::lock(conn).await?;
    let signing = db::receipt_keys::all(conn).await?.signing;
    all.extend(signing.map(|key| (Row::ReceiptKey(key.public), key.secret)));
    let channels = db::channels::sealed(conn).await?;
    all.extend(channels.into_iter().map(|(id, sealed)| (Row::Channel(id), StoredSecret::Sealed(sealed))));
    let push = db::push::key(conn).await?;
    all.extend(push.map(|key| (Row::PushKey(key.id), StoredSecret::Sealed(key.sealed))));
    Ok(all)
}

/// What the log has heard of secrets that can't be opened: it is told once, until they can.
#[derive(Default)]
pub(super) struct Complaints(Mutex<Vec<Kept>>);

impl Complaints {
    /// What came of opening one.
    pub(super) fn note(&self, what: Kept, lost: Option<&Lost>) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (said.contains(&what), lost) {
            (false, Some(lost)) => {
                said.push(what);
                tracing::error!("what takes it waits or is refused: {lost}");
            }
            (true, None) => said.retain(|kept| *kept != what),
            (true, Some(_)) | (false, None) => {}
        }
    }
}

/// How the secrets stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretsState {
    /// Sealed with the key that seals now.
    pub current: usize,
    /// Sealed with an older key that is still there.
    pub older: usize,
    /// In the clear, as earlier versions left them.
    pub clear: usize,
    /// Those that can't be opened, and why.
    pub lost: Vec<Lost>,
}

impl Services {
    /// How the secrets at rest stand.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn secrets_state(&self) -> ServiceResult<SecretsState> {
        let mut tx = self.pool.begin().await?;
        let mut state = SecretsState::default();
        for (row, secret) in all(&mut tx).await? {
            let (what, place) = row.what();
            match (&secret, self.open_kept(what, place, &secret)) {
                (StoredSecret::Clear(_), _) => state.clear += 1,
                (StoredSecret::Sealed(sealed), Ok(_)) if self.vault.is_current(sealed) => state.current += 1,
                (StoredSecret::Sealed(_), Ok(_)) => state.older += 1,
                (StoredSecret::Sealed(_), Err(lost)) => state.lost.push(lost),
            }
        }
        tx.rollback().await?;
        Ok(state)
    }

    /// Seals what earlier versions stored in the clear, which is gone then; says how much that was. Of several servers
    /// that start at once each secret is sealed by one. Without a key everything stays as it is.
    ///
    /// # Errors
    /// If the database can't be reached; nothing is changed then.
    pub async fn seal_clear_secrets(&self) -> ServiceResult<usize> {
        if self.vault.check().is_err() {
            return Ok(0);
        }
        let mut tx = self.pool.begin().await?;
        let mut count = 0;
        for (row, secret) in all(&mut tx).await? {
            if let StoredSecret::Clear(secret) = secret {
                let (what, place) = row.what();
                row.store(&mut tx, &self.seal_kept(what, place, &secret)?).await?;
                count += 1;
            }
        }
        tx.commit().await?;
        Ok(count)
    }

    /// Seals everything that an older key sealed, or none, with the one that seals now; says how much that was.
    ///
    /// # Errors
    /// If one of the secrets can't be opened; nothing is changed then.
    pub async fn reseal_secrets(
        &self,
        project: ProjectId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<usize> {
        let mut tx = self.pool.begin().await?;
        let mut count = 0;
        for (row, secret) in all(&mut tx).await? {
            let is_current = matches!(&secret, StoredSecret::Sealed(sealed) if self.vault.is_current(sealed));
            if !is_current {
                let (what, place) = row.what();
                let opened = self.open_kept(what, place, &secret)?;
                row.store(&mut tx, &self.seal_kept(what, place, &opened)?).await?;
                count += 1;
            }
        }
        let data = json!({"key": self.vault.sealing_id(), "secrets": count});
        let (at, kind) = (self.clock.now(), EventKind::SecretsResealed);
        db::audit::append(&mut tx, &AuditEvent { project, at, kind, action: None, actor, channel, data })
            .await?;
        tx.commit().await?;
        Ok(count)
    }

    /// A secret in words that can be used.
    pub(super) fn open_kept(&self, what: Kept, place: Place, secret: &StoredSecret) -> Result<String, Lost> {
        match secret {
            StoredSecret::Sealed(sealed) => {
                self.vault.open(place, sealed).map_err(|error| Lost { what, error })
            }
            StoredSecret::Clear(secret) => Ok(secret.clone()),
        }
    }

    /// A secret as it may be stored.
    pub(super) fn seal_kept(&self, what: Kept, place: Place, secret: &str) -> Result<String, Lost> {
        self.vault.seal(place, secret).map_err(|error| Lost { what, error })
    }
}
