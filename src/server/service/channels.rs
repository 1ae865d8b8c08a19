//! Channels: made, changed, tried and deleted by administrators.

use serde_json::{Map, Value, json};

use super::Services;
use super::channel_settings::{changes, complete, is_url, sort};
use super::notices::WINDOW;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::channel::{Filters, check_config, check_filters, check_name, check_window};
use crate::domain::decision::Channel;
use crate::domain::delivery::Outcome;
use crate::domain::ids::{ChannelId, ProjectId};
use crate::domain::role::Role;
use crate::domain::text::FieldError;
use crate::server::db::channels::{Health, StoredChannel};
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::notice;
use crate::server::notify::platform::plain;
use crate::server::{db, random};

/// Most channels of a project.
const CHANNELS_MAX: usize = 100;

/// A channel to be made.
#[derive(Debug, Clone, Default)]
pub struct NewChannel {
    /// Its name for people.
    pub name: String,
    /// Its sort, as it was sent.
    pub kind: String,
    /// Its settings, as they were sent.
    pub config: Map<String, Value>,
    /// Whether it is told anything; yes, if absent.
    pub enabled: Option<bool>,
    /// Within how many seconds a burst becomes one message.
    pub window_secs: Option<i64>,
    /// What it hears about.
    pub filters: Filters,
    /// The channel that hears about its failures, as it was sent; empty for none.
    pub fallback: String,
}

/// What is to be different about a channel.
#[derive(Debug, Clone, Default)]
pub struct ChannelChange {
    /// Another name.
    pub name: Option<String>,
    /// Settings in the place of those with the same name; null or empty takes one away.
    pub config: Option<Map<String, Value>>,
    /// Resumed or paused.
    pub enabled: Option<bool>,
    /// Another window.
    pub window_secs: Option<i64>,
    /// Other kinds.
    pub kinds: Option<Vec<String>>,
    /// Other agents.
    pub agents: Option<Vec<String>>,
    /// Another fallback; empty for none.
    pub fallback: Option<String>,
}

/// A channel with its secrets masked.
#[derive(Debug, Clone)]
pub struct SeenChannel {
    /// What is stored.
    pub stored: StoredChannel,
    /// All settings, the secret ones masked.
    pub config: Map<String, Value>,
    /// How many messages wait.
    pub pending: i64,
}

/// What came of trying a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// Whether the platform took the message.
    pub ok: bool,
    /// What it said.
    pub answer: String,
}

impl Services {
    /// Makes a channel.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, or a field breaks a rule.
    pub async fn create_channel(
        &self,
        project: ProjectId,
        new: NewChannel,
        actor: Actor,
        door: Channel,
    ) -> ServiceResult<SeenChannel> {
        let now = self.clock.now();
        let mut errors = Vec::new();
        let name = check_name(&new.name).map_err(|error| errors.push(error)).unwrap_or_default();
        let window_secs = check_window(new.window_secs.unwrap_or(WINDOW)).map_err(|error| errors.push(error));
        let filters = check_filters(new.filters).map_err(|all| errors.extend(all)).unwrap_or_default();
        let kind = sort(&new.kind).and_then(|kind| self.ready(kind)).map_err(|error| errors.push(error)).ok();
        let checked =
            kind.map(|kind| check_config(kind, &new.config, is_url).map_err(|all| errors.extend(all)));
        let (Some(kind), Some(Ok(mut config)), Ok(window_secs), true) =
            (kind, checked, window_secs, errors.is_empty())
        else {
            return Err(ServiceError::Invalid(errors));
        };
        complete(kind, &mut config);
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        if db::channels::list(&mut tx, project).await?.len() >= CHANNELS_MAX {
            let text = format!("a project has {CHANNELS_MAX} channels at most. Delete one first.");
            return Err(FieldError::invalid("type", text).into());
        }
        let id = ChannelId::from_uuid(random::uuid(now));
        let fallback = self.fallback(&mut tx, project, id, &new.fallback).await?;
        let stored = StoredChannel {
            id,
            project,
            name,
            kind,
            enabled: new.enabled.unwrap_or(true),
            window_secs,
            filters,
            sealed: self.seal_config(id, &config)?,
            config: config.plain,
            fallback,
            created_at: now,
            updated_at: now,
            deleted_at: None,
            health: Health::default(),
        };
        db::channels::insert(&mut tx, &stored).await?;
        let data = json!({"channel_id": id.to_string(), "name": stored.name, "type": kind.as_str()});
        let kind = EventKind::ChannelCreated;
        db::audit::append(
            &mut tx,
            &AuditEvent { project, at: now, kind, action: None, actor, channel: door, data },
        )
        .await?;
        tx.commit().await?;
        Ok(self.seen(stored, 0))
    }

