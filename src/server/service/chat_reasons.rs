//! Rejecting from a chat with a reason: asked for by a question that is answered later, or by a form of the platform.

use super::Services;
use super::chat::{ChatUser, Press};
use crate::domain::decision::Verdict;
use crate::domain::ids::{ActionId, ChannelId};
use crate::domain::text::Comment;
use crate::server::db;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::notify::token::Pressed;

impl Services {
    /// Notes that somebody was asked why they reject an action.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn asked_why(
        &self,
        channel: ChannelId,
        reference: &str,
        action: ActionId,
        user: &ChatUser,
    ) -> ServiceResult<()> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::chat::ask(&mut conn, channel, reference, action, &user.id, self.clock.now()).await?)
    }

    /// Somebody answered a message of a channel; none if it asked for nothing.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn answer_why(
        &self,
        channel: &StoredChannel,
        reference: &str,
        user: &ChatUser,
        reason: &str,
    ) -> ServiceResult<Option<Press>> {
        let mut conn = self.pool.acquire().await?;
        let Some(question) = db::chat::question(&mut conn, channel.id, reference).await? else {
            return Ok(None);
        };
        if question.user != user.id || question.is_answered {
            return Ok(None);
        }
        let (Some(action), Ok(config)) =
            (db::actions::get(&mut conn, channel.project, question.action).await?, self.open_config(channel))
        else {
            return Ok(None);
        };
        // They may have lost what they had when they were asked.
        let member = match self.chat_member(&mut conn, channel, &config, user).await? {
            Ok(member) => member,
            Err(not) => {
                self.note_refused(&mut conn, channel, (&action, Verdict::Reject), user, not.reason).await?;
                return Ok(Some(not.press));
            }
        };
        let comment = match comment(reason) {
            Ok(comment) => comment,
            Err(refused) => return Ok(Some(refused)),
        };
        drop(conn);
        let press = self.decide_in_chat(channel, &member, &action, Verdict::Reject, comment).await?;
        let mut conn = self.pool.acquire().await?;
        db::chat::answered(&mut conn, channel.id, reference, self.clock.now()).await?;
        Ok(Some(press))
    }

    /// Somebody filled in the form that a Reject opened, which carries the button's token. An empty reason is none.
    ///
    /// # Errors
    /// If the database can't be reached. Everything else is an answer.
    pub async fn reject_because(
        &self,
        channel: &StoredChannel,
        user: &ChatUser,
        pressed: &Pressed,
        reason: &str,
    ) -> ServiceResult<Press> {
        if pressed.verdict != Verdict::Reject {
            return Ok(Press::Refused("This form is not valid. Nothing was decided.".to_owned()));
        }
        let (member, action) = match self.vet(channel, user, pressed).await? {
            Ok(vetted) => vetted,
            Err(press) => return Ok(press),
        };
        match comment(reason) {
            Ok(comment) => self.decide_in_chat(channel, &member, &action, Verdict::Reject, comment).await,
            Err(refused) => Ok(refused),
        }
    }
}

/// A reason as it is stored; a dot is none where something has to be written.
fn comment(reason: &str) -> Result<Option<Comment>, Press> {
    match reason.trim() {
        "" | "." | "-" => Ok(None),
        reason => Comment::parse(reason)
            .map(Some)
            .map_err(|error| Press::Refused(format!("Not rejected. The reason: {}", error.message))),
    }
}
