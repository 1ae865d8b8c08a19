//! A person's own account as they see it.

use super::{Reader, channels};
use crate::domain::channel::ChannelKind;
use crate::domain::ids::SessionId;
use crate::server::db::chat::ChatAccount;
use crate::server::db::people::Member;
use crate::server::db::sessions::StoredSession;
use crate::server::zone::Zone;
use crate::wire::account::{AccountView, SessionView, ZoneGroup};

/// The account of a person who uses one of their sessions.
pub fn account(
    member: &Member,
    this: SessionId,
    sessions: Vec<StoredSession>,
    chats: Vec<ChatAccount>,
    linkable: Vec<ChannelKind>,
    reader: &Reader,
) -> AccountView {
    let preferences = &member.preferences;
    let group = |(region, names): (&str, Vec<String>)| ZoneGroup { region: region.to_owned(), names };
    let mut sessions: Vec<SessionView> =
        sessions.into_iter().map(|session| self::session(session, this, reader)).collect();
    // Stable: the others stay in their order.
    sessions.sort_by_key(|session| !session.is_this);
    AccountView {
        name: member.name.clone(),
        email: member.email.clone(),
        project: member.project_name.clone(),
        role: member.role,
        theme: preferences.theme,
        shortcuts: preferences.shortcuts,
        time_zone: preferences.time_zone.clone().unwrap_or_default(),
        project_time_zone: member.project_time_zone.clone(),
        zones: Zone::choices().into_iter().map(group).collect(),
        now: reader.moment(reader.now),
        sessions,
        chats: chats.into_iter().map(|chat| channels::chat(chat, reader)).collect(),
        linkable,
        code: None,
        push: None,
    }
}

fn session(session: StoredSession, this: SessionId, reader: &Reader) -> SessionView {
    SessionView {
        is_this: session.id == this,
        id: session.id.to_string(),
        device: session.device,
        address: session.address,
        began: reader.moment(session.created_at),
        seen: reader.moment(session.last_seen_at),
    }
}
