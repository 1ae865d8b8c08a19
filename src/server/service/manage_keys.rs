//! Keys, as an administrator manages them in the browser.

use std::collections::HashMap;
use std::time::Duration;

use super::{NewKey, RevealedKey, Services};
use crate::domain::decision::Channel;
use crate::domain::ids::KeyId;
use crate::domain::role::Role;
use crate::domain::scope::Scope;
use crate::domain::text::FieldError;
use crate::server::db::keys::StoredKey;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, view};
use crate::wire::inbox::InboxView;
use crate::wire::keys::{FreshKey, KeyView, KeysView};

/// The form that makes a key.
#[derive(Debug, Clone)]
pub struct KeyForm {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// How many days it lasts; empty for ever.
    pub days: String,
}

impl Services {
    /// Every key of the project. `fresh` is the one that was made just before.
    ///
    /// # Errors
    /// If the member is no administrator.
    pub async fn keys_page(&self, member: &Member, fresh: Option<FreshKey>) -> ServiceResult<KeysView> {
        member.require(Role::Admin)?;
        let reader = self.reader(member);
        let mut conn = self.pool.acquire().await?;
        let stored = db::keys::list(&mut conn, member.project).await?;
        let cap = InboxView::COUNT_CAP;
        let waiting = db::listing::waiting_by_key(&mut conn, member.project, reader.now, cap.into()).await?;
        let waiting: HashMap<KeyId, i64> = waiting.into_iter().collect();
        let count = |id: KeyId| waiting.get(&id).map_or(0, |count| u32::try_from(*count).unwrap_or(cap));
        let is_over =
            |key: &StoredKey| key.revoked_at.is_some() || key.expires_at.is_some_and(|end| end <= reader.now);
        let (ended, valid): (Vec<_>, Vec<_>) = stored.into_iter().rev().partition(is_over);
        let shown = |keys: Vec<StoredKey>| -> Vec<KeyView> {
            keys.into_iter()
                .map(|key| {
                    let pending = count(key.id);
                    view::key_list::key(key, pending, &reader)
                })
                .collect()
        };
        Ok(KeysView { keys: shown(valid), ended: shown(ended), fresh })
    }

    /// Makes a key from its form.
    ///
    /// # Errors
    /// If the member is no administrator, or a field breaks a rule.
    pub async fn make_key(&self, member: &Member, form: KeyForm) -> ServiceResult<RevealedKey> {
        member.require(Role::Admin)?;
        let lasts = match form.days.as_str() {
            "" => None,
            days => {
                let wrong = || FieldError::invalid("expires_in", "must be a number of days from 1 to 3650.");
                let days: u64 = days.parse().map_err(|_| wrong())?;
                Some(Some(days).filter(|days| (1..=3_650).contains(days)).ok_or_else(wrong)?)
            }
        };
        let lasts = lasts.map(|days| Duration::from_hours(24 * days));
        let new = NewKey { name: form.name.trim().to_owned(), scopes: form.scopes, lasts };
        self.create_key(member.project, new, member.actor(), Channel::web()).await
    }

    /// Revokes a key.
    ///
    /// # Errors
    /// If the member is no administrator, or as [`Services::revoke_key`].
    pub async fn end_key(&self, member: &Member, id: &str) -> ServiceResult<()> {
        member.require(Role::Admin)?;
        let id: KeyId = id.parse().map_err(|_| ServiceError::NotFound)?;
        self.revoke_key(member.project, id, member.actor(), Channel::web()).await
    }
}
