//! What a channel is told about an action, whenever it is time: read at that time, so that it is true.
//!
//! One server at a time speaks to a channel, and one message says "make what this channel shows about this action true":
//! a card for what waits, the outcome for what does not, one list for what came in a burst. What is shown is compared with
//! what is true in the transaction that writes down that it was sent, so that no change gets lost between the two.

use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use super::Services;
use super::deliver::unsent;
use super::notice_ends::Ending;
use crate::domain::Instant;
use crate::domain::action::{Action, Status};
use crate::domain::delivery::Outcome;
use crate::domain::ids::{ActionId, ChannelId};
use crate::server::db::channel_messages::{MessageState, StoredMessage};
use crate::server::db::channels::StoredChannel;
use crate::server::db::outbox::TakenMessage;
use crate::server::error::ServiceResult;
use crate::server::notify::message::{Ask, Message};
use crate::server::notify::{token, words};
use crate::server::{db, random};

/// Before another look when another server speaks to the channel.
const WAIT: Duration = Duration::milliseconds(300);
/// More new cards than this within a channel's window become one message.
pub const BURST: i64 = 5;
/// Within how many seconds, if nobody says.
pub const WINDOW: i64 = 60;

/// The right to speak to a channel, and what is to be said.
pub struct Turn {
    /// Until when the channel is ours, which is as long as the message is; none if it is not.
    pub until: Option<Instant>,
    /// What is to be said.
    pub step: Step,
    pub(super) about: Said,
}

/// What is to be said.
pub enum Step {
    /// Nothing, or not now.
    Over(Outcome),
    /// This.
    Say {
        /// Where.
        channel: Box<StoredChannel>,
        /// What.
        message: Box<Message>,
        /// In the place of which message.
        reference: Option<String>,
    },
}

/// What a message is about, for whoever writes down that it was sent.
#[derive(Debug, Clone)]
pub(super) enum Said {
    /// Nothing.
    Nothing,
    /// One action, and how it stood.
    Card(ActionId, Status),
    /// A list, and how what it names stood.
    List(Uuid, Vec<(ActionId, Status)>),
}

/// What a platform took.
pub struct Handed {
    /// What it calls the message.
    pub reference: Option<String>,
    /// The digest of what it shows.
    pub shown: [u8; 32],
}

impl Turn {
    /// Nobody's turn, because this is what came of it already.
    pub fn over(outcome: Outcome) -> Self {
        Self { until: None, step: Step::Over(outcome), about: Said::Nothing }
    }
}

fn skipped(reason: &str) -> Outcome {
    Outcome::Skipped { reason: reason.to_owned() }
}

/// What is to be said, unless the message in whose place it would stand says just that.
fn unless_shown((step, about): (Step, Said), shown: Option<&[u8]>) -> (Step, Said) {
    match &step {
        Step::Say { message, reference: Some(_), .. } if shown == Some(message.digest().as_slice()) => {
            (Step::Over(skipped("it says so already")), Said::Nothing)
        }
        _ => (step, about),
    }
}

impl Services {
    /// Takes the right to speak to a channel, and says what is true about an action now. That this server failed is what
    /// came of it, too: whoever writes that down gives the right back.
    pub async fn take_turn(&self, taken: &TakenMessage, channel: ChannelId) -> Turn {
        let mut until = None;
        let (step, about) = self.begin_turn(taken, channel, &mut until).await.unwrap_or_else(|error| {
            error.log();
            (Step::Over(unsent(&error)), Said::Nothing)
        });
        Turn { until, step, about }
    }

    async fn begin_turn(
        &self,
        taken: &TakenMessage,
        channel: ChannelId,
        until: &mut Option<Instant>,
    ) -> ServiceResult<(Step, Said)> {
        let over = |outcome| Ok((Step::Over(outcome), Said::Nothing));
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let Some(stored) = db::channels::any(&mut conn, channel).await? else {
            return over(skipped("there is no such channel"));
        };
        if stored.deleted_at.is_some() {
            return over(skipped("the channel was deleted"));
        }
        let end = taken.lease.until();
        // Ours as soon as it is asked for: the answer may get lost.
        *until = Some(end);
        if !db::channels::occupy(&mut conn, channel, now, end).await? {
            *until = None;
            let reason = "another server speaks to this channel".to_owned();
            return over(Outcome::Later { after: WAIT, reason });
        }
        drop(conn);
        self.step(taken, stored, now).await
    }

