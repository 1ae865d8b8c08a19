//! Who may decide what. One pure function, asked by the one service that decides; no door has rules of its own.

use super::decision::Decider;
use super::ids::KeyId;

/// What an action's project allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionPolicy {
    /// Whether a key may decide what it proposed itself.
    pub allow_self_approval: bool,
}

/// The decider proposed the action itself and the project does not allow that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelfApproval;

/// Whether `decider` may decide an action that `proposed_by` proposed.
///
/// # Errors
/// Refuses a key that proposed the action, unless the project's policy allows it.
pub fn may_decide(policy: DecisionPolicy, decider: &Decider, proposed_by: KeyId) -> Result<(), SelfApproval> {
    match decider {
        Decider::Key { id, .. } if *id == proposed_by && !policy.allow_self_approval => Err(SelfApproval),
        Decider::Key { .. } | Decider::Reviewer { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ReviewerId;
    use uuid::Uuid;

    #[test]
    fn nothing_decides_what_it_proposed_itself() {
        let proposer = KeyId::from_uuid(Uuid::from_u128(1));
        let key = |n| Decider::Key { id: KeyId::from_uuid(Uuid::from_u128(n)), name: "k".into() };
        let person = Decider::Reviewer { id: ReviewerId::from_uuid(Uuid::from_u128(1)), name: "p".into() };
        let strict = DecisionPolicy { allow_self_approval: false };
        let relaxed = DecisionPolicy { allow_self_approval: true };
        assert_eq!(may_decide(strict, &key(1), proposer), Err(SelfApproval));
        assert_eq!(may_decide(relaxed, &key(1), proposer), Ok(()));
        assert_eq!(may_decide(strict, &key(2), proposer), Ok(()));
        assert_eq!(may_decide(strict, &person, proposer), Ok(()));
    }
}
