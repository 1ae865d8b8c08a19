//! Channels, as an administrator manages them in the browser.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::channels::{ChannelChange, NewChannel, Tested};
use super::{Services, notices};
use crate::domain::channel::{ChannelKind, Field, Filters, Rule, fields};
use crate::domain::decision::Channel;
use crate::domain::ids::ChannelId;
use crate::domain::role::Role;
use crate::domain::text::FieldError;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::view;
use crate::wire::channels::{ChannelsView, TestedView};

/// The form that makes a channel or changes one.
#[derive(Debug, Clone, Default)]
pub struct ChannelForm {
    /// The sort; of a channel that is there it stays.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its settings, by name.
    pub settings: HashMap<String, String>,
    /// Kinds, with commas or line breaks between them.
    pub kinds: String,
    /// Agents, with commas or line breaks between them.
    pub agents: String,
    /// Within how many seconds a burst becomes one message.
    pub window: String,
    /// The channel that hears about its failures; empty for none.
    pub fallback: String,
}

impl Services {
    /// Every channel of the project. `tested` is what came of trying one just before.
    ///
    /// # Errors
    /// If the member is no administrator.
    pub async fn channels_page(
        &self,
        member: &Member,
        tested: Option<TestedView>,
    ) -> ServiceResult<ChannelsView> {
        member.require(Role::Admin)?;
        let reader = self.reader(member);
        let channels = self.list_channels(member.project).await?;
        let channels =
            channels.into_iter().map(|channel| view::channels::managed(channel, &reader)).collect();
        Ok(ChannelsView { channels, tested })
    }

    /// Makes a channel from its form.
    ///
    /// # Errors
    /// If the member is no administrator, or a field breaks a rule.
    pub async fn make_channel(&self, member: &Member, form: ChannelForm) -> ServiceResult<ChannelId> {
        member.require(Role::Admin)?;
        let kind = ChannelKind::from_text(&form.kind);
        let kind = kind.ok_or_else(|| FieldError::invalid("channel.type", "must be one of the list."))?;
        self.ready(kind).map_err(|error| error.at("channel.mail_server"))?;
        let new = NewChannel {
            kind: form.kind.clone(),
            config: settings(kind, &form.settings, true),
            enabled: Some(true),
            window_secs: window(kind, &form.window)?,
            filters: Filters { kinds: words(&form.kinds), agents: words(&form.agents) },
            fallback: form.fallback,
            name: form.name,
        };
        let made = self.create_channel(member.project, new, member.actor(), Channel::web()).await;
        Ok(made.map_err(renamed)?.stored.id)
    }

    /// Changes a channel from its form. Secrets that are left empty stay.
    ///
    /// # Errors
    /// As [`Services::make_channel`]; if there is no such channel.
    pub async fn save_channel(&self, member: &Member, id: &str, form: ChannelForm) -> ServiceResult<()> {
        member.require(Role::Admin)?;
        let id = parse(id)?;
        let kind = self.channel(member.project, id).await?.stored.kind;
        let change = ChannelChange {
            name: Some(form.name),
            config: Some(settings(kind, &form.settings, false)),
            enabled: None,
            window_secs: window(kind, &form.window)?,
            kinds: Some(words(&form.kinds)),
            agents: Some(words(&form.agents)),
            fallback: Some(form.fallback),
        };
        self.update_channel(member.project, id, change, member.actor(), Channel::web())
            .await
            .map_err(renamed)?;
        Ok(())
    }

    /// Pauses or resumes a channel.
    ///
    /// # Errors
    /// If the member is no administrator, or there is no such channel.
    pub async fn switch_channel(&self, member: &Member, id: &str, enabled: bool) -> ServiceResult<()> {
        member.require(Role::Admin)?;
        let change = ChannelChange { enabled: Some(enabled), ..ChannelChange::default() };
        self.update_channel(member.project, parse(id)?, change, member.actor(), Channel::web()).await?;
        Ok(())
    }

