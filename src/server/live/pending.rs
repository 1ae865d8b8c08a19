//! Actions that were read while they waited: agents poll, and what they poll does not change until it is decided.
//!
//! Only pending actions are remembered, so the worst that an old answer could say is "not yet". Whatever happens to an
//! action makes every server forget it, by the same signal that wakes those who wait; a read that began before a signal
//! can't be remembered after it. Without the connection that brings the signals nothing is remembered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use crate::domain::action::Action;
use crate::domain::ids::ActionId;

/// Bytes of texts that are remembered at most.
const CAPACITY_BYTES: u64 = 8 * 1024 * 1024;
/// What an action weighs besides its texts.
const OVERHEAD_BYTES: u64 = 1024;

/// What was read, and how often something happened.
#[derive(Debug)]
pub(super) struct Pending(Mutex<Known>);

#[derive(Debug)]
struct Known {
    actions: Cache<ActionId, Arc<Action>, Weight>,
    changes: u64,
}

/// When a read began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTicket(u64);

#[derive(Debug, Clone)]
struct Weight;

impl Weighter<ActionId, Arc<Action>> for Weight {
    fn weight(&self, _: &ActionId, action: &Arc<Action>) -> u64 {
        let content = &action.content;
        // A payload takes a few times the room of its text.
        let payload = content.payload.as_ref().map_or(0, |payload| payload.to_string().len() * 4);
        (content.preview.body.len() + payload) as u64 + OVERHEAD_BYTES
    }
}

impl Default for Pending {
    fn default() -> Self {
        let items = usize::try_from(CAPACITY_BYTES / OVERHEAD_BYTES).unwrap_or(usize::MAX);
        Self(Mutex::new(Known { actions: Cache::with_weighter(items, CAPACITY_BYTES, Weight), changes: 0 }))
    }
}

impl Pending {
    fn known(&self) -> MutexGuard<'_, Known> {
        // No code panics while it holds the lock; if one ever does, the worst is an action that is forgotten.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, id: ActionId) -> Option<Arc<Action>> {
        self.known().actions.get(&id).cloned()
    }

    pub(super) fn ticket(&self) -> ReadTicket {
        ReadTicket(self.known().changes)
    }

    pub(super) fn remember(&self, ticket: ReadTicket, action: Arc<Action>) {
        let mut known = self.known();
        if known.changes == ticket.0 {
            known.actions.insert(action.id, action);
        }
    }

    pub(super) fn forget(&self, id: ActionId) {
        let mut known = self.known();
        known.changes += 1;
        known.actions.remove(&id);
    }

    pub(super) fn forget_all(&self) {
        let mut known = self.known();
        known.changes += 1;
        known.actions.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::action::ActionState;
    use crate::domain::action::testing::action;

    #[test]
    fn what_was_read_before_a_change_is_not_remembered_after_it() {
        let pending = Pending::default();
        let action = Arc::new(action(ActionState::Pending));
        let (id, ticket) = (action.id, pending.ticket());
        pending.remember(ticket, Arc::clone(&action));
        assert!(pending.get(id).is_some());
        pending.forget(id);
        assert!(pending.get(id).is_none());
        pending.remember(ticket, Arc::clone(&action));
        assert!(pending.get(id).is_none(), "that read is older than the change");
        pending.remember(pending.ticket(), action);
        pending.forget_all();
        assert!(pending.get(id).is_none());
    }
}
