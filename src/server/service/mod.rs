//! What the product does: one method per use case, on [`Services`].
//!
//! Every door (pages, REST, MCP, chat, command line) calls these and only these, so a rule that is kept here is kept
//! everywhere. This is the only code that opens transactions: state, history, outbox and signals of one fact commit
//! together or not at all. It knows nothing of axum, Leptos or rmcp.

mod access;
mod account;
mod admins;
mod audit;
mod audit_file;
mod channel_settings;
mod channels;
pub mod chat;
mod chat_copies;
mod chat_hearing;
mod chat_links;
mod chat_reasons;
mod claim;
mod context;
mod cursor;
mod decide;
pub mod deliver;
mod erase;
mod expire;
mod export;
mod fact_filter;
mod find;
mod first_action;
mod given;
mod history;
mod inbox;
mod inbox_page;
mod invites;
mod keys;
mod levels;
mod looked_for;
mod manage_channels;
mod manage_keys;
mod manage_people;
mod many;
mod notice_ends;
pub mod notices;
mod people;
mod projects;
mod propose;
pub mod push;
mod push_devices;
mod read;
mod receipts;
mod receivers;
mod report;
mod roles;
mod seal;
mod secrets;
mod sessions;
mod setup;
mod sign_in;
mod usage;

use std::sync::Arc;

use sqlx::{PgPool, Postgres, Transaction};
use tokio::sync::{Notify, Semaphore};

pub use access::{Caller, CallerError};
pub use audit::{AuditPage, AuditQuery};
pub use audit_file::FileRange;
pub use channels::{ChannelChange, NewChannel, SeenChannel, Tested};
pub use erase::Erased;
pub use export::Export;
pub use find::{ActionList, ActionSearch};
pub use invites::MadeInvite;
pub use keys::{NewKey, RevealedKey};
pub use manage_channels::ChannelForm;
pub use manage_keys::KeyForm;
pub use people::NewPerson;
pub use projects::ProjectChange;
pub use propose::Proposed;
pub use push_devices::SentSubscription;
pub use read::Viewed;
pub use receipts::{ReceiptKeys, Rotation};
pub use report::Report;
pub use seal::Round;
pub use sessions::{SESSION_DAYS, Visitor};
pub use setup::FirstAccount;
pub use usage::Usage;

use self::access::KeyMemory;
use self::receipts::ReceiptKeyMemory;
use self::secrets::Complaints;
use super::clock::Clock;
use super::db::people::Member;
use super::db::signals;
use super::error::ServiceResult;
use super::live::{Live, Signal};
use super::metrics::Metrics;
use super::notify::{PlatformSettings, Platforms};
use super::secrets::Vault;
use super::view::Reader;
use super::zone::Zone;

/// Passwords are checked at most this many at a time: each takes a core and 19 MiB for some tens of milliseconds.
const PASSWORD_CHECKS: usize = 2;

/// Everything that the use cases need. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    pool: PgPool,
    clock: Clock,
    live: Arc<Live>,
    public_url: Arc<str>,
    keys: Arc<KeyMemory>,
    receipt_keys: Arc<ReceiptKeyMemory>,
    passwords: Arc<Semaphore>,
    outbox_wake: Arc<Notify>,
    metrics: Arc<Metrics>,
    vault: Vault,
    complaints: Arc<Complaints>,
    platforms: Arc<Platforms>,
}

impl Services {
    /// Services on a migrated database. `public_url` is the origin that people and agents reach this server at.
    pub fn new(pool: PgPool, clock: Clock, public_url: &str) -> Self {
        let live = Arc::new(Live::default());
        Self {
            keys: Arc::new(KeyMemory::new(&live)),
            receipt_keys: Arc::default(),
            pool,
            clock,
            live,
            public_url: public_url.trim_end_matches('/').into(),
            passwords: Arc::new(Semaphore::new(PASSWORD_CHECKS)),
            outbox_wake: Arc::new(Notify::new()),
            metrics: Arc::new(Metrics::default()),
            vault: Vault::closed("it was started without one"),
            complaints: Arc::default(),
            platforms: Arc::new(Platforms::new(PlatformSettings::default())),
        }
    }

    /// The same with what seals secrets at rest.
    #[must_use]
    pub fn with_vault(self, vault: Vault) -> Self {
        Self { vault, ..self }
    }

    /// The same with other ways to platforms.
    #[must_use]
    pub fn with_platforms(self, settings: PlatformSettings) -> Self {
        Self { platforms: Arc::new(Platforms::new(settings)), ..self }
    }

    /// What seals secrets at rest.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The ways to platforms.
    pub fn platforms(&self) -> &Platforms {
        &self.platforms
    }

    /// The connections to the database.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The clock that every rule is judged by.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Who waits for what on this server.
    pub fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The origin that people and agents reach this server at, without a slash at its end.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// What this server counts.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Rings when the outbox has something new to send.
    pub fn outbox_wake(&self) -> &Notify {
        &self.outbox_wake
    }

    /// A person who reads a page now.
    fn reader(&self, member: &Member) -> Reader {
        Reader::new(self.clock.now(), Zone::of(member))
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ping(&self) -> ServiceResult<()> {
        let mut conn = self.pool.acquire().await?;
        Ok(signals::ping(&mut conn).await?)
    }

    /// Commits, then tells everybody who waits. Other servers hear of it through the database, in the same commit.
    async fn commit_and_tell(&self, mut tx: Transaction<'_, Postgres>, signal: Signal) -> ServiceResult<()> {
        signals::send(&mut tx, &signal.to_string()).await?;
        tx.commit().await?;
        self.live.tell(signal);
        Ok(())
    }
}
