//! The settings of channels: opened and sealed, merged with what was sent, masked for whoever looks.

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::Services;
use super::channels::SeenChannel;
use crate::domain::channel::{ChannelKind, Config, check_config, fields};
use crate::domain::ids::{ChannelId, ProjectId};
use crate::domain::text::FieldError;
use crate::server::db::channels::StoredChannel;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::kept::Kept;
use crate::server::secrets::{SecretError, masked};
use crate::server::{db, random};

impl Services {
    /// The settings of a channel, opened.
    ///
    /// # Errors
    /// If its secrets can't be opened.
    pub fn open_config(&self, channel: &StoredChannel) -> Result<Config, SecretError> {
        let secret = match &channel.sealed {
            None => Map::new(),
            Some(sealed) => {
                let opened = self.vault.open(Kept::Channel.place(channel.id.uuid()), sealed)?;
                serde_json::from_str(&opened).map_err(|_| SecretError::Damaged)?
            }
        };
        Ok(Config { plain: channel.config.clone(), secret })
    }

    pub(super) fn seal_config(&self, id: ChannelId, config: &Config) -> ServiceResult<Option<String>> {
        if config.secret.is_empty() {
            return Ok(None);
        }
        let text = Value::Object(config.secret.clone()).to_string();
        let sealed = self.vault.seal(Kept::Channel.place(id.uuid()), &text);
        let failed =
            |error: SecretError| FieldError::invalid("secrets", format!("can't be stored: {error}."));
        Ok(Some(sealed.map_err(failed)?))
    }

    /// The settings with what was sent in their place. What comes back masked stays as it is.
    pub(super) fn merged(&self, stored: &StoredChannel, sent: Map<String, Value>) -> ServiceResult<Config> {
        let before = self
            .open_config(stored)
            .map_err(|error| FieldError::invalid("secrets", format!("can't be opened: {error}.")))?;
        let shown = mask(&before);
        let mut all = before.plain.clone();
        all.extend(before.secret.clone());
        let is_told = sent.get("token").is_some_and(|token| shown.get("token") != Some(token));
        for (name, value) in sent {
            if shown.get(&name) != Some(&value) || !before.secret.contains_key(&name) {
                all.insert(name, value);
            }
        }
        let mut config = check_config(stored.kind, &all, is_url).map_err(ServiceError::Invalid)?;
        // Nobody learns a token by naming a server of theirs beside it.
        if !is_told && !before.text("token").is_empty() && origin(&config) != origin(&before) {
            let text = "is required again: the one that is stored was given for another server.";
            return Err(FieldError::required("config.token", text).into());
        }
        complete(stored.kind, &mut config);
        Ok(config)
    }

    pub(super) fn seen(&self, stored: StoredChannel, pending: i64) -> SeenChannel {
        let config = match self.open_config(&stored) {
            Ok(config) => mask(&config),
            Err(_) => stored.config.clone(),
        };
        SeenChannel { stored, config, pending }
    }

    /// A sort for which the operator has set up what it needs.
    pub(super) fn ready(&self, kind: ChannelKind) -> Result<ChannelKind, FieldError> {
        match self.platforms.lacks(kind) {
            Some(what) => Err(FieldError::invalid("type", what)),
            None => Ok(kind),
        }
    }

    /// The channel that hears about another one's failures.
    pub(super) async fn fallback(
        &self,
        conn: &mut PgConnection,
        project: ProjectId,
        own: ChannelId,
        sent: &str,
    ) -> ServiceResult<Option<ChannelId>> {
        if sent.is_empty() {
            return Ok(None);
        }
        let wrong =
            || FieldError::invalid("fallback_id", "must be the id of another channel of this project.");
        let id: ChannelId = sent.parse().map_err(|_| wrong())?;
        let found = db::channels::get(conn, project, id).await?.filter(|_| id != own).ok_or_else(wrong)?;
        Ok(Some(found.id))
    }
}

/// The sort that a text names.
pub(super) fn sort(text: &str) -> Result<ChannelKind, FieldError> {
    let names = ChannelKind::ALL.map(ChannelKind::as_str).join(", ");
    if text.is_empty() {
        return Err(FieldError::required("type", format!("is required: one of {names}.")));
    }
    let kind = ChannelKind::from_text(text);
    kind.ok_or_else(|| FieldError::invalid("type", format!("must be one of {names}; {text:?} was sent.")))
}

/// Makes what nobody has to think of.
pub(super) fn complete(kind: ChannelKind, config: &mut Config) {
    let has_secret = fields(kind).iter().any(|field| field.name == "hmac_secret");
    // A webhook's is the receiver's to choose.
    let signs_buttons = has_secret && kind.keeps_messages_true();
    if signs_buttons && config.text("hmac_secret").is_empty() {
        config.secret.insert("hmac_secret".to_owned(), random::token().into());
    }
}

fn mask(config: &Config) -> Map<String, Value> {
    let secret = config.secret.iter();
    let secret =
        secret.map(|(name, value)| (name.clone(), masked(value.as_str().unwrap_or_default()).into()));
    config.plain.clone().into_iter().chain(secret).collect()
}

/// What changed, without secrets: the names of settings and not their values.
pub(super) fn changes(before: &StoredChannel, after: &StoredChannel, is_new_config: bool) -> Value {
    let mut data = Map::new();
    data.insert("channel_id".into(), after.id.to_string().into());
    data.insert("name".into(), after.name.clone().into());
    let mut changed = |name: &str, before: Value, after: Value| {
        if before != after {
            data.insert(name.into(), json!({"before": before, "after": after}));
        }
    };
    changed("renamed", before.name.clone().into(), after.name.clone().into());
    changed("enabled", before.enabled.into(), after.enabled.into());
    changed("digest_window_sec", before.window_secs.into(), after.window_secs.into());
    changed("kinds", json!(before.filters.kinds), json!(after.filters.kinds));
    changed("agents", json!(before.filters.agents), json!(after.filters.agents));
    let text = |id: Option<ChannelId>| id.map_or(Value::Null, |id| id.to_string().into());
    changed("fallback_id", text(before.fallback), text(after.fallback));
    if is_new_config {
        let names: Vec<&str> = fields(after.kind).iter().map(|field| field.name).collect();
        let plain = names.into_iter().filter(|name| before.config.get(*name) != after.config.get(*name));
        let mut settings: Vec<&str> = plain.collect();
        if before.sealed != after.sealed {
            settings.push("secrets");
        }
        data.insert("settings".into(), json!(settings));
    }
    Value::Object(data)
}

/// The server that a channel's address names.
fn origin(config: &Config) -> Option<url::Origin> {
    url::Url::parse(config.text("url")).ok().map(|url| url.origin())
}

pub(super) fn is_url(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}
