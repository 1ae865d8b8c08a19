//! What was decided before, for a reader.

use super::{Reader, card};
use crate::domain::action::Status;
use crate::domain::decision::Verdict;
use crate::domain::ids::ReviewerId;
use crate::server::db::context::PastAction;
use crate::server::text;
use crate::wire::context::{Alike, PastDecision, PastRun};

/// A decision of the past, as `me` reads it.
pub fn past(past: &PastAction, me: ReviewerId, reader: &Reader) -> PastDecision {
    let verdict = match past.verdict {
        Verdict::Approve => Status::Approved,
        Verdict::Reject => Status::Rejected,
    };
    PastDecision {
        id: past.id.to_string(),
        title: text::reveal_text(&past.title),
        verdict: verdict.as_str().to_owned(),
        by: by(past.reviewer, &past.decider, me),
        at: reader.moment(past.decided_at),
        edits: past.edits,
        comment: past.comment.as_deref().map(card::comment),
        run: past.result_at.map(|at| PastRun {
            status: past.status.as_str().to_owned(),
            at: reader.moment(at),
            detail: past.result_detail.as_deref().map(card::comment),
        }),
    }
}

/// An action like the one that is looked at.
pub fn alike(is_same: bool, decision: PastDecision) -> Alike {
    Alike { is_same, decision }
}

/// Who decided, for a reader who may be the same person.
pub(super) fn by(reviewer: Option<ReviewerId>, name: &str, me: ReviewerId) -> String {
    if reviewer == Some(me) { "you".to_owned() } else { text::reveal_text(name) }
}