    /// Every channel of a project, the oldest first.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn list_channels(&self, project: ProjectId) -> ServiceResult<Vec<SeenChannel>> {
        let mut conn = self.pool.acquire().await?;
        let stored = db::channels::list(&mut conn, project).await?;
        let queues = db::channels::queues(&mut conn, project).await?;
        let pending = |id| queues.iter().find(|(channel, _)| *channel == id).map_or(0, |(_, count)| *count);
        Ok(stored
            .into_iter()
            .map(|channel| {
                let count = pending(channel.id);
                self.seen(channel, count)
            })
            .collect())
    }

    /// One channel of a project.
    ///
    /// # Errors
    /// If there is no such channel.
    pub async fn channel(&self, project: ProjectId, id: ChannelId) -> ServiceResult<SeenChannel> {
        let all = self.list_channels(project).await?;
        all.into_iter().find(|channel| channel.stored.id == id).ok_or(ServiceError::NotFound)
    }

    /// Changes a channel. Other settings, and resuming it, are a new start for what is known of its failures.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, there is no such channel, or a field breaks a rule.
    pub async fn update_channel(
        &self,
        project: ProjectId,
        id: ChannelId,
        change: ChannelChange,
        actor: Actor,
        door: Channel,
    ) -> ServiceResult<SeenChannel> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        let mut stored =
            db::channels::get_to_change(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        let before = stored.clone();
        if let Some(name) = change.name {
            stored.name = check_name(&name)?;
        }
        if let Some(secs) = change.window_secs {
            stored.window_secs = check_window(secs)?;
        }
        let filters = Filters {
            kinds: change.kinds.unwrap_or_else(|| stored.filters.kinds.clone()),
            agents: change.agents.unwrap_or_else(|| stored.filters.agents.clone()),
        };
        stored.filters = check_filters(filters).map_err(ServiceError::Invalid)?;
        if let Some(fallback) = change.fallback {
            stored.fallback = self.fallback(&mut tx, project, id, &fallback).await?;
        }
        let is_new_config = change.config.is_some();
        if let Some(sent) = change.config {
            let config = self.merged(&stored, sent)?;
            stored.sealed = self.seal_config(id, &config)?;
            stored.config = config.plain;
        }
        stored.enabled = change.enabled.unwrap_or(stored.enabled);
        stored.updated_at = now;
        let is_new_start = is_new_config || (stored.enabled && !before.enabled);
        db::channels::update(&mut tx, &stored, is_new_start).await?;
        let data = changes(&before, &stored, is_new_config);
        let kind = EventKind::ChannelUpdated;
        db::audit::append(
            &mut tx,
            &AuditEvent { project, at: now, kind, action: None, actor, channel: door, data },
        )
        .await?;
        tx.commit().await?;
        self.channel(project, id).await
    }

    /// Deletes a channel with its secrets. Its messages stay as they are, and their buttons do nothing any more.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, or there is no such channel.
    pub async fn delete_channel(
        &self,
        project: ProjectId,
        id: ChannelId,
        actor: Actor,
        door: Channel,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        let stored =
            db::channels::get_to_change(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        db::channels::delete(&mut tx, id, now).await?;
        let data = json!({"channel_id": id.to_string(), "name": stored.name, "type": stored.kind.as_str()});
        let kind = EventKind::ChannelDeleted;
        db::audit::append(
            &mut tx,
            &AuditEvent { project, at: now, kind, action: None, actor, channel: door, data },
        )
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Has a channel say that it works, at once and whether or not it is paused. If it does, that is the last message that
    /// arrived; if it does not, what is known of its health stays.
    ///
    /// # Errors
    /// If a person asks who is no administrator at this moment, or there is no such channel. That the platform refuses is
    /// an answer.
    pub async fn test_channel(
        &self,
        project: ProjectId,
        id: ChannelId,
        actor: Actor,
        door: Channel,
    ) -> ServiceResult<Tested> {
        let mut tx = self.pool.begin().await?;
        Self::require_role_of(&mut tx, project, &actor, Role::Admin).await?;
        let stored = db::channels::get(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        let data = json!({"channel_id": id.to_string(), "name": stored.name, "type": stored.kind.as_str()});
        let (at, kind) = (self.clock.now(), EventKind::ChannelTested);
        db::audit::append(
            &mut tx,
            &AuditEvent { project, at, kind, action: None, actor, channel: door, data },
        )
        .await?;
        // No connection is held while a platform takes its time.
        tx.commit().await?;
        Ok(match notice::test(self, &stored).await {
            Ok(arrived) => {
                // A test that arrives is a message that arrived. One that fails is only said to who asked.
                let mut conn = self.pool.acquire().await?;
                let arrival = Outcome::Delivered { status: arrived.status };
                db::channels::note(&mut conn, id, None, &arrival, self.clock.now()).await?;
                Tested { ok: true, answer: arrived.answer }
            }
            Err(failure) => Tested { ok: false, answer: plain(&failure.reason) },
        })
    }
}