    /// Deletes a channel.
    ///
    /// # Errors
    /// If the member is no administrator, or there is no such channel.
    pub async fn remove_channel(&self, member: &Member, id: &str) -> ServiceResult<()> {
        member.require(Role::Admin)?;
        self.delete_channel(member.project, parse(id)?, member.actor(), Channel::web()).await
    }

    /// Has a channel say that it works.
    ///
    /// # Errors
    /// If the member is no administrator, or there is no such channel.
    pub async fn try_channel(&self, member: &Member, id: &str) -> ServiceResult<Tested> {
        member.require(Role::Admin)?;
        self.test_channel(member.project, parse(id)?, member.actor(), Channel::web()).await
    }
}

fn parse(id: &str) -> ServiceResult<ChannelId> {
    id.parse().map_err(|_| ServiceError::NotFound)
}

/// A channel's name has another rule than a person's.
fn renamed(error: ServiceError) -> ServiceError {
    let rename = |error: FieldError| if error.field == "name" { error.at("channel.name") } else { error };
    match error {
        ServiceError::Invalid(errors) => ServiceError::Invalid(errors.into_iter().map(rename).collect()),
        other => other,
    }
}

/// Within how many seconds a burst becomes one message, of a sort whose form asks for it.
fn window(kind: ChannelKind, text: &str) -> Result<Option<i64>, FieldError> {
    let wrong = || FieldError::invalid("digest_window_sec", "must be a number of seconds.");
    match text.trim() {
        _ if !kind.gathers_bursts() => Ok(None),
        "" => Ok(Some(notices::WINDOW)),
        text => text.parse().map(Some).map_err(|_| wrong()),
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split([',', '\n', '\r']).map(str::trim).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The settings that a form's texts stand for. Those of a channel that is there are taken away where they are empty.
fn settings(kind: ChannelKind, texts: &HashMap<String, String>, is_new: bool) -> Map<String, Value> {
    let mut settings = Map::new();
    for field in fields(kind) {
        let text = texts.get(field.name).map(|text| text.trim()).unwrap_or_default();
        let value = match (text.is_empty(), field.rule) {
            (_, Rule::Flag) => Value::Bool(text == "on"),
            (true, _) if is_new || field.is_secret => continue,
            (true, _) => Value::Null,
            (false, _) => value(field, text),
        };
        settings.insert(field.name.to_owned(), value);
    }
    settings
}

fn value(field: &Field, text: &str) -> Value {
    match field.rule {
        Rule::Ids | Rule::Snowflakes | Rule::SlackIds => {
            text.split([',', ' ', '\n', '\r', '\t']).filter(|id| !id.is_empty()).map(Value::from).collect()
        }
        Rule::People | Rule::SlackPeople => {
            let pairs = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let pairs = pairs.map(|line| line.split_once('=').unwrap_or((line, "")));
            Value::Object(pairs.map(|(id, address)| (id.trim().to_owned(), address.trim().into())).collect())
        }
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_forms_texts_become_settings_of_their_types() {
        let texts = [
            ("bot_token", ""),
            ("chat_id", " -100123 "),
            ("approval_mode", "on"),
            ("allowed_approver_user_ids", "7, 8\r\n9"),
            ("approvers", "7 = ada@example.org\r\n8=bob@example.org"),
            ("hmac_secret", ""),
        ];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned())).into_iter().collect();
        let expected = json!({"chat_id": "-100123", "approval_mode": true, "allowed_approver_user_ids": ["7", "8", "9"],
            "approvers": {"7": "ada@example.org", "8": "bob@example.org"}});
        assert_eq!(
            Value::from(settings(ChannelKind::Telegram, &texts, false)),
            expected,
            "empty secrets stay"
        );
        let none = HashMap::new();
        let taken = settings(ChannelKind::Telegram, &none, false);
        assert_eq!((&taken["chat_id"], &taken["approval_mode"]), (&Value::Null, &json!(false)));
    }
}
