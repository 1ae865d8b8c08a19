//! How this server reaches platforms: the operator's settings, and the clients made of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::outbound::Outbound;
use super::{OutboundPolicy, email};
use crate::domain::channel::ChannelKind;
use crate::domain::ids::ChannelId;
use crate::server::config::Smtp;

/// Where Telegram's Bot API is (<https://core.telegram.org/bots/api#making-requests>).
const TELEGRAM: &str = "https://api.telegram.org";
/// Where Slack's Web API is (<https://docs.slack.dev/apis/web-api/>).
const SLACK: &str = "https://slack.com";
/// Where answers to what was pressed in Slack go
/// (<https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses>).
const SLACK_HOOKS: &str = "https://hooks.slack.com/";
/// Where Discord's API is (<https://docs.discord.com/developers/reference#api-reference-base-url>).
const DISCORD: &str = "https://discord.com";

/// Pieces of work at a time on what one platform sent.
pub const WORK_MAX: usize = 200;

/// What an operator says about platforms.
#[derive(Debug, Clone)]
pub struct PlatformSettings {
    /// Where messages may go.
    pub policy: OutboundPolicy,
    /// Where a Bot API server of one's own is; Telegram's, if absent.
    pub telegram_api: Option<String>,
    /// The mail server; without one there is no e-mail.
    pub smtp: Option<Smtp>,
    /// Where Discord's API is reached, such as a proxy; at Discord's, if absent.
    pub discord_api: Option<String>,
    /// Where a proxy to Slack's API is; Slack's own, if absent.
    pub slack_api: Option<String>,
}

impl Default for PlatformSettings {
    fn default() -> Self {
        Self {
            policy: OutboundPolicy { allow_private_targets: false },
            telegram_api: None,
            slack_api: None,
            discord_api: None,
            smtp: None,
        }
    }
}

/// The clients. They hold secrets, so they do not show themselves.
pub struct Platforms {
    guarded: Outbound,
    telegram: (String, Outbound),
    smtp: Option<Smtp>,
    discord: (String, Outbound),
    slack: (String, Outbound),
    slack_hooks: String,
    /// What Slack's apps sign with, by channel, as it was read last.
    slack_secrets: Mutex<HashMap<String, String>>,
    /// What platforms were told to wait for no longer, and is still being worked on.
    tasks: TaskTracker,
    /// How much more may be worked on of what each platform sent, so that none keeps another one's people waiting.
    rooms: HashMap<ChannelKind, Arc<Semaphore>>,
}

/// The right to work on something that a platform sent.
pub struct Room {
    tasks: TaskTracker,
    permit: OwnedSemaphorePermit,
}

impl Room {
    /// Does the work beside everything else.
    pub fn work(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { tasks, permit } = self;
        tasks.spawn(async move {
            work.await;
            drop(permit);
        });
    }
}

impl Platforms {
    /// Clients for these settings.
    pub fn new(settings: PlatformSettings) -> Self {
        let guarded = Outbound::new(settings.policy);
        let reach = |own: Option<String>, usual: &str| match own {
            // The operator's own choice may be inside their network.
            Some(base) => {
                let open = Outbound::new(OutboundPolicy { allow_private_targets: true });
                (base.trim_end_matches('/').to_owned(), open)
            }
            None => (usual.to_owned(), guarded.clone()),
        };
        let slack_hooks = match settings.slack_api.as_deref() {
            Some(base) => format!("{}/", base.trim_end_matches('/')),
            None => SLACK_HOOKS.to_owned(),
        };
        Self {
            telegram: reach(settings.telegram_api, TELEGRAM),
            slack: reach(settings.slack_api, SLACK),
            discord: reach(settings.discord_api, DISCORD),
            smtp: settings.smtp,
            slack_hooks,
            slack_secrets: Mutex::default(),
            tasks: TaskTracker::new(),
            rooms: ChannelKind::ALL.map(|kind| (kind, Arc::new(Semaphore::new(WORK_MAX)))).into(),
            guarded,
        }
    }

    /// For addresses that an administrator of the project chose.
    pub fn guarded(&self) -> &Outbound {
        &self.guarded
    }

    /// Where the Bot API is, and the client for it.
    pub fn telegram(&self) -> (&str, &Outbound) {
        (&self.telegram.0, &self.telegram.1)
    }

    /// The operator's mail server.
    pub fn smtp(&self) -> Option<&Smtp> {
        self.smtp.as_ref()
    }

    /// What an operator has to do before there are channels of a sort, as the rest of a sentence; none if nothing.
    pub fn lacks(&self, kind: ChannelKind) -> Option<&'static str> {
        (kind == ChannelKind::Email && self.smtp.is_none()).then_some(email::NOT_SET_UP)
    }

    /// Where Discord is, and the client for it.
    pub fn discord(&self) -> (&str, &Outbound) {
        (&self.discord.0, &self.discord.1)
    }

    /// Where Slack's API is, and the client for it.
    pub fn slack(&self) -> (&str, &Outbound) {
        (&self.slack.0, &self.slack.1)
    }

    /// What the addresses begin with at which Slack takes answers to what was pressed.
    pub fn slack_hooks(&self) -> &str {
        &self.slack_hooks
    }

    /// Keeps what the app of a channel signs with, if it does, for when the database takes long.
    pub fn keep_slack_secret(&self, channel: ChannelId, secret: &str) {
        let mut secrets = self.slack_secrets.lock().unwrap_or_else(PoisonError::into_inner);
        match secret {
            "" => secrets.remove(&channel.to_string()),
            secret => secrets.insert(channel.to_string(), secret.to_owned()),
        };
    }

    /// What the app of a channel signed with when it was read last.
    pub fn slack_secret(&self, channel: &str) -> Option<String> {
        self.slack_secrets.lock().unwrap_or_else(PoisonError::into_inner).get(channel).cloned()
    }

    /// Work on what platforms sent, which was acknowledged before it was done.
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// Room for one more piece of such work; none if very much of a platform's is being worked on. Whoever sent it is told
    /// so, or hears it from the platform, which is not told that it was taken.
    pub fn room(&self, kind: ChannelKind) -> Option<Room> {
        let permit = Arc::clone(self.rooms.get(&kind)?).try_acquire_owned().ok()?;
        Some(Room { tasks: self.tasks.clone(), permit })
    }
}
