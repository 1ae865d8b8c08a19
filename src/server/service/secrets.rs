//! Secrets at rest: where they belong, and sealing all of them anew.

use serde_json::json;

use super::Services;
use super::push::key_place;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ChannelId, ProjectId};
use crate::server::db;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::secrets::{Place, SecretError};

/// Where the secrets of a channel belong.
pub(super) fn place(channel: ChannelId) -> Place {
    Place { column: "notification_channel.secrets", row: channel.uuid() }
}

/// How the secrets stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretsState {
    /// Sealed with the key that seals now.
    pub current: usize,
    /// Sealed with an older key that is still there.
    pub older: usize,
    /// Why the others can't be opened.
    pub lost: Vec<SecretError>,
}

impl Services {
    /// How the secrets at rest stand.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn secrets_state(&self) -> ServiceResult<SecretsState> {
        let mut tx = self.pool.begin().await?;
        let mut state = SecretsState::default();
        let channels = db::channels::sealed(&mut tx).await?;
        let mut all: Vec<(Place, String)> =
            channels.into_iter().map(|(id, sealed)| (place(id), sealed)).collect();
        all.extend(db::push::key(&mut tx).await?.map(|key| (key_place(key.id), key.sealed)));
        for (place, sealed) in all {
            match self.vault.open(place, &sealed) {
                Ok(_) if self.vault.is_current(&sealed) => state.current += 1,
                Ok(_) => state.older += 1,
                Err(error) => state.lost.push(error),
            }
        }
        tx.rollback().await?;
        Ok(state)
    }

    /// Seals everything that an older key sealed with the one that seals now; says how much that was.
    ///
    /// # Errors
    /// If one of the secrets can't be opened; nothing is changed then.
    pub async fn reseal_secrets(
        &self,
        project: ProjectId,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<usize> {
        let failed = |error: SecretError| ServiceError::Internal(Box::new(error));
        let mut tx = self.pool.begin().await?;
        let mut count = 0;
        for (id, sealed) in db::channels::sealed(&mut tx).await? {
            if !self.vault.is_current(&sealed) {
                let secret = self.vault.open(place(id), &sealed).map_err(failed)?;
                let anew = self.vault.seal(place(id), &secret).map_err(failed)?;
                db::channels::reseal(&mut tx, id, &anew).await?;
                count += 1;
            }
        }
        if let Some(key) = db::push::key(&mut tx).await?.filter(|key| !self.vault.is_current(&key.sealed)) {
            let secret = self.vault.open(key_place(key.id), &key.sealed).map_err(failed)?;
            let anew = self.vault.seal(key_place(key.id), &secret).map_err(failed)?;
            db::push::reseal_key(&mut tx, key.id, &anew).await?;
            count += 1;
        }
        let data = json!({"key": self.vault.sealing_id(), "secrets": count});
        let (at, kind) = (self.clock.now(), EventKind::SecretsResealed);
        db::audit::append(&mut tx, &AuditEvent { project, at, kind, action: None, actor, channel, data })
            .await?;
        tx.commit().await?;
        Ok(count)
    }
}
