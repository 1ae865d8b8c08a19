//! Hearing people in chats: from which channels, whether they can be heard, and that each call counts once.

use sha2::{Digest as _, Sha256};

use super::Services;
use super::chat::decides;
use crate::domain::channel::{ChannelKind, UNHEARD};
use crate::domain::ids::ChannelId;
use crate::server::db;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::platform::plain;

/// How long a signed call is remembered. Each is good for minutes.
const CALLS_KEPT: time::Duration = time::Duration::HOUR;

impl Services {
    /// The channels of a sort from which people decide, over all projects.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn deciding_channels(&self, kind: ChannelKind) -> ServiceResult<Vec<StoredChannel>> {
        let mut conn = self.pool.acquire().await?;
        let mut channels = db::channels::enabled_of_kind(&mut conn, kind).await?;
        channels.retain(decides);
        Ok(channels)
    }

    /// One of them; none if nobody decides from it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn deciding_channel(
        &self,
        kind: ChannelKind,
        id: ChannelId,
    ) -> ServiceResult<Option<StoredChannel>> {
        let mut conn = self.pool.acquire().await?;
        let channel = db::channels::any(&mut conn, id).await?;
        let is_there = |channel: &StoredChannel| {
            channel.kind == kind && channel.enabled && channel.deleted_at.is_none() && decides(channel)
        };
        Ok(channel.filter(is_there))
    }

    /// Notes that nothing is heard from channels, or without a reason that they are heard; each news once. That it can't be
    /// noted is logged alone: the next one is. How the channels were when they were read only saves asking the database.
    pub async fn note_hearing(&self, channels: &[StoredChannel], trouble: Option<&str>) {
        let said = trouble.map(|reason| format!("{UNHEARD}{}", plain(reason)));
        for channel in channels {
            let known = channel.health.error.as_deref();
            let is_news = match &said {
                Some(said) => known != Some(said),
                None => known.is_some_and(|known| known.starts_with(UNHEARD)),
            };
            if !is_news {
                continue;
            }
            let noted = async {
                let mut conn = self.pool.acquire().await?;
                db::channels::note_hearing(&mut conn, channel.id, said.as_deref(), self.clock.now()).await?;
                ServiceResult::Ok(())
            };
            if let Err(error) = noted.await {
                error.log();
            }
        }
    }

    /// Whether a signed call is heard for the first time; `name` tells it from every other one. What was refused once is not
    /// to be sent again when its presser may do more, so calls are remembered, longer than they are good for and for all
    /// servers.
    ///
    /// # Errors
    /// If the database can't be reached: then it must lead to nothing.
    pub async fn is_new_call(&self, name: &str) -> ServiceResult<bool> {
        let now = self.clock.now();
        let call: [u8; 32] = Sha256::digest(name).into();
        let mut conn = self.pool.acquire().await?;
        Ok(db::chat_calls::remember(&mut conn, call, now, now - CALLS_KEPT).await?)
    }
}