    async fn step(
        &self,
        taken: &TakenMessage,
        channel: StoredChannel,
        now: Instant,
    ) -> ServiceResult<(Step, Said)> {
        let over = |outcome| Ok((Step::Over(outcome), Said::Nothing));
        let id = taken.message.action;
        let mut conn = self.pool.acquire().await?;
        let message = db::channel_messages::get(&mut conn, channel.id, id).await?;
        match message.as_ref().map(|message| &message.state) {
            Some(MessageState::Sent) => {
                let (shown, reference) =
                    message.map(|message| (message.shown, message.reference)).unwrap_or_default();
                if reference.is_none() || !channel.kind.keeps_messages_true() {
                    return over(skipped("it was told before"));
                }
                let Some(action) = db::actions::get(&mut conn, channel.project, id).await? else {
                    return over(skipped("there is no such action"));
                };
                let said = self.say_card(channel, &action, None, reference, now);
                return Ok(unless_shown(said, shown.as_deref()));
            }
            Some(MessageState::Listed { list }) => {
                let list = *list;
                let (shown, reference) = message.map(|list| (list.shown, list.reference)).unwrap_or_default();
                // A list that shows nothing yet was not taken, and is tried again.
                let is_told = shown.is_some() && (reference.is_none() || !channel.kind.keeps_messages_true());
                if is_told {
                    return over(skipped("it was told in a list"));
                }
                let said = self.say_list(&mut conn, channel, list, reference, now).await?;
                return Ok(unless_shown(said, shown.as_deref()));
            }
            Some(MessageState::Held { until }) if *until > now => {
                return over(Outcome::Later {
                    after: *until - now,
                    reason: "waits for others to make a list".into(),
                });
            }
            Some(MessageState::Held { .. }) => return self.say_held(&mut conn, channel, now).await,
            None | Some(MessageState::Sending | MessageState::Skipped) => {}
        }
        if !channel.enabled {
            return over(skipped("the channel is paused"));
        }
        if channel.kind.gathers_bursts()
            && let Some(until) = hold_until(&mut conn, &channel, now).await?
        {
            let held = StoredMessage { state: MessageState::Held { until }, reference: None, shown: None };
            db::channel_messages::put(&mut conn, channel.id, id, &held, None).await?;
            return over(Outcome::Later {
                after: until - now,
                reason: "waits for others to make a list".into(),
            });
        }
        // Noted before the action is read: whoever decides from here on sees that there is a message to be changed.
        let sending = StoredMessage { state: MessageState::Sending, reference: None, shown: None };
        db::channel_messages::put(&mut conn, channel.id, id, &sending, None).await?;
        let action = db::actions::get(&mut conn, channel.project, id).await?;
        let Some(action) = action.filter(|action| action.status(now) == Status::Pending) else {
            let skip = StoredMessage { state: MessageState::Skipped, ..sending };
            db::channel_messages::put(&mut conn, channel.id, id, &skip, None).await?;
            return over(skipped("it was decided before this was sent"));
        };
        let lead = Ending::of(&taken.message.body).map(|ending| ending.lead());
        Ok(self.say_card(channel, &action, lead, None, now))
    }

    fn say_card(
        &self,
        channel: StoredChannel,
        action: &Action,
        lead: Option<String>,
        reference: Option<String>,
        now: Instant,
    ) -> (Step, Said) {
        let around = words::Around { now, public_url: &self.public_url };
        let message = words::card(action, lead, self.ask(&channel, action), &around);
        let said = Said::Card(action.id, action.status(now));
        (Step::Say { channel: Box::new(channel), message: Box::new(message), reference }, said)
    }

    /// The buttons of a card, where a channel carries answers back.
    fn ask(&self, channel: &StoredChannel, action: &Action) -> Option<Ask> {
        if !channel.config.get("approval_mode").and_then(serde_json::Value::as_bool).unwrap_or_default() {
            return None;
        }
        let config = self.open_config(channel).ok()?;
        Some(token::ask(config.text("hmac_secret"), channel.id, action))
    }

    /// What was held back long enough: one list, or a card if no more than one still waits.
    async fn say_held(
        &self,
        conn: &mut PgConnection,
        channel: StoredChannel,
        now: Instant,
    ) -> ServiceResult<(Step, Said)> {
        let list = random::uuid(now);
        db::channel_messages::list_held(conn, channel.id, list, now).await?;
        let held = db::channel_messages::of_list(conn, list).await?;
        let mut waiting =
            held.iter().filter(|action| channel.enabled && action.status(now) == Status::Pending);
        let one = waiting.next().map(|action| action.id);
        if waiting.next().is_some() {
            return self.say_list(conn, channel, list, None, now).await;
        }
        for action in &held {
            let state = if one == Some(action.id) { MessageState::Sending } else { MessageState::Skipped };
            let message = StoredMessage { state, reference: None, shown: None };
            db::channel_messages::put(conn, channel.id, action.id, &message, None).await?;
        }
        let action = match one {
            Some(id) => db::actions::get(conn, channel.project, id).await?,
            None => None,
        };
        Ok(match action.filter(|action| action.status(now) == Status::Pending) {
            Some(action) => self.say_card(channel, &action, None, None, now),
            None => (Step::Over(skipped("nothing of it waits any more")), Said::Nothing),
        })
    }

    async fn say_list(
        &self,
        conn: &mut PgConnection,
        channel: StoredChannel,
        list: Uuid,
        reference: Option<String>,
        now: Instant,
    ) -> ServiceResult<(Step, Said)> {
        let actions = db::channel_messages::of_list(conn, list).await?;
        let around = words::Around { now, public_url: &self.public_url };
        let message = Box::new(words::list(&actions, &around));
        let stood = actions.iter().map(|action| (action.id, action.status(now))).collect();
        Ok((Step::Say { channel: Box::new(channel), message, reference }, Said::List(list, stood)))
    }
}

/// Until when what is new is held back, if there was a burst.
async fn hold_until(
    conn: &mut PgConnection,
    channel: &StoredChannel,
    now: Instant,
) -> ServiceResult<Option<Instant>> {
    if let Some(until) = db::channel_messages::holds_until(conn, channel.id).await? {
        return Ok(Some(until.max(now)));
    }
    let window = Duration::seconds(channel.window_secs.into());
    let (count, first) = db::channel_messages::sent_since(conn, channel.id, now - window).await?;
    Ok(first.filter(|_| count >= BURST).map(|first| first + window))
}
