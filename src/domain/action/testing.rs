//! An action for tests.

use time::Duration;
use time::macros::datetime;
use uuid::Uuid;

use super::{Action, ActionState};
use crate::domain::Instant;
use crate::domain::content::{Content, Preview, PreviewFormat};
use crate::domain::editable::EditablePath;
use crate::domain::ids::{ActionId, KeyId, ProjectId};
use crate::domain::text::{Kind, Title};

pub(crate) const NOW: Instant = datetime!(2026-11-29 12:00:00 UTC);

pub(crate) fn agent() -> KeyId {
    KeyId::from_uuid(Uuid::from_u128(1))
}

pub(crate) fn action(state: ActionState) -> Action {
    let content = Content {
        kind: Kind::parse("email.send").unwrap(),
        title: Title::parse("Outreach").unwrap(),
        preview: Preview { format: PreviewFormat::Plain, body: "Hi".into() },
        payload: None,
        target_url: None,
    };
    Action {
        id: ActionId::from_uuid(Uuid::from_u128(9)),
        project: ProjectId::from_uuid(Uuid::from_u128(8)),
        proposed_by: agent(),
        agent: "drafts".into(),
        content_sha256: content.digest(),
        content,
        editable: vec![EditablePath::Body],
        idempotent: None,
        undo: None,
        callback_url: None,
        idempotency_key: None,
        valid_for_secs: None,
        created_at: NOW,
        expires_at: NOW + Duration::seconds(300),
        updated_at: NOW,
        erased_at: None,
        state,
    }
}
