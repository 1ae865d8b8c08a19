//! Agents parked on an action: one small entry each, gone when the wait ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::domain::ids::ActionId;

#[derive(Debug, Default)]
pub(super) struct Waiters(Mutex<HashMap<ActionId, Parked>>);

#[derive(Debug, Default)]
struct Parked {
    notify: Arc<Notify>,
    count: usize,
}

impl Waiters {
    fn parked(&self) -> MutexGuard<'_, HashMap<ActionId, Parked>> {
        // No code panics while it holds the lock; if one ever does, the map is still whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn register(&self, id: ActionId) -> Waiting<'_> {
        let mut parked = self.parked();
        let entry = parked.entry(id).or_default();
        entry.count += 1;
        Waiting { waiters: self, id, notify: Arc::clone(&entry.notify) }
    }

    pub(super) fn wake(&self, id: ActionId) {
        if let Some(parked) = self.parked().get(&id) {
            parked.notify.notify_waiters();
        }
    }

    pub(super) fn wake_all(&self) {
        self.parked().values().for_each(|parked| parked.notify.notify_waiters());
    }

    pub(super) fn len(&self) -> usize {
        self.parked().values().map(|parked| parked.count).sum()
    }
}

/// A place in the registry; leaving it is dropping it.
#[derive(Debug)]
pub struct Waiting<'a> {
    waiters: &'a Waiters,
    id: ActionId,
    notify: Arc<Notify>,
}

impl Waiting<'_> {
    /// Completes at the next change. Make it before reading the row: it hears from the moment it is made.
    pub fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut parked = self.waiters.parked();
        if let Some(entry) = parked.get_mut(&self.id) {
            entry.count -= 1;
            if entry.count == 0 {
                parked.remove(&self.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[tokio::test]
    async fn a_change_after_the_call_wakes_and_leaving_cleans_up() {
        let waiters = Waiters::default();
        let id = ActionId::from_uuid(Uuid::from_u128(1));
        let (one, two) = (waiters.register(id), waiters.register(id));
        let (heard_one, heard_two) = (one.changed(), two.changed());
        waiters.wake(ActionId::from_uuid(Uuid::from_u128(2)));
        waiters.wake(id);
        heard_one.await;
        heard_two.await;
        assert_eq!(waiters.len(), 2);
        drop((one, two));
        assert_eq!(waiters.len(), 0);
        assert!(waiters.parked().is_empty());
    }
}
