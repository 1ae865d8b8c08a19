//! The project and what is exported of it in the public JSON.

use super::api;
use crate::domain::Instant;
use crate::domain::decision::Decision;
use crate::domain::ids::ActionId;
use crate::domain::text::Comment;
use crate::server::db::chat::ChatAccount;
use crate::server::db::people::Member;
use crate::server::db::projects::Project;
use crate::wire::v1;

/// The settings, without the secret.
pub fn project(project: &Project) -> v1::Project {
    v1::Project {
        id: project.id.to_string(),
        name: project.name.clone(),
        timezone: project.timezone.clone(),
        allow_self_approval: project.allow_self_approval,
        webhook_secret: None,
        created_at: project.created_at.unix_timestamp(),
    }
}

/// A person.
pub fn person(member: Member, accounts: Vec<ChatAccount>) -> v1::Person {
    v1::Person {
        id: member.id.to_string(),
        name: member.name,
        email: member.email,
        role: member.role.as_str(),
        disabled_at: member.disabled_at.map(Instant::unix_timestamp),
        chat_accounts: accounts
            .into_iter()
            .map(|account| v1::ChatAccount {
                platform: account.platform,
                user: account.user,
                name: account.name,
                linked_at: account.linked_at.unix_timestamp(),
            })
            .collect(),
    }
}

/// A decision as it is stored.
pub fn decision(action: ActionId, decision: Decision) -> v1::ExportedDecision {
    let receipt = api::receipt(&decision);
    let edits = decision.edits.into_iter();
    v1::ExportedDecision {
        action_id: action.to_string(),
        verdict: decision.verdict.as_str(),
        decided_at: decision.decided_at.unix_timestamp(),
        decided_by: api::decider(&decision.decider),
        channel: decision.channel.as_str().to_owned(),
        comment: decision.comment.map(Comment::into_string),
        edits: edits
            .map(|edit| v1::ExportedEdit { path: edit.path.to_string(), value: edit.value })
            .collect(),
        proposed_sha256: decision.proposed_sha256.to_string(),
        approved_sha256: decision.approved_sha256.map(|digest| digest.to_string()),
        receipt,
    }
}
