//! Listening where a platform does not call: each account that channels speak through is listened to by one server, and
//! when that one dies another goes on within half a minute.
//!
//! Who listens and for how long is decided here; what is heard on a connection is the platform's business.

use std::collections::HashMap;
use std::future::Future;
use std::marker::PhantomData;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::domain::channel::{ChannelKind, Config};
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::random;
use crate::server::service::Services;

/// How often a server looks which accounts there are, and whether it can have one that another server held.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a server holds an account without asking anew.
const LEASE: time::Duration = time::Duration::seconds(22);
/// How often it asks anew.
const HOLD_EVERY: Duration = Duration::from_secs(6);
/// When it can't ask any more, it stops before another one may begin.
const HELD_AT_LEAST: Duration = Duration::from_secs(18);
/// What is being worked on when the server stops gets this long.
const GRACE: Duration = Duration::from_millis(500);

/// The channels of each account, with the account.
pub type Accounts<A> = HashMap<String, (A, Vec<StoredChannel>)>;

/// Why a server stopped listening.
#[derive(Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Another server has the account, it is not there any more, or the server stops.
    Over,
    /// The platform refuses it until somebody changes something, and says why.
    Refused(String),
}

/// A platform that is listened to.
pub trait Heard: Sized + 'static {
    /// Whose channels.
    const KIND: ChannelKind;
    /// What is listened to: a bot, an app.
    type Account: Send;

    /// The account that a channel speaks through, by a name that stays when its token changes. None if it can't be listened
    /// to.
    fn account(
        services: &Services,
        channel: &StoredChannel,
        config: &Config,
    ) -> Option<(String, Self::Account)>;

    /// Listens for as long as this server may.
    fn listen(ear: &Ear<Self>, stop: &CancellationToken) -> impl Future<Output = Stopped> + Send;
}

/// The accounts of a platform.
///
/// # Errors
/// If the database can't be reached.
pub async fn accounts<H: Heard>(services: &Services) -> ServiceResult<Accounts<H::Account>> {
    let mut accounts = Accounts::new();
    for channel in services.deciding_channels(H::KIND).await? {
        match services.open_config(&channel) {
            Ok(config) => {
                let Some((name, account)) = H::account(services, &channel, &config) else { continue };
                let (_, channels) = accounts.entry(name).or_insert_with(|| (account, Vec::new()));
                channels.push(channel);
            }
            Err(error) => tracing::error!(channel.id = %channel.id, %error, "a channel can't be heard"),
        }
    }
    Ok(accounts)
}

/// Hears every account of a platform until `stop` is cancelled.
pub async fn run<H: Heard>(services: &Services, stop: &CancellationToken) {
    let holder = random::uuid(services.clock().now());
    let mut tasks: HashMap<String, JoinHandle<Stopped>> = HashMap::new();
    // Accounts that the platform refuses, with their channels as they were then.
    let mut refused: HashMap<String, Vec<StoredChannel>> = HashMap::new();
    while !stop.is_cancelled() {
        match accounts::<H>(services).await {
            Err(error) => error.log(),
            Ok(accounts) => {
                refused.retain(|name, before| accounts.get(name).is_some_and(|(_, now)| same(before, now)));
                for (name, task) in std::mem::take(&mut tasks) {
                    if !task.is_finished() {
                        tasks.insert(name, task);
                    } else if let (Ok(Stopped::Refused(reason)), Some((_, channels))) =
                        (task.await, accounts.get(&name))
                    {
                        services.note_hearing(channels, Some(&reason)).await;
                        refused.insert(name, channels.clone());
                    }
                }
                for name in accounts.into_keys().filter(|name| !refused.contains_key(name)) {
                    tasks.entry(name.clone()).or_insert_with(|| {
                        let (ear, stop) = (Ear::<H>::new(services, name, holder), stop.clone());
                        tokio::spawn(async move { H::listen(&ear, &stop).await })
                    });
                }
            }
        }
        tokio::select! {
            () = sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
    let working = services.platforms().tasks();
    working.close();
    let _ = timeout(GRACE, working.wait()).await;
    for (name, task) in tasks {
        let _ = timeout(Duration::from_millis(300), task).await;
        Ear::<H>::new(services, name, holder).let_go().await;
    }
}

fn same(before: &[StoredChannel], now: &[StoredChannel]) -> bool {
    let state = |channels: &[StoredChannel]| -> Vec<_> {
        channels.iter().map(|channel| (channel.id, channel.updated_at)).collect()
    };
    state(before) == state(now)
}

/// One account as one server listens to it.
pub struct Ear<H> {
    services: Services,
    name: String,
    holder: Uuid,
    platform: PhantomData<fn() -> H>,
}

impl<H> Clone for Ear<H> {
    fn clone(&self) -> Self {
        let Self { services, name, holder, platform } = self;
        Self { services: services.clone(), name: name.clone(), holder: *holder, platform: *platform }
    }
}

impl<H: Heard> Ear<H> {
    /// An account's name and who listens.
    pub fn new(services: &Services, name: String, holder: Uuid) -> Self {
        Self { services: services.clone(), name, holder, platform: PhantomData }
    }

    /// What is done with what is heard.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The account's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The account's channels, read anew: one may have been made, paused or deleted.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn channels(&self) -> ServiceResult<Vec<StoredChannel>> {
        Ok(self.account().await?.map(|(_, channels)| channels).unwrap_or_default())
    }

    /// The account, if it is there and this server may listen for it now and for some seconds; its channels, and how far its
    /// news were read.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn hold(&self) -> ServiceResult<Option<(H::Account, Vec<StoredChannel>, i64)>> {
        let Some((account, channels)) = self.account().await? else { return Ok(None) };
        let held = self.services.hold_connection(&self.connection(), self.holder, LEASE).await?;
        Ok(held.map(|cursor| (account, channels, cursor)))
    }

    /// Ends when this server may not listen any more. Beside the listening, so that a slow database keeps nobody from it.
    pub async fn keep(&self) {
        let mut asked = Instant::now();
        loop {
            sleep(HOLD_EVERY).await;
            match timeout(HOLD_EVERY, self.hold()).await {
                Ok(Ok(Some(_))) => asked = Instant::now(),
                Ok(Ok(None)) => return,
                Ok(Err(error)) => error.log(),
                Err(_) => {}
            }
            if asked.elapsed() + HOLD_EVERY > HELD_AT_LEAST {
                return;
            }
        }
    }

    /// Notes how far the account's news were read.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn advance(&self, cursor: i64) -> ServiceResult<()> {
        self.services.advance_connection(&self.connection(), self.holder, cursor).await
    }

    /// Notes at the account's channels that nothing is heard from them, or without a reason that they are heard.
    pub async fn note(&self, trouble: Option<&str>) {
        match self.channels().await {
            Ok(channels) => self.services.note_hearing(&channels, trouble).await,
            Err(error) => error.log(),
        }
    }

    async fn account(&self) -> ServiceResult<Option<(H::Account, Vec<StoredChannel>)>> {
        Ok(accounts::<H>(&self.services).await?.remove(&self.name))
    }

    async fn let_go(&self) {
        if let Err(error) = self.services.let_connection_go(&self.connection(), self.holder).await {
            error.log();
        }
    }

    /// What the lease is called.
    fn connection(&self) -> String {
        format!("{}:{}", H::KIND.as_str(), self.name)
    }
}
