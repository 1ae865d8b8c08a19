//! Deciding from a chat: who pressed what, whether they may, and what the chat is told about it.
//!
//! Platforms hand over what was pressed; here it is checked that this server offered it, for whom the account stands, and
//! the one function that decides is called, as every other door calls it. Whoever may not is told so and noted.

use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use time::Duration;

use super::Services;
use crate::domain::action::{Action, Intent, Status};
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::channel::{ChannelKind, Config};
use crate::domain::decision::{Channel, Decider, Verdict};
use crate::domain::ids::ActionId;
use crate::domain::role::Role;
use crate::domain::text::Comment;
use crate::server::db;
use crate::server::db::channels::StoredChannel;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::message::Message;
use crate::server::notify::token::Pressed;
use crate::server::notify::words;
use crate::server::text::reveal_text;

/// How long the same refusal is in the history once, however often somebody presses.
const NOTED_EVERY: Duration = Duration::hours(1);

/// An account on a chat platform, as the platform names it.
#[derive(Debug, Clone)]
pub struct ChatUser {
    /// Its number or id.
    pub id: String,
    /// Its name, for people.
    pub name: String,
}

/// What comes of pressing a button.
#[derive(Debug)]
pub enum Press {
    /// This is decided; the message is changed by the outbox, unless it is a copy that nobody knows of.
    Decided(String, ActionId),
    /// They may not, or it could not be done.
    Refused(String),
    /// Their account stands for nobody here; it may be linked.
    Stranger(String),
    /// It was over before; this is what the message has to say.
    Over(String, Box<Message>),
    /// The reason is to be asked for.
    AskWhy(ActionId, String),
}

impl Press {
    /// What whoever pressed is told, nobody else.
    pub fn sentence(&self) -> &str {
        match self {
            Self::Decided(text, _) | Self::Refused(text) | Self::Stranger(text) | Self::Over(text, _) => text,
            Self::AskWhy(..) => "Reply with the reason.",
        }
    }
}

/// Why an account may not decide.
pub(super) struct NotThey {
    /// For them.
    pub(super) press: Press,
    /// For the history.
    pub(super) reason: &'static str,
}

/// Whether people decide from a channel.
pub(super) fn decides(channel: &StoredChannel) -> bool {
    channel.config.get("approval_mode").and_then(Value::as_bool).unwrap_or_default()
}

/// The setting that lists who alone decides from a channel of a sort.
fn allow_list(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Slack => "allowed_approver_slack_user_ids",
        ChannelKind::Discord => "allowed_approver_discord_user_ids",
        ChannelKind::Telegram | ChannelKind::Email | ChannelKind::Ntfy | ChannelKind::Webhook => {
            "allowed_approver_user_ids"
        }
    }
}

impl Services {
    /// Somebody pressed a button of a channel.
    ///
    /// # Errors
    /// If the database can't be reached. Everything else is an answer.
    pub async fn press(
        &self,
        channel: &StoredChannel,
        user: &ChatUser,
        pressed: &Pressed,
    ) -> ServiceResult<Press> {
        let (member, action) = match self.vet(channel, user, pressed).await? {
            Ok(vetted) => vetted,
            Err(press) => return Ok(press),
        };
        if pressed.verdict == Verdict::Reject {
            return Ok(Press::AskWhy(action.id, reveal_text(action.content.title.as_str())));
        }
        if action.asks_again() {
            let sentence =
                format!("Not approved yet: this is not idempotent. Approve it at {}/inbox.", self.public_url);
            return Ok(Press::Refused(sentence));
        }
        self.decide_in_chat(channel, &member, &action, Verdict::Approve, None).await
    }

