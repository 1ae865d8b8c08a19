//! Notification channels: what is sent and what is answered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// `POST /v1/notification-channels`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct CreateChannel {
    /// Required; one line, 1–200 characters.
    #[schema(required, value_type = String, min_length = 1, max_length = 200, example = "on call")]
    pub name: Option<String>,
    /// Required; the sort, which stays: what this server can send to.
    #[serde(rename = "type")]
    #[schema(required, value_type = String, example = "ntfy")]
    pub kind: Option<String>,
    /// Required; the settings of the sort.
    #[schema(required, value_type = Object)]
    pub config: Option<Map<String, Value>>,
    /// Whether it is told anything; yes, if absent.
    pub enabled: Option<bool>,
    /// More than a few new actions within so many seconds become one message; 60, if absent.
    #[schema(minimum = 10, maximum = 3600)]
    pub digest_window_sec: Option<i64>,
    /// Kinds of actions that it hears about, of which one may end with `*`; all, if empty.
    #[schema(max_items = 50)]
    pub kinds: Option<Vec<String>>,
    /// Names of agents that it hears about; all, if empty.
    #[schema(max_items = 50)]
    pub agents: Option<Vec<String>>,
    /// `nchan_…`: another channel that hears about what this one could not deliver.
    pub fallback_id: Option<String>,
}

/// `PATCH /v1/notification-channels/{id}`: what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct UpdateChannel {
    /// One line, 1–200 characters.
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    /// Can't be changed; the same as before is no change.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Settings in the place of those with the same name; null takes one away, what is masked stays.
    #[schema(value_type = Object)]
    pub config: Option<Map<String, Value>>,
    /// Resume or pause.
    pub enabled: Option<bool>,
    /// More than a few new actions within so many seconds become one message.
    #[schema(minimum = 10, maximum = 3600)]
    pub digest_window_sec: Option<i64>,
    /// Kinds of actions that it hears about; all, if empty.
    #[schema(max_items = 50)]
    pub kinds: Option<Vec<String>>,
    /// Names of agents that it hears about; all, if empty.
    #[schema(max_items = 50)]
    pub agents: Option<Vec<String>>,
    /// `nchan_…`, or empty for none.
    pub fallback_id: Option<String>,
}

/// A notification channel.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NotificationChannel {
    /// `nchan_…`.
    pub id: String,
    /// `proj_…`.
    pub project_id: String,
    /// Its name.
    pub name: String,
    /// Its sort.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether it is told anything.
    pub enabled: bool,
    /// More than a few new actions within so many seconds become one message.
    pub digest_window_sec: i32,
    /// Its settings; of the secret ones the last four characters.
    #[schema(value_type = Object)]
    pub config: Map<String, Value>,
    /// Kinds of actions that it hears about; all, if empty.
    pub kinds: Vec<String>,
    /// Names of agents that it hears about; all, if empty.
    pub agents: Vec<String>,
    /// Another channel that hears about what this one could not deliver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_id: Option<String>,
    /// When a message last arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fired_at: Option<i64>,
    /// When one last failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failed_at: Option<i64>,
    /// Failures since a message last arrived. A channel never turns itself off.
    pub fail_count: i32,
    /// The last failure, until a message arrives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// How many messages wait.
    pub pending: i64,
    /// When it was made.
    pub created_at: i64,
    /// When its settings last changed.
    pub updated_at: i64,
}

/// Notification channels.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelList {
    /// Oldest first.
    pub items: Vec<NotificationChannel>,
    /// The same again: some clients read the one name, some the other.
    pub channels: Vec<NotificationChannel>,
}

/// What came of trying a channel.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelTest {
    /// Whether the platform took the message.
    pub ok: bool,
    /// What the platform said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why it did not take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
