//! Channels, from a proposal to the people who hear of it: real servers on loopback that play the platforms, and a real
//! database.

mod crowds;
mod discord;
mod discord_calls;
mod discord_gateway;
mod discord_proxy;
mod discord_sending;
mod doctor;
mod edits;
mod email;
mod everywhere;
mod fake_discord;
mod fake_ntfy;
mod fake_push;
mod fake_slack;
mod fake_slack_checks;
mod fake_slack_people;
mod fake_slack_socket;
mod fake_smtp;
mod fake_telegram;
mod fake_telegram_checks;
mod fake_telegram_line;
mod hearing;
mod letting_go;
mod locks;
mod lost;
mod ntfy;
mod push;
mod push_owners;
mod refusals;
mod rotating;
mod sending;
mod slack;
mod slack_slow;
mod slack_socket;
mod slack_words;
mod strangers;
mod takeover;
mod telegram;
mod telegram_accounts;
mod telegram_cuts;
mod telegram_reasons;
mod twice;

use impri::domain::action::Action;
use impri::domain::audit::Actor;
use impri::domain::channel::Filters;
use impri::domain::decision::Channel;
use impri::domain::ids::{ActionId, ChannelId};
use impri::domain::proposal::RawProposal;
use impri::server::notify::PlatformSettings;
use impri::server::secrets::Vault;
use impri::server::service::{ChannelChange, NewChannel, Proposed, SeenChannel};
use serde_json::Value;
use sqlx::PgPool;

use crate::delivery::{Desk, OPEN};
use crate::support::VAULT_KEY;

/// A desk whose server may speak to platforms on loopback, and can keep secrets.
pub(crate) async fn desk(pool: PgPool) -> Desk {
    with_vault(pool, Vault::from_setting(VAULT_KEY).expect("a key")).await
}

/// The same with another vault.
async fn with_vault(pool: PgPool, vault: Vault) -> Desk {
    let mut desk = Desk::open_with(pool, vault).await;
    desk.services =
        desk.services.with_platforms(PlatformSettings { policy: OPEN, ..PlatformSettings::default() });
    desk
}

/// Something that an agent wants to do.
pub(crate) fn wish(title: &str, body: &str) -> RawProposal {
    RawProposal {
        kind: Some("mail.send".to_owned()),
        title: Some(title.to_owned()),
        body: Some(body.to_owned()),
        format: Some("plain".to_owned()),
        ..RawProposal::default()
    }
}

impl Desk {
    pub(crate) async fn channel(&self, name: &str, kind: &str, config: Value) -> ChannelId {
        self.channel_with(name, kind, config, NewChannel::default()).await
    }

    pub(crate) async fn channel_with(
        &self,
        name: &str,
        kind: &str,
        config: Value,
        rest: NewChannel,
    ) -> ChannelId {
        let Value::Object(config) = config else { panic!("settings are an object") };
        let new = NewChannel { name: name.to_owned(), kind: kind.to_owned(), config, ..rest };
        let made = self.services.create_channel(self.project(), new, Actor::Operator, Channel::cli()).await;
        made.expect("a channel").stored.id
    }

    pub(crate) async fn change(&self, id: ChannelId, change: ChannelChange) {
        let changed =
            self.services.update_channel(self.project(), id, change, Actor::Operator, Channel::cli()).await;
        changed.expect("changed");
    }

    pub(crate) async fn seen(&self, id: ChannelId) -> SeenChannel {
        self.services.channel(self.project(), id).await.expect("a channel")
    }

    pub(crate) async fn wish(&self, title: &str, body: &str) -> Action {
        self.wants(wish(title, body)).await
    }

    pub(crate) async fn wants(&self, wish: RawProposal) -> Action {
        match self.services.propose(&self.agent, wish, Channel::api()).await.expect("a valid proposal") {
            Proposed::New(action) => *action,
            other => panic!("{other:?}"),
        }
    }

    /// How the messages about an action stand, the oldest first: state and what went wrong.
    pub(crate) async fn notices(&self, id: ActionId) -> Vec<(String, Option<String>)> {
        sqlx::query_as("select state, last_error from outbox where action_id = $1 and channel = 'notice' order by outbox_id")
            .bind(id.uuid())
            .fetch_all(self.services.pool())
            .await
            .expect("rows")
    }
}

pub(crate) fn only(kinds: &[&str], agents: &[&str]) -> NewChannel {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    NewChannel { filters: Filters { kinds: texts(kinds), agents: texts(agents) }, ..NewChannel::default() }
}

pub(crate) fn paused() -> ChannelChange {
    ChannelChange { enabled: Some(false), ..ChannelChange::default() }
}
