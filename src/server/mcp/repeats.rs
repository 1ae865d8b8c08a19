//! What was proposed by this process and may still wait.
//!
//! The REST API recognises an identical proposal that still waits, but only among those without an idempotency key;
//! and over a network every proposal has one, so that a retry after a lost answer never asks twice. So a process that
//! proposes over a network remembers what it proposed itself.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::domain::ids::ActionId;

/// More than a conversation ever has waiting.
const MOST: usize = 1_000;

/// Ids by the digest of what was proposed.
#[derive(Debug, Default)]
pub(super) struct Repeats(Mutex<HashMap<[u8; 32], ActionId>>);

/// What stands for a proposal.
pub(super) type Likeness = [u8; 32];

/// The likeness of a proposal, as it was given.
pub(super) fn likeness(proposal: &serde_json::Value) -> Likeness {
    Sha256::digest(proposal.to_string()).into()
}

impl Repeats {
    fn known(&self) -> MutexGuard<'_, HashMap<Likeness, ActionId>> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn recall(&self, likeness: &Likeness) -> Option<ActionId> {
        self.known().get(likeness).copied()
    }

    pub(super) fn remember(&self, likeness: Likeness, id: ActionId) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(likeness, id);
    }

    pub(super) fn forget(&self, likeness: &Likeness) {
        self.known().remove(likeness);
    }
}
