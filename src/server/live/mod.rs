//! Who waits for what, on this server: agents for one action, browsers for their project.
//!
//! One connection to the database listens for the signals of all servers and feeds everybody here; no waiter holds a
//! connection of its own. A signal only says "read again": the row is the truth. After a lost connection everybody
//! reads again, because nobody knows what was missed.

mod link;
mod pending;
mod signal;
mod waiters;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{Notify, broadcast};

pub use link::{Patience, run};
pub use pending::ReadTicket;
pub use signal::{Change, ChangeKind, Signal};
pub use waiters::Waiting;

use crate::domain::action::Action;
use crate::domain::ids::{ActionId, ProjectId, ReviewerId};

/// A browser that is this many changes behind reads everything again instead.
const BROWSER_BACKLOG: usize = 256;

/// The registry of everybody who waits on this server.
#[derive(Debug)]
pub struct Live {
    waiters: waiters::Waiters,
    pending: pending::Pending,
    browsers: broadcast::Sender<Heard>,
    keys: broadcast::Sender<()>,
    receipt_key_era: AtomicU64,
    is_linked: AtomicBool,
    proposed: Mutex<HashSet<ProjectId>>,
    proposed_wake: Notify,
}

/// What a browser's stream hears.
#[derive(Debug, Clone)]
pub enum Heard {
    /// Something changed in a project.
    Change(ProjectId, Change),
    /// What a person may do or where they are signed in changed.
    Person(ReviewerId),
    /// Anything may have changed.
    Resync,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            waiters: waiters::Waiters::default(),
            pending: pending::Pending::default(),
            browsers: broadcast::Sender::new(BROWSER_BACKLOG),
            keys: broadcast::Sender::new(16),
            receipt_key_era: AtomicU64::new(0),
            is_linked: AtomicBool::new(false),
            proposed: Mutex::default(),
            proposed_wake: Notify::new(),
        }
    }
}

impl Live {
    /// Starts waiting for an action. Read the action after this call: what changes from now on wakes the waiter.
    pub fn wait_for(&self, id: ActionId) -> Waiting<'_> {
        self.waiters.register(id)
    }

    /// A pending action that was read before, while signals arrive.
    pub fn pending(&self, id: ActionId) -> Option<Arc<Action>> {
        self.pending.get(id).filter(|_| self.is_linked())
    }

    /// Taken before a read whose result is to be remembered.
    pub fn ticket(&self) -> ReadTicket {
        self.pending.ticket()
    }

    /// Remembers a pending action, unless something happened since the ticket was taken.
    pub fn remember(&self, ticket: ReadTicket, action: Arc<Action>) {
        if self.is_linked() {
            self.pending.remember(ticket, action);
        }
    }

    /// How many agents wait on this server.
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }

    /// What happens from now on, for one browser.
    pub fn browser(&self) -> broadcast::Receiver<Heard> {
        self.browsers.subscribe()
    }

    /// Hears whenever remembered keys must be forgotten.
    pub fn key_changes(&self) -> broadcast::Receiver<()> {
        self.keys.subscribe()
    }

    /// Counts how often the keys of receipts may have changed: what was read in an earlier era is to be read again.
    pub fn receipt_key_era(&self) -> u64 {
        self.receipt_key_era.load(Ordering::SeqCst)
    }

    /// Whether signals of other servers arrive. While they don't, nothing may be remembered that they could revoke.
    pub fn is_linked(&self) -> bool {
        self.is_linked.load(Ordering::SeqCst)
    }

    /// Tells everybody here at once what this server has just committed.
    pub fn tell(&self, signal: Signal) {
        match signal {
            Signal::Change(project, change) => {
                if change.kind != ChangeKind::Created {
                    // Before anybody is woken, because they read at once.
                    self.pending.forget(change.id);
                    self.waiters.wake(change.id);
                }
                // Nobody listening is no error.
                let _ = self.browsers.send(Heard::Change(project, change));
            }
            Signal::KeyRevoked => {
                let _ = self.keys.send(());
            }
            Signal::ReceiptKeysChanged => {
                self.receipt_key_era.fetch_add(1, Ordering::SeqCst);
            }
            Signal::Person(id) => {
                let _ = self.browsers.send(Heard::Person(id));
            }
        }
    }

    /// Notes that a project has a new proposal. Announced within a fraction of a second, many at a time: agents
    /// propose faster than anybody reads.
    pub fn proposed(&self, project: ProjectId) {
        let is_first = match self.proposed.lock() {
            Ok(mut projects) => projects.insert(project),
            Err(poisoned) => poisoned.into_inner().insert(project),
        };
        if is_first {
            self.proposed_wake.notify_one();
        }
    }

    fn take_proposed(&self) -> HashSet<ProjectId> {
        match self.proposed.lock() {
            Ok(mut projects) => std::mem::take(&mut *projects),
            Err(poisoned) => std::mem::take(&mut *poisoned.into_inner()),
        }
    }

    fn resync(&self) {
        self.pending.forget_all();
        self.waiters.wake_all();
        let _ = self.keys.send(());
        self.receipt_key_era.fetch_add(1, Ordering::SeqCst);
        let _ = self.browsers.send(Heard::Resync);
    }
}
