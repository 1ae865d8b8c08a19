//! Whether a new agent has arrived, and an action to try things with where there is no agent yet.

use serde_json::json;

use super::{Caller, NewKey, Proposed, Services};
use crate::domain::action::Status;
use crate::domain::decision::Channel;
use crate::domain::ids::{ActionId, KeyId};
use crate::domain::proposal::RawProposal;
use crate::domain::role::Role;
use crate::domain::scope::Scope;
use crate::server::db::keys::StoredKey;
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::{db, text};
use crate::wire::connect::{Arrival, ArrivedAction};

/// The key that test actions are proposed with, by this name. Nobody ever sees the key itself.
const TEST_KEY: &str = "Test action";
/// How long a test action waits, in seconds.
const TEST_SECS: i64 = 3_600;
const TEST_BODY: &str = "This is a **test**. Nothing happens when you approve it: no agent waits for it.\n\n\
    An agent would go on now with exactly what you see here. Try what you can do:\n\n\
    - **Approve** lets it go on, **Reject** stops it, and a reason tells it why.\n\
    - **Edit** changes this text first, because this action permits it; the agent gets yours.\n\n\
    Whatever you do, the history says who did it and when.";

impl Services {
    /// What the newest action is: of one key, or of the whole project.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn arrival(&self, member: &Member, key: Option<KeyId>) -> ServiceResult<Arrival> {
        let statuses: Vec<String> = Status::ALL.iter().map(|status| status.as_str().to_owned()).collect();
        let mut conn = self.pool.acquire().await?;
        let keys = match key {
            Some(_) => db::keys::list(&mut conn, member.project).await?,
            None => Vec::new(),
        };
        let key = keys.into_iter().find(|stored| Some(stored.id) == key);
        let found = match &key {
            Some(key) => {
                db::arrivals::newest_of_key(&mut conn, member.project, key.id, &key.name, &statuses).await?
            }
            None => db::arrivals::newest(&mut conn, member.project, &statuses).await?,
        };
        let reader = self.reader(member);
        Ok(Arrival {
            of: key.map(|key| text::reveal_text(&key.name)),
            newest: found.map(|found| ArrivedAction {
                id: found.id.to_string(),
                title: text::reveal_text(&found.title),
                agent: text::reveal_text(&found.agent),
                at: reader.moment(found.at),
            }),
        })
    }

    /// Proposes an action that does nothing, for somebody who wants to see how it is.
    ///
    /// # Errors
    /// If the person may not decide.
    pub async fn send_test_action(&self, member: &Member) -> ServiceResult<ActionId> {
        member.require(Role::Reviewer)?;
        let agent = Caller::of(self.test_key(member).await?);
        let raw = RawProposal {
            kind: Some("impri.test".to_owned()),
            title: Some("A test: approve, edit or reject it".to_owned()),
            format: Some("markdown".to_owned()),
            body: Some(TEST_BODY.to_owned()),
            payload: Some(json!({"sent_by": member.name, "does": "nothing"})),
            expires_in: Some(TEST_SECS),
            editable: vec!["preview.body".to_owned()],
            idempotent: Some(true),
            undo: Some("There is nothing to undo.".to_owned()),
            ..RawProposal::default()
        };
        // One that waits already is shown again.
        Ok(match self.propose_any(&agent, raw, Channel::web()).await? {
            Proposed::New(action) | Proposed::Replayed(action) | Proposed::Duplicate(action) => action.id,
        })
    }

    async fn test_key(&self, member: &Member) -> ServiceResult<StoredKey> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, member.project, &member.actor(), Role::Reviewer).await?;
        // Any such key does: it belongs to the project, may only propose, and cards name it.
        let is_fit = |key: &StoredKey| {
            key.name == TEST_KEY
                && key.scopes.iter().eq([Scope::Actions])
                && key.revoked_at.is_none()
                && key.expires_at.is_none_or(|end| end > now)
        };
        if let Some(key) = db::keys::list(&mut tx, member.project).await?.into_iter().find(is_fit) {
            return Ok(key);
        }
        let new = NewKey { name: TEST_KEY.to_owned(), scopes: vec![Scope::Actions], lasts: None };
        let made = self.insert_key(&mut tx, member.project, new, member.actor(), Channel::web()).await?;
        tx.commit().await?;
        Ok(made.stored)
    }
}
