//! What models are told: how the tools go together, what each does, and what to do after an answer.

use super::seen::Seen;

/// How the tools go together, for the host to put before its model.
pub(super) const INSTRUCTIONS: &str = "Impri lets a person decide before you do something that matters. \
    Propose the action with impri_push_action, which only asks. \
    Wait with impri_await_decision, again and again with the same action_id while it says pending. \
    Act only if it says approved, and only with the title, preview and payload of that answer: a person may have \
    changed them. \
    Where the answer says must_claim, call impri_claim_action first and act only if that succeeds. \
    Afterwards report with impri_report_result; anything but a clear approval means that you must not act.";

pub(super) const PUSH: &str = "Ask a person to approve an action before you do it. Use it for whatever reaches \
    others or is hard to take back: sending, posting, paying, deleting, deploying, running commands. It only asks: \
    nothing is done and nothing is approved by it. Show in preview exactly and completely what will happen, and put \
    the exact arguments into payload. Answers at once with an action_id; then call impri_await_decision with it. Don't \
    push the same thing again while it waits.";

pub(super) const AWAIT: &str = "Wait for the person's decision on an action. Answers as soon as there is one. \
    pending: call this tool again with the same action_id, do not act, do not push again. approved: act with exactly \
    the title, preview and payload of this answer, which a person may have edited; where must_claim is true, call \
    impri_claim_action first. Any other status: do not act. Waiting and giving up waiting change nothing, and reading \
    a decision again is fine.";

pub(super) const CLAIM: &str = "Take the one permission to carry out an approved action, right before you do. \
    Exactly one caller gets it, so that nothing runs twice. Needed for actions pushed with idempotent: false or \
    valid_for, good for all others. Act only if this succeeds, and with the content of its answer.";

pub(super) const REPORT: &str = "Say what came of an approved action after you did it (executed) or tried and failed \
    (execute_failed), so that the person who approved it sees the outcome. Report once, truthfully; the same report \
    again is fine, a different one is refused.";

pub(super) const CANCEL: &str = "Withdraw an action that you pushed and that still waits, because it is not wanted any \
    more. It can't be approved after that. Only giving up waiting needs no withdrawal.";

pub(super) const STATUS: &str = "List the actions that wait for a decision, newest first: how many, their titles and \
    their ids. Use it to see whether something was pushed already.";

/// What to do after a proposal.
pub(super) fn after_push(seen: &Seen) -> String {
    let opening = if seen.duplicate_of.is_some() {
        "The same proposal was waiting already, so the person was not asked twice; this is its action_id. "
    } else {
        ""
    };
    if seen.is_pending() {
        return format!(
            "{opening}A person has been asked and nothing is approved yet. Call impri_await_decision with this \
             action_id. Do not act before it says approved, and do not push this again."
        );
    }
    format!(
        "{opening}This action is {} already. Call impri_await_decision with this action_id to read the decision \
         before you do anything.",
        seen.status
    )
}

/// What to do after a look at an action.
pub(super) fn after_await(seen: &Seen) -> String {
    let decider = seen.decider();
    let comment = seen.decision.as_ref().and_then(|decision| decision.comment.as_deref());
    match seen.status.as_str() {
        "pending" => "Nobody has decided yet. Call impri_await_decision again with the same action_id. Do not act, and \
                      do not push the action again: it is still waiting."
            .to_owned(),
        "approved" => after_approval(seen, decider, comment),
        "rejected" => {
            let reason = comment.map_or_else(
                || "without giving a reason".to_owned(),
                |comment| format!("and says: {comment}"),
            );
            format!(
                "{decider} rejected this, {reason}. Do not act. Push something else only if it answers the reason; do \
                 not push the same again."
            )
        }
        "expired" => "The time to decide is over and nobody approved this. Do not act. Push it again only if it is still \
                      wanted."
            .to_owned(),
        "cancelled" => "This was withdrawn, so nobody can approve it. Do not act.".to_owned(),
        "executed" | "execute_failed" => {
            format!("The outcome of this action was reported already ({}). Do not act again.", seen.status)
        }
        other => format!("The status {other:?} is not an approval. Do not act."),
    }
}

fn after_approval(seen: &Seen, decider: &str, comment: Option<&str>) -> String {
    let mut text = format!("{decider} approved this");
    if seen.is_edited() {
        text += " and replaced part of the content. The content of this answer is the only one that is approved: do \
                 not use or push again what you proposed first";
    }
    text += ".";
    if let Some(comment) = comment {
        text = format!("{text} They say: {comment}.");
    }
    let order = if seen.claimed_at.is_some() {
        "But somebody claimed it before, and it is good for one run. Do not act, unless the claim was yours and you \
         have not acted on it."
    } else if seen.needs_claim() {
        "Call impri_claim_action now, and act only if that succeeds; then with exactly this title, preview and payload. \
         Afterwards call impri_report_result."
    } else {
        "Act with exactly this title, preview and payload, once. Afterwards call impri_report_result."
    };
    format!("{text} {order}")
}

/// What to do with a claim.
pub(super) const AFTER_CLAIM: &str = "You hold the one permission to do this. Act now, once, with exactly this title, \
    preview and payload, then call impri_report_result.";

/// What a host may show while its model waits.
pub(super) fn waiting(waited_secs: u64, hold_secs: u64) -> String {
    format!("Waiting for a person to decide: {waited_secs} of {hold_secs} seconds in this call")
}

/// The server could not be asked for the whole time of a wait.
pub(super) fn unreachable_wait(place: &str, why: &str, id: &str) -> String {
    format!(
        "Impri at {place} could not be reached: {why}. Whether there is a decision is not known, so nothing counts as \
         approved: do not act, and do not push the action again. Call impri_await_decision again with {id} in a while."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::mcp::seen::SeenDecision;

    fn seen(status: &str) -> Seen {
        Seen { status: status.into(), ..Seen::default() }
    }

    #[test]
    fn only_an_approval_lets_an_agent_act() {
        for status in
            ["pending", "rejected", "expired", "cancelled", "executed", "execute_failed", "half_approved", ""]
        {
            let text = after_await(&seen(status));
            assert!(text.contains("Do not act"), "{status}: {text}");
        }
        assert!(!after_await(&seen("approved")).contains("Do not act"));
    }

    #[test]
    fn a_claim_comes_before_an_act_that_is_not_idempotent() {
        let once = Seen { idempotent: Some(false), ..seen("approved") };
        assert!(after_await(&once).contains("act only if that succeeds"));
        let taken = Seen { claimed_at: Some(1), ..once };
        assert!(after_await(&taken).contains("Do not act"));
    }

    #[test]
    fn an_edit_and_a_reason_are_passed_on() {
        let decision = SeenDecision {
            comment: Some("not on a Friday".into()),
            edited: vec!["preview.body".into()],
            ..SeenDecision::default()
        };
        let edited = after_await(&Seen { decision: Some(decision.clone()), ..seen("approved") });
        assert!(
            edited.contains("replaced part of the content") && edited.contains("not on a Friday"),
            "{edited}"
        );
        let rejected = after_await(&Seen { decision: Some(decision), ..seen("rejected") });
        assert!(rejected.starts_with("a person rejected this, and says: not on a Friday."), "{rejected}");
    }
}
