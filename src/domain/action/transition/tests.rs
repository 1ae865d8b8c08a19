use time::Duration;
use uuid::Uuid;

use super::*;
use crate::domain::action::Claim;
use crate::domain::action::testing::{NOW, action, agent};
use crate::domain::editable::{Edit, EditablePath};
use crate::domain::ids::ReviewerId;

const STRICT: DecisionPolicy = DecisionPolicy { allow_self_approval: false };

fn ada() -> Decider {
    Decider::Reviewer { id: ReviewerId::from_uuid(Uuid::from_u128(2)), name: "Ada".into() }
}

fn decision(verdict: Verdict, digest: ContentDigest) -> Decision {
    Decision {
        verdict,
        decided_at: NOW,
        decider: ada(),
        channel: Channel::web(),
        comment: None,
        edits: Vec::new(),
        proposed_sha256: digest,
        approved_sha256: (verdict == Verdict::Approve).then_some(digest),
        receipt: None,
    }
}

fn result(succeeded: bool) -> RunResult {
    RunResult {
        succeeded,
        at: NOW,
        by: agent(),
        detail: Some("done".into()),
        payload: Some(json!({"exit_code": 0})),
    }
}

fn digest() -> ContentDigest {
    action(ActionState::Pending).content_sha256
}

/// One action in every state, with its status.
fn every_state() -> Vec<(Action, Status)> {
    let approve = || decision(Verdict::Approve, digest());
    let claim = || Some(Claim { at: NOW, by: agent() });
    vec![
        (action(ActionState::Pending), Status::Pending),
        (action(ActionState::Approved { decision: approve(), claim: None }), Status::Approved),
        (action(ActionState::Approved { decision: approve(), claim: claim() }), Status::Approved),
        (action(ActionState::Rejected { decision: decision(Verdict::Reject, digest()) }), Status::Rejected),
        (action(ActionState::Expired), Status::Expired),
        (action(ActionState::Cancelled), Status::Cancelled),
        (
            action(ActionState::Reported { decision: approve(), claim: None, result: result(true) }),
            Status::Executed,
        ),
        (
            action(ActionState::Reported { decision: approve(), claim: claim(), result: result(false) }),
            Status::ExecuteFailed,
        ),
    ]
}

fn intent(verdict: Verdict) -> Intent {
    Intent { verdict, seen: None, edits: Map::new(), comment: None, channel: Channel::web() }
}

#[test]
fn every_state_has_its_status_and_status_names_round_trip() {
    for (action, status) in every_state() {
        assert_eq!(action.status(NOW), status);
    }
    for status in Status::ALL {
        assert_eq!(Status::from_text(status.as_str()), Some(status));
    }
}

#[test]
fn only_a_pending_action_can_be_decided() {
    for (action, status) in every_state() {
        for verdict in [Verdict::Approve, Verdict::Reject] {
            match action.clone().into_pending(NOW) {
                Ok(pending) => {
                    assert_eq!(status, Status::Pending);
                    let after = pending.decide(STRICT, ada(), intent(verdict), NOW).unwrap().next.status(NOW);
                    let expected =
                        if verdict == Verdict::Approve { Status::Approved } else { Status::Rejected };
                    assert_eq!(after, expected);
                }
                Err(current) => {
                    assert_ne!(status, Status::Pending);
                    assert_eq!(current, status);
                }
            }
        }
    }
}

#[test]
fn only_an_approved_action_can_be_reported_and_only_the_same_report_repeats() {
    for (action, status) in every_state() {
        for succeeded in [true, false] {
            let outcome = action.clone().report("drafts", result(succeeded));
            let after = if succeeded { Status::Executed } else { Status::ExecuteFailed };
            match status {
                Status::Approved => assert_eq!(outcome.unwrap().unwrap().next.status(NOW), after),
                Status::Executed | Status::ExecuteFailed if status == after => {
                    assert!(outcome.unwrap().is_none());
                }
                Status::Executed | Status::ExecuteFailed => {
                    assert_eq!(outcome.unwrap_err(), Refusal::AlreadyReported(status));
                }
                Status::Pending | Status::Rejected | Status::Expired | Status::Cancelled => {
                    assert_eq!(outcome.unwrap_err(), Refusal::NotApproved(status));
                }
            }
        }
    }
}

