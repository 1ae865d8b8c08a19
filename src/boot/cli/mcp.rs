//! The flags and variables of `impri mcp`.

use clap::Args;

use crate::server::config::{BaseUrl, ConfigError, LogFormat, LogSettings, Secret, parse_log_filter};

/// The settings of the tools for an agent's host.
#[derive(Debug, Args)]
#[command(
    after_help = "The host starts this program and speaks to it on stdin and stdout; logs go to stderr. In most \
                        hosts' settings:\n\n  {\"mcpServers\": {\"impri\": {\"command\": \"impri\", \"args\": [\"mcp\"], \
                        \"env\": {\"IMPRI_API_KEY\": \"im_…\"}}}}\n\nHosts that reach the server over the network need \
                        no program beside them: the same tools are at /mcp of the server, with the key as Authorization: \
                        Bearer im_…"
)]
pub struct McpArgs {
    /// The agent's key, as `impri keys create --scope actions` prints it; others on this machine can read a flag, so
    /// use the variable
    #[arg(long, env = "IMPRI_API_KEY", value_name = "KEY", hide_env_values = true)]
    pub api_key: Option<String>,

    /// Where the server is
    #[arg(long, env = "IMPRI_BASE_URL", value_name = "URL", default_value = "http://127.0.0.1:8484")]
    pub base_url: String,

    /// Log events from this level up to stderr: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub log_level: String,
}

/// The same, checked.
#[derive(Debug)]
pub struct McpSettings {
    /// The agent's key.
    pub key: Secret,
    /// Where the server is.
    pub base: BaseUrl,
    /// What to log.
    pub log: LogSettings,
}

impl McpArgs {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// The first one that is wrong.
    pub fn into_settings(self) -> Result<McpSettings, ConfigError> {
        let key = self.api_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let key = key.ok_or(ConfigError::NoApiKey)?;
        if !key.starts_with("im_") || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ConfigError::ApiKey);
        }
        Ok(McpSettings {
            key: Secret::new(key),
            base: BaseUrl::parse(&self.base_url)?,
            log: LogSettings { filter: parse_log_filter(&self.log_level)?, format: LogFormat::Text },
        })
    }
}
