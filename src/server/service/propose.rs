//! An agent proposes: stored with its event, or recognised as one that is there already.

use time::Duration;

use super::{Caller, Services};
use crate::domain::action::{Action, ActionState};
use crate::domain::audit::{AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ActionId;
use crate::domain::proposal::{self, Proposal, RawProposal};
use crate::domain::text::FieldError;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::text::reads_like;
use crate::server::{db, random};

/// How the kinds of this server's own actions begin. A reviewer learns that a test does nothing, so nobody else may
/// look like one.
const OWN_KINDS: &str = "impri.";

/// What a proposal led to.
#[derive(Debug)]
pub enum Proposed {
    /// A new action.
    New(Box<Action>),
    /// The action that was proposed under the same idempotency key before.
    Replayed(Box<Action>),
    /// An identical proposal of the same key that still waits.
    Duplicate(Box<Action>),
}

impl Services {
    /// Stores a proposal and returns at once; deciding is somebody else's.
    ///
    /// # Errors
    /// Every field that breaks a rule; an idempotency key that names another proposal. Nothing is stored then.
    pub async fn propose(
        &self,
        agent: &Caller,
        raw: RawProposal,
        channel: Channel,
    ) -> ServiceResult<Proposed> {
        if raw.kind.as_deref().is_some_and(|kind| reads_like(kind, OWN_KINDS)) {
            let text = format!(
                "begins with {OWN_KINDS}, or reads as if it did, which only this server's own actions do. Choose another."
            );
            return Err(ServiceError::Invalid(vec![FieldError::invalid("kind", text)]));
        }
        self.propose_any(agent, raw, channel).await
    }

    /// The same for this server's own actions, too.
    pub(super) async fn propose_any(
        &self,
        agent: &Caller,
        raw: RawProposal,
        channel: Channel,
    ) -> ServiceResult<Proposed> {
        let proposal = proposal::check(raw, is_http_url).map_err(ServiceError::Invalid)?;
        let action = self.new_action(agent, proposal);
        let event = AuditEvent {
            project: action.project,
            at: action.created_at,
            kind: EventKind::ActionCreated,
            action: Some(action.id),
            actor: agent.actor(),
            channel,
            data: serde_json::json!({
                "kind": action.content.kind.as_str(), "content_sha256": action.content_sha256.to_string()}),
        };
        let mut conn = self.pool.acquire().await?;
        // Twice: between the refusal and the look the one that was in the way may have left.
        for _ in 0..2 {
            if let Some(stored) = db::actions::propose(&mut conn, &action, &event).await? {
                self.live.proposed(action.project);
                if stored.is_told {
                    self.outbox_wake.notify_one();
                }
                return Ok(Proposed::New(Box::new(action)));
            }
            if let Some(key) = &action.idempotency_key {
                if let Some(found) = db::actions::by_idempotency_key(&mut conn, action.project, key).await? {
                    let gone = match found.callback_url {
                        Some(_) => None,
                        None => db::outbox::gone_target(&mut conn, found.id).await?,
                    };
                    return replay(found, gone.as_deref(), &action);
                }
            } else if let Some(found) = db::actions::waiting_twin(&mut conn, &action).await? {
                return Ok(Proposed::Duplicate(Box::new(found)));
            }
        }
        Err(ServiceError::Internal("a proposal was neither stored nor found".into()))
    }

    fn new_action(&self, agent: &Caller, proposal: Proposal) -> Action {
        let now = self.clock.now();
        // The deadline is a whole second, the one that the API answers with.
        let from = now.replace_nanosecond(0).unwrap_or(now);
        Action {
            id: ActionId::from_uuid(random::uuid(now)),
            project: agent.project,
            proposed_by: agent.key,
            agent: agent.name.clone(),
            content_sha256: proposal.content.digest(),
            content: proposal.content,
            editable: proposal.editable,
            idempotent: proposal.idempotent,
            undo: proposal.undo,
            callback_url: proposal.callback_url,
            idempotency_key: proposal.idempotency_key,
            valid_for_secs: proposal.valid_for_secs,
            created_at: now,
            expires_at: from + Duration::seconds(proposal.expires_in_secs.into()),
            updated_at: now,
            erased_at: None,
            state: ActionState::Pending,
        }
    }
}

/// Answers a repeated idempotency key: with the first action if it is the same proposal, with what differs if not.
/// A callback address that is `gone` by now was proposed all the same.
fn replay(found: Action, gone: Option<&str>, sent: &Action) -> ServiceResult<Proposed> {
    let (a, b) = (&found.content, &sent.content);
    let differences = [
        ("kind", a.kind != b.kind),
        ("title", a.title != b.title),
        ("preview", a.preview != b.preview),
        ("payload", a.payload != b.payload),
        ("target_url", a.target_url != b.target_url),
        ("callback_url", found.callback_url.as_deref().or(gone) != sent.callback_url.as_deref()),
        ("editable", found.editable != sent.editable),
        ("idempotent", found.idempotent != sent.idempotent),
        ("undo", found.undo != sent.undo),
        // Not `expires_in`: whoever counts down to a deadline of their own sends another one with each retry.
        ("valid_for", found.valid_for_secs != sent.valid_for_secs),
    ];
    let fields: Vec<&str> =
        differences.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect();
    match fields.is_empty() {
        true => Ok(Proposed::Replayed(Box::new(found))),
        false => Err(ServiceError::KeyReused { fields }),
    }
}

fn is_http_url(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
