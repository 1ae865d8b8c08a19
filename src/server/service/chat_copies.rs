//! Copies of a message that nobody knows of. Sending is at least once: a server that died, or an answer that got lost, leaves
//! one behind.

use super::Services;
use crate::domain::ids::ActionId;
use crate::server::db;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::message::Message;
use crate::server::notify::words;

impl Services {
    /// What a message has to say in which something was decided, unless it is the one that the outbox keeps true. That it
    /// can't be found out is logged alone: a later press makes the message true.
    pub async fn stray_copy(
        &self,
        channel: &StoredChannel,
        action: ActionId,
        reference: &str,
    ) -> Option<Message> {
        match self.find_stray_copy(channel, action, reference).await {
            Ok(found) => found,
            Err(error) => {
                error.log();
                None
            }
        }
    }

    async fn find_stray_copy(
        &self,
        channel: &StoredChannel,
        action: ActionId,
        reference: &str,
    ) -> ServiceResult<Option<Message>> {
        let mut conn = self.pool.acquire().await?;
        let known = db::channel_messages::get(&mut conn, channel.id, action).await?;
        if known.is_some_and(|known| known.reference.as_deref() == Some(reference)) {
            return Ok(None);
        }
        let action = db::actions::get(&mut conn, channel.project, action).await?;
        let around = words::Around { now: self.clock.now(), public_url: &self.public_url };
        Ok(action.map(|action| words::card(&action, None, None, &around)))
    }
}