    /// Who pressed a button and about what, if this server offered it, they may decide, and it still waits.
    pub(super) async fn vet(
        &self,
        channel: &StoredChannel,
        user: &ChatUser,
        pressed: &Pressed,
    ) -> ServiceResult<Result<(Member, Action), Press>> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let action = db::actions::get(&mut conn, channel.project, pressed.action).await?;
        let (Some(action), Ok(config)) = (action, self.open_config(channel)) else {
            return Ok(Err(Press::Refused("There is nothing to decide here.".to_owned())));
        };
        if !pressed.is_genuine(config.text("hmac_secret"), channel.id, &action) {
            let reason = "a button that this server did not offer here";
            self.note_refused(&mut conn, channel, (&action, pressed.verdict), user, reason).await?;
            return Ok(Err(Press::Refused("This button is not valid. Nothing was decided.".to_owned())));
        }
        let member = match self.chat_member(&mut conn, channel, &config, user).await? {
            Ok(member) => member,
            Err(not) => {
                self.note_refused(&mut conn, channel, (&action, pressed.verdict), user, not.reason).await?;
                return Ok(Err(not.press));
            }
        };
        if action.status(now) != Status::Pending {
            return Ok(Err(self.over(&action)));
        }
        Ok(Ok((member, action)))
    }

    pub(super) async fn decide_in_chat(
        &self,
        channel: &StoredChannel,
        member: &Member,
        action: &Action,
        verdict: Verdict,
        comment: Option<Comment>,
    ) -> ServiceResult<Press> {
        let intent = Intent {
            verdict,
            seen: Some(action.content_sha256),
            edits: serde_json::Map::new(),
            comment,
            channel: Channel::stored(channel.kind.as_str().to_owned()),
        };
        let decider = Decider::Reviewer { id: member.id, name: member.name.clone() };
        match self.decide(channel.project, decider, action.id, intent).await {
            Ok(now) => Ok(Press::Decided(words::outcome(&now, self.clock.now()), now.id)),
            Err(ServiceError::NotPending { .. }) => {
                let mut conn = self.pool.acquire().await?;
                let current = db::actions::get(&mut conn, channel.project, action.id).await?;
                Ok(current.map_or(Press::Refused("It is not there any more.".to_owned()), |current| {
                    self.over(&current)
                }))
            }
            Err(ServiceError::SelfApproval) => Ok(Press::Refused(
                "You proposed this yourself, and this project does not allow deciding one's own proposals."
                    .to_owned(),
            )),
            Err(ServiceError::Forbidden(role)) => {
                Ok(Press::Refused(format!("This needs the role {}. Nothing was decided.", role.as_str())))
            }
            Err(ServiceError::StaleContent) => Ok(Press::Refused(
                "The content is not what this message showed. Nothing was decided; open the card.".to_owned(),
            )),
            Err(error) => Err(error),
        }
    }

    /// What is over, for whoever comes too late.
    fn over(&self, action: &Action) -> Press {
        let around = words::Around { now: self.clock.now(), public_url: &self.public_url };
        let sentence = words::outcome(action, around.now);
        Press::Over(sentence, Box::new(words::card(action, None, None, &around)))
    }

    /// For whom an account stands, if they may decide from this channel.
    pub(super) async fn chat_member(
        &self,
        conn: &mut PgConnection,
        channel: &StoredChannel,
        config: &Config,
        user: &ChatUser,
    ) -> ServiceResult<Result<Member, NotThey>> {
        let allowed = config.plain.get(allow_list(channel.kind)).and_then(Value::as_array);
        // Numbers and texts: platforms differ in what an account is called.
        let is_user = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned) == user.id;
        let is_allowed = |list: &Vec<Value>| list.is_empty() || list.iter().any(is_user);
        if !allowed.is_none_or(is_allowed) {
            return Ok(Err(NotThey {
                press: Press::Refused(
                    "Your account is not on the list of those who decide from this chat.".to_owned(),
                ),
                reason: "the account is not on the channel's list",
            }));
        }
        let linked = db::chat::person_of(conn, channel.kind.as_str(), &user.id).await?;
        let named =
            config.plain.get("approvers").and_then(|people| people.get(&user.id)).and_then(Value::as_str);
        let people = db::people::list(conn, channel.project).await?;
        let person =
            people.into_iter().filter(|person| person.disabled_at.is_none()).find(|person| match linked {
                Some(id) => person.id == id,
                None => named.is_some_and(|address| person.email.eq_ignore_ascii_case(address)),
            });
        let Some(person) = person else {
            let platform = channel.kind.label();
            return Ok(Err(NotThey {
                press: Press::Stranger(format!(
                    "Nothing was decided: this {platform} account stands for nobody here. Link it at {}/account.",
                    self.public_url
                )),
                reason: "the account stands for nobody",
            }));
        };
        match person.role.allows(Role::Reviewer) {
            true => Ok(Ok(person)),
            false => Ok(Err(NotThey {
                press: Press::Refused(format!(
                    "Your role is {}, and deciding needs reviewer.",
                    person.role.as_str()
                )),
                reason: "the person's role does not allow deciding",
            })),
        }
    }

    /// Notes that an account may not do something about an action: once an hour, so that nobody fills the history by
    /// pressing on.
    pub(super) async fn note_refused(
        &self,
        conn: &mut PgConnection,
        channel: &StoredChannel,
        (action, verdict): (&Action, Verdict),
        user: &ChatUser,
        reason: &'static str,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let (id, platform, pressed) = (channel.id, channel.kind.as_str(), verdict.as_str());
        let refused =
            db::audit::Refused { action: action.id, channel: id, platform, user: &user.id, pressed, reason };
        let mut tx = conn.begin().await?;
        // One after the other, on all servers: each sees what the one before noted.
        db::throttle::hold(&mut tx, &format!("refused {platform} {} {}", user.id, action.id)).await?;
        if db::audit::was_refused(&mut tx, &refused, now - NOTED_EVERY).await? {
            return Ok(());
        }
        let event = AuditEvent {
            project: channel.project,
            at: now,
            kind: EventKind::ChatRefused,
            action: Some(action.id),
            actor: Actor::Anonymous,
            channel: Channel::stored(platform.to_owned()),
            data: json!({"platform": platform, "platform_user": user.id, "name": user.name,
                "channel_id": id.to_string(), "pressed": pressed, "reason": reason}),
        };
        db::audit::append(&mut tx, &event).await?;
        Ok(tx.commit().await?)
    }
}