#[test]
fn only_an_approved_action_can_be_claimed_and_only_once() {
    for (action, status) in every_state() {
        let was_claimed = matches!(action.state, ActionState::Approved { claim: Some(_), .. });
        let outcome = action.claim("drafts", Claim { at: NOW, by: agent() });
        match status {
            Status::Approved if was_claimed => {
                assert_eq!(outcome.unwrap_err(), Refusal::AlreadyClaimed(Claim { at: NOW, by: agent() }));
            }
            Status::Approved => {
                let next = outcome.unwrap().next;
                assert_eq!(next.status(NOW), Status::Approved);
                assert!(matches!(next.state, ActionState::Approved { claim: Some(_), .. }));
            }
            _ => assert_eq!(outcome.unwrap_err(), Refusal::NotApproved(status)),
        }
    }
}

#[test]
fn an_old_approval_cannot_be_claimed() {
    let approved = Action {
        valid_for_secs: Some(60),
        ..action(ActionState::Approved { decision: decision(Verdict::Approve, digest()), claim: None })
    };
    let until = NOW + Duration::seconds(60);
    let claim = |at| approved.clone().claim("drafts", Claim { at, by: agent() });
    assert!(claim(until - Duration::microseconds(1)).is_ok());
    assert_eq!(claim(until).unwrap_err(), Refusal::Overdue(until));
}

#[test]
fn a_withdrawn_action_is_cancelled() {
    let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
    let Transition { next, event } = pending.cancel(agent(), "drafts", NOW);
    assert_eq!((next.status(NOW), event.kind), (Status::Cancelled, EventKind::ActionCancelled));
}

#[test]
fn a_pending_action_is_expired_from_its_second_on() {
    let pending = action(ActionState::Pending);
    let last = pending.expires_at - Duration::microseconds(1);
    assert_eq!(pending.status(last), Status::Pending);
    assert_eq!(pending.status(pending.expires_at), Status::Expired);
    assert!(pending.clone().into_pending(last).is_ok());
    assert_eq!(pending.clone().into_pending(pending.expires_at).unwrap_err(), Status::Expired);
    assert_eq!(
        pending.report("drafts", RunResult { at: NOW + Duration::hours(1), ..result(true) }).unwrap_err(),
        Refusal::NotApproved(Status::Expired)
    );
}

#[test]
fn the_proposing_key_cannot_decide() {
    let proposer = Decider::Key { id: agent(), name: "drafts".into() };
    for verdict in [Verdict::Approve, Verdict::Reject] {
        let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
        assert_eq!(
            pending.decide(STRICT, proposer.clone(), intent(verdict), NOW).unwrap_err(),
            Refusal::SelfApproval
        );
    }
    let relaxed = DecisionPolicy { allow_self_approval: true };
    let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
    assert!(pending.decide(relaxed, proposer, intent(Verdict::Approve), NOW).is_ok());
}

#[test]
fn what_was_shown_is_what_is_decided() {
    let mut other = action(ActionState::Pending).content;
    other.preview.body.push('!');
    for (seen, good) in [(digest(), true), (other.digest(), false)] {
        let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
        let outcome =
            pending.decide(STRICT, ada(), Intent { seen: Some(seen), ..intent(Verdict::Approve) }, NOW);
        assert_eq!(outcome.is_ok(), good);
    }
}

#[test]
fn an_edited_approval_keeps_the_original_and_names_both_digests() {
    let edits = json!({"preview.body": "Hi Sarah"}).as_object().unwrap().clone();
    let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
    let Transition { next, event } = pending
        .decide(STRICT, ada(), Intent { edits: edits.clone(), ..intent(Verdict::Approve) }, NOW)
        .unwrap();
    assert_eq!(next.content.preview.body, "Hi");
    assert_eq!(next.approved_content().preview.body, "Hi Sarah");
    let decision = next.decision().unwrap();
    assert_eq!(decision.edits, [Edit { path: EditablePath::Body, value: json!("Hi Sarah") }]);
    assert_eq!(decision.proposed_sha256, next.content.digest());
    assert_eq!(decision.approved_sha256, Some(next.approved_content().digest()));
    assert_eq!(event.kind, EventKind::ActionApproved);
    assert_eq!(event.data["edits"], json!([{"path": "preview.body", "before": "Hi", "after": "Hi Sarah"}]));

    let pending = action(ActionState::Pending).into_pending(NOW).unwrap();
    let rejected =
        pending.decide(STRICT, ada(), Intent { edits, ..intent(Verdict::Reject) }, NOW).unwrap().next;
    assert_eq!(rejected.approved_content().preview.body, "Hi");
    assert_eq!(rejected.decision().unwrap().approved_sha256, None);
}
