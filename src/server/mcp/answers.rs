//! What each tool gives back. The comments on the fields are what a model reads of them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::seen::{Seen, SeenPreview};
use super::untrusted::{Marks, NOTE};
use super::words;

/// Left between two calls that wait, so that a host that waits for nothing does not ask all the time.
const PAUSE_SECS: u64 = 2;

/// The answer of `impri_push_action`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pushed {
    /// The id to wait for, claim and report with.
    pub(super) action_id: String,
    /// pending, unless somebody or something decided already.
    pub(super) status: String,
    /// What to do now.
    pub(super) next: String,
    /// Where the person decides; you may show them this link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inbox_url: Option<String>,
    /// Unix seconds; from then on nobody can approve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<i64>,
    /// Set where the same proposal was waiting already: that one's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duplicate_of: Option<String>,
}

/// The answer of `impri_await_decision`, `impri_claim_action` and `impri_cancel_action`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Standing {
    /// The action.
    pub(super) action_id: String,
    /// pending, approved, rejected, expired, cancelled, executed or `execute_failed`. Whatever is not approved means
    /// that you must not act.
    pub(super) status: String,
    /// Whether you may act on this answer, now and once.
    pub(super) may_act: bool,
    /// Whether you must call `impri_claim_action` before you act.
    pub(super) must_claim: bool,
    /// What to do now.
    pub(super) next: String,
    /// The approved title; only where approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// The approved preview; only where approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) preview: Option<StandingPreview>,
    /// The approved payload; only where approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>", extend("type" = ["object", "array", "string", "number", "boolean"]))]
    pub(super) payload: Option<Value>,
    /// Where it is approved to happen; only where approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target_url: Option<String>,
    /// Whether a person changed what you proposed. Then only what is in this answer is approved.
    pub(super) edited_by_human: bool,
    /// Which parts they changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) edited: Vec<String>,
    /// What they changed, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
    /// Unix seconds of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision_at: Option<i64>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decided_by: Option<String>,
    /// Why, in their words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comment: Option<String>,
    /// Digest of the approved content, for whoever compares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) approved_sha256: Option<String>,
    /// What proves the decision, signed. Hand it as it is to whoever runs the action, if they ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) receipt: Option<String>,
    /// Unix seconds; from then on an approval can't be claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid_until: Option<i64>,
    /// Unix seconds since which somebody holds the one permission to run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claimed_at: Option<i64>,
    /// Unix seconds; from then on nobody can approve it. Only while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<i64>,
    /// Seconds to leave between calls while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry_after_s: Option<u64>,
    /// Where the person decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inbox_url: Option<String>,
    /// Set where marks stand around text from outside.
    #[serde(rename = "_untrusted_content_note", skip_serializing_if = "Option::is_none")]
    pub(super) untrusted_content_note: Option<&'static str>,
}

/// `preview` of [`Standing`].
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StandingPreview {
    /// markdown, plain or diff.
    pub(super) format: String,
    /// The text.
    pub(super) body: String,
}

/// The answer of `impri_report_result`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reported {
    /// The action.
    pub(super) action_id: String,
    /// executed or `execute_failed`.
    pub(super) status: String,
}

/// The answer of `impri_inbox_status`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InboxStatus {
    /// How many wait, counted up to 50.
    pub(super) pending: usize,
    /// Whether more than these wait.
    pub(super) has_more: bool,
    /// The newest ten.
    pub(super) items: Vec<Waiting>,
    /// Set where marks stand around text from outside.
    #[serde(rename = "_untrusted_content_note", skip_serializing_if = "Option::is_none")]
    pub(super) untrusted_content_note: Option<&'static str>,
}

/// One of [`InboxStatus`].
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Waiting {
    /// The action.
    pub(super) action_id: String,
    /// What sort of action.
    pub(super) kind: String,
    /// The action in one line.
    pub(super) title: String,
    /// Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<i64>,
    /// Unix seconds; from then on nobody can approve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<i64>,
    /// Where the person decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inbox_url: Option<String>,
}

