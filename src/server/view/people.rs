//! The people of a project and the links that make their accounts.

use super::Reader;
use crate::domain::ids::ReviewerId;
use crate::server::db::invites::OpenInvite;
use crate::server::db::people::Member;
use crate::server::text;
use crate::wire::people::{Invitation, InviteView, PersonView};

/// A person, seen by another one or by themselves.
pub fn person(member: Member, me: ReviewerId, reader: &Reader) -> PersonView {
    PersonView {
        id: member.id.to_string(),
        name: text::reveal_text(&member.name),
        email: text::reveal_text(&member.email),
        role: member.role,
        is_me: member.id == me,
        joined: reader.moment(member.joined_at),
        seen: member.last_seen_at.map(|at| reader.moment(at)),
        disabled: member.disabled_at.map(|at| reader.moment(at)),
    }
}

/// A link, for those who manage links.
pub fn invite(invite: OpenInvite, reader: &Reader) -> InviteView {
    InviteView {
        id: invite.id.to_string(),
        role: invite.role,
        email: invite.email.as_deref().map(text::reveal_text),
        by: text::reveal_text(&invite.made_by_name),
        expires: reader.moment(invite.expires_at),
    }
}

/// A link, for who holds it.
pub fn invitation(invite: OpenInvite, reader: &Reader) -> Invitation {
    Invitation {
        project: text::reveal_text(&invite.project_name),
        role: invite.role,
        // Not revealed: it goes into a control.
        email: invite.email,
        by: text::reveal_text(&invite.made_by_name),
        expires: reader.moment(invite.expires_at),
    }
}
