//! What every platform can do, and which of them a channel speaks to.
//!
//! To add one: a file beside this that implements [`Platform`], an arm in [`open`], and its settings in
//! `domain/channel/fields.rs`. A platform only gives a message its form and
//! says what came of it; when to send, what to say and who may decide is not its business.
//!
//! A platform whose buttons decide hands what was pressed to `Services::press` and a reason to `Services::answer_why`, and
//! shows what these answer; `telegram/news.rs` is the example. Its buttons carry [`super::token`]s, signed with the setting
//! `hmac_secret`, which `service/channel_settings.rs` makes for such sorts; whose account is whose is in `chat_account` under
//! the sort's name. Where a platform is heard by a connection (Slack's Socket Mode, Discord's gateway), one server at a time
//! holds it: implement [`super::hearing::Heard`], as `telegram/listen.rs` does; where it calls, a route under `/v1/integrations`
//! verifies its signature and does the same. Both want an answer within 3 s, so acknowledge before the database is asked.

use std::time::Duration;

use futures::future::BoxFuture;

use super::Platforms;
use super::message::Message;
use super::outbound::Blocked;
use super::{discord, email, ntfy, slack, telegram, webhook};
use crate::domain::channel::{ChannelKind, Config};
use crate::domain::delivery::Outcome;

/// What came of an attempt.
pub type Sent = Result<Arrived, Failure>;

/// A message that a platform took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The platform's status.
    pub status: u16,
    /// What the platform calls the message, if it can be changed afterwards.
    pub reference: Option<String>,
    /// What the platform said, for people.
    pub answer: String,
}

/// A message that a platform did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The platform's status, if it answered.
    pub status: Option<u16>,
    /// Why, for people, without secrets.
    pub reason: String,
    /// Whether trying again helps.
    pub remedy: Remedy,
}

/// Whether trying again helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// It may.
    Again,
    /// After this long, as the platform asked; that is no failure.
    After(Duration),
    /// Not without a person who changes something.
    Never,
}

impl Failure {
    /// One that trying again may help.
    pub fn again(status: Option<u16>, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), remedy: Remedy::Again }
    }

    /// One that trying again does not help.
    pub fn never(status: Option<u16>, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), remedy: Remedy::Never }
    }

    /// Whether it is that this client may not go there, which another one may.
    pub fn is_blocked(&self) -> bool {
        self.reason.starts_with(&Blocked.to_string())
    }
}

/// Longest reason that is kept, in characters.
const REASON_MAX: usize = 300;

/// A reason as it is kept and shown, whichever platform gave it: one line, not too long, and with nothing in it that the
/// database does not take.
pub fn plain(reason: &str) -> String {
    reason.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(REASON_MAX).collect()
}

/// What an attempt means for a row of the outbox.
pub fn outcome(sent: &Sent) -> Outcome {
    match sent {
        Ok(arrived) => Outcome::Delivered { status: arrived.status },
        Err(failure) => {
            let reason = plain(&failure.reason);
            match failure.remedy {
                Remedy::Again => Outcome::Failed { status: failure.status, reason },
                Remedy::After(after) => {
                    let after = time::Duration::try_from(after).unwrap_or(time::Duration::MINUTE);
                    Outcome::Later { after, reason }
                }
                Remedy::Never => Outcome::Refused { reason },
            }
        }
    }
}

/// A platform with the settings of one channel.
pub trait Platform: Send + Sync {
    /// Sends a new message.
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Sent>;

    /// Changes a message that was sent, so that it says this and offers no more than this. Only called for sorts whose
    /// messages are kept true.
    fn edit<'a>(&'a self, reference: &'a str, message: &'a Message) -> BoxFuture<'a, Sent>;

    /// Looks whether the settings work, without a message that anybody sees; says what it found.
    fn check(&self) -> BoxFuture<'_, Result<String, Failure>>;
}

/// The platform of a channel, or why this server can't speak to it.
///
/// # Errors
/// If the operator's settings lack something.
pub fn open(kind: ChannelKind, config: &Config, platforms: &Platforms) -> Result<Box<dyn Platform>, Failure> {
    match kind {
        ChannelKind::Ntfy => Ok(Box::new(ntfy::Ntfy::new(config, platforms.guarded()))),
        ChannelKind::Webhook => Ok(Box::new(webhook::Webhook::new(config, platforms.guarded()))),
        ChannelKind::Telegram => Ok(Box::new(telegram::Telegram::new(config, platforms))),
        ChannelKind::Email => Ok(Box::new(email::Email::new(config, platforms.smtp())?)),
        ChannelKind::Discord => Ok(Box::new(discord::Discord::new(config, platforms))),
        ChannelKind::Slack => Ok(Box::new(slack::Slack::new(config, platforms))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_platform_says_is_kept_as_one_short_line() {
        let said = format!("no\u{0} \u{1b}[2Jway\r\n{}", "é".repeat(400));
        let kept = plain(&said);
        assert!(kept.starts_with("no   [2Jway  éé") && kept.chars().count() == REASON_MAX, "{kept:?}");
        for remedy in [Remedy::Again, Remedy::Never, Remedy::After(Duration::from_secs(1))] {
            let sent = Err(Failure { status: None, reason: said.clone(), remedy });
            assert_eq!(outcome(&sent).reason(), Some(kept.as_str()));
        }
    }
}