impl Pushed {
    pub(super) fn of(seen: Seen) -> Self {
        Self {
            next: words::after_push(&seen),
            action_id: seen.id,
            status: seen.status,
            inbox_url: seen.inbox_url,
            expires_at: seen.expires_at,
            duplicate_of: seen.duplicate_of,
        }
    }
}

impl Standing {
    /// How an action stands. Content is in it only where it is approved: nothing else may be acted on.
    pub(super) fn of(seen: Seen) -> Self {
        let next = words::after_await(&seen);
        let (is_approved, is_pending) = (seen.status == "approved", seen.is_pending());
        let must_claim = is_approved && seen.needs_claim() && seen.claimed_at.is_none();
        let edited_by_human = seen.is_edited();
        let marks = seen.is_untrusted().then(Marks::new);
        let mark = |text: String| marks.as_ref().map_or_else(|| text.clone(), |marks| marks.around(&text));
        let decision = seen.decision.unwrap_or_default();
        let SeenPreview { format, body } = decision.final_preview.unwrap_or(seen.preview);
        Self {
            action_id: seen.id,
            status: seen.status,
            may_act: is_approved && !must_claim && seen.claimed_at.is_none(),
            must_claim,
            next,
            title: is_approved.then(|| mark(seen.title)),
            preview: is_approved.then(|| StandingPreview { format, body: mark(body) }),
            payload: seen.payload.filter(|_| is_approved),
            target_url: seen.target_url.filter(|_| is_approved),
            edited_by_human,
            edited: decision.edited,
            diff: decision.diff.map(mark),
            decision_at: decision.decided_at,
            decided_by: Some(decision.decided_by.name).filter(|name| !name.is_empty()),
            comment: decision.comment,
            approved_sha256: seen.approved_sha256,
            receipt: seen.receipt,
            valid_until: seen.valid_until,
            claimed_at: seen.claimed_at,
            expires_at: seen.expires_at.filter(|_| is_pending),
            retry_after_s: is_pending.then_some(PAUSE_SECS),
            inbox_url: seen.inbox_url,
            untrusted_content_note: (is_approved && marks.is_some()).then_some(NOTE),
        }
    }

    /// The same for whoever just got the permission to run it.
    pub(super) fn claimed(seen: Seen) -> Self {
        let standing = Self::of(seen);
        let may_act = standing.status == "approved";
        let next = if may_act { words::AFTER_CLAIM.to_owned() } else { standing.next };
        Self { may_act, next, ..standing }
    }
}

impl InboxStatus {
    /// How many titles are shown.
    const SHOWN: usize = 10;

    pub(super) fn of(items: Vec<Seen>, has_more: bool) -> Self {
        let pending = items.len();
        let shown: Vec<Seen> = items.into_iter().take(Self::SHOWN).collect();
        let is_marked = shown.iter().any(Seen::is_untrusted);
        let waiting = |seen: Seen| {
            let title = if seen.is_untrusted() { Marks::new().around(&seen.title) } else { seen.title };
            Waiting {
                action_id: seen.id,
                kind: seen.kind,
                title,
                created_at: seen.created_at,
                expires_at: seen.expires_at,
                inbox_url: seen.inbox_url,
            }
        };
        Self {
            pending,
            has_more,
            items: shown.into_iter().map(waiting).collect(),
            untrusted_content_note: is_marked.then_some(NOTE),
        }
    }

    /// The same in lines.
    pub(super) fn lines(&self) -> String {
        let more = if self.has_more { " or more" } else { "" };
        let head = match self.pending {
            0 => "Nothing waits for a decision.".to_owned(),
            1 => "1 action waits for a decision:".to_owned(),
            pending => format!("{pending}{more} actions wait for a decision:"),
        };
        let items = self.items.iter();
        let items = items.map(|item| format!("- {} ({}, {})", item.title, item.kind, item.action_id));
        let hidden = self.pending - self.items.len();
        let rest = (hidden > 0).then(|| format!("… and {hidden} more"));
        let note = self.untrusted_content_note.map(str::to_owned);
        let lines: Vec<String> = std::iter::once(head).chain(items).chain(rest).chain(note).collect();
        lines.join("\n")
    }
}
