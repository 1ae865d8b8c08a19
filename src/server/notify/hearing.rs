//! Listening where a platform does not call: each account that channels speak through is listened to by one server, and
//! when that one dies another goes on within half a minute.
//!
//! Who listens is decided here, for how long in [`lease`]; what is heard on a connection is the platform's business.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::lease::{self, LEASE, LOOK_EVERY};
use crate::domain::channel::{ChannelKind, Config};
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;
use crate::server::random;
use crate::server::service::Services;

/// What people pressed and a platform was told is being worked on gets this long when the server stops, for a database that
/// is slow. What is held is let go after it, before the server stops waiting for all that runs in it.
const GRACE: Duration = Duration::from_secs(4);

/// The channels of each account, with the account.
pub type Accounts<A> = HashMap<String, (A, Vec<StoredChannel>)>;

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

    /// Listens for as long as this server may; it is dropped when the server stops.
    fn listen(ear: &Ear<Self>) -> impl Future<Output = ()> + Send;
}

/// The accounts of a platform.
///
/// # Errors
/// If the database can't be reached.
pub async fn accounts<H: Heard>(services: &Services) -> ServiceResult<Accounts<H::Account>> {
    let mut accounts = Accounts::new();
    let mut channels = services.deciding_channels(H::KIND).await?;
    // Where two channels have different tokens of one account, the one that was put in last is more likely to be good.
    channels.sort_by_key(|channel| Reverse(channel.updated_at));
    for channel in channels {
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
    let mut tasks: HashMap<String, JoinHandle<()>> = HashMap::new();
    while !stop.is_cancelled() {
        match accounts::<H>(services).await {
            Err(error) => error.log(),
            Ok(accounts) => {
                tasks.retain(|_, task| !task.is_finished());
                for name in accounts.into_keys() {
                    tasks.entry(name.clone()).or_insert_with(|| {
                        let (ear, stop) = (Ear::<H>::new(services, name, holder), stop.clone());
                        tokio::spawn(async move {
                            stop.run_until_cancelled(H::listen(&ear)).await;
                        })
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

/// An account that this server may listen for.
pub struct Held<A> {
    /// What is listened to.
    pub account: A,
    /// Its channels.
    pub channels: Vec<StoredChannel>,
    /// How far its news were read.
    pub cursor: i64,
    /// A moment before it was taken.
    pub asked: Instant,
}

/// One account as one server listens to it.
pub struct Ear<H> {
    services: Services,
    name: String,
    holder: Uuid,
    /// A note that the account is heard, on its way.
    noting: Arc<Mutex<Option<JoinHandle<()>>>>,
    platform: PhantomData<fn() -> H>,
}

impl<H> Clone for Ear<H> {
    fn clone(&self) -> Self {
        let Self { services, name, holder, noting, platform } = self;
        let noting = Arc::clone(noting);
        Self { services: services.clone(), name: name.clone(), holder: *holder, noting, platform: *platform }
    }
}

impl<H: Heard> Ear<H> {
    /// An account's name and who listens.
    pub fn new(services: &Services, name: String, holder: Uuid) -> Self {
        Self { services: services.clone(), name, holder, noting: Arc::default(), platform: PhantomData }
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

    /// The account, if it is there and this server may listen for it now.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn hold(&self) -> ServiceResult<Option<Held<H::Account>>> {
        let Some((account, channels)) = self.account().await? else { return Ok(None) };
        let asked = Instant::now();
        let held = self.services.hold_connection(&self.connection(), self.holder, LEASE).await?;
        Ok(held.map(|cursor| Held { account, channels, cursor, asked }))
    }

    /// Ends when this server may not listen any more. Beside the listening, so that a slow database keeps nobody from it.
    pub async fn keep(&self, asked: Instant) {
        lease::keep(asked, async || Ok(self.hold().await?.is_some())).await;
    }

    /// Waits until what the platform refused for good may be tried again.
    pub async fn until_changed(&self, refused: &[StoredChannel]) {
        let before = lease::version(refused);
        lease::until_changed(async || Ok(lease::version(&self.channels().await?) != before)).await;
    }

    /// Notes how far the account's news were read, and keeps it. False if another server has it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn advance(&self, cursor: i64) -> ServiceResult<bool> {
        self.services.advance_connection(&self.connection(), self.holder, cursor, LEASE).await
    }

    /// Has it noted at the account's channels that they are heard. A connection does not wait for that.
    pub fn note_heard(&self) {
        let own = self.clone();
        let task = self.services.platforms().tasks().spawn(async move { own.write(None).await });
        *self.noting() = Some(task);
    }

    /// Notes at the account's channels that nothing is heard from them, or without a reason that they are heard.
    pub async fn note(&self, trouble: Option<&str>) {
        // What is noted later is true later, however slow the database was before.
        let earlier = self.noting().take();
        if let Some(earlier) = earlier {
            let _ = earlier.await;
        }
        self.write(trouble).await;
    }

    fn noting(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.noting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, trouble: Option<&str>) {
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
