//! What can be wrong with a setting, each as one sentence that names it.

use std::path::PathBuf;

/// A setting that is wrong, as one sentence.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// `--public-url` is no origin.
    #[error(
        "IMPRI_PUBLIC_URL (--public-url) is {0:?}, but must be an http or https address without a path, such as \
         https://impri.example.com."
    )]
    PublicUrl(String),
    /// Links would lead nowhere.
    #[error(
        "IMPRI_LISTEN (--listen) names no port, so nobody but the server knows what it is reached at: name its address with \
         IMPRI_PUBLIC_URL (--public-url)."
    )]
    UnknownPort,
    /// `--base-url` is no address.
    #[error(
        "IMPRI_BASE_URL (--base-url) is {0:?}, but must be the http or https address of a server, such as \
         http://127.0.0.1:8484."
    )]
    BaseUrl(String),
    /// The address of a Bot API server has the wrong form.
    #[error(
        "IMPRI_TELEGRAM_API (--telegram-api) is {0:?}, but must be the http or https address of a Bot API server, such as \
         http://127.0.0.1:8081."
    )]
    TelegramApi(String),
    /// The mail server can't be used.
    #[error(transparent)]
    Smtp(#[from] super::SmtpError),
    /// The address of Discord's API has the wrong form.
    #[error(
        "IMPRI_DISCORD_API (--discord-api) is {0:?}, but must be the http or https address that Discord's API is reached at, \
         such as http://127.0.0.1:8082."
    )]
    DiscordApi(String),
    /// The address of a proxy to Slack's API has the wrong form.
    #[error(
        "IMPRI_SLACK_API (--slack-api) is {0:?}, but must be the http or https address of a proxy to Slack's API, such as \
         http://127.0.0.1:8082."
    )]
    SlackApi(String),
    /// There is no key to call the server with.
    #[error(
        "IMPRI_API_KEY is not set: give it the key of an agent, as impri keys create --scope actions prints it."
    )]
    NoApiKey,
    /// What is there is no key; it may be a mistyped one and is not repeated.
    #[error("IMPRI_API_KEY does not look like a key: it must begin with im_ and hold no spaces.")]
    ApiKey,
    /// `--database-url` is no address; the address itself may hold a password and is not repeated.
    #[error("DATABASE_URL (--database-url) can't be read: {0}.")]
    DatabaseUrl(String),
    /// `--log-level` is no level.
    #[error(
        "IMPRI_LOG_LEVEL (--log-level) is {0:?}, but must be error, warn, info, debug or trace, or directives such as \
         warn,impri=debug."
    )]
    LogLevel(String),
    /// `--checkpoint-url` is no address; the address itself may hold a secret and is not repeated.
    #[error(
        "IMPRI_CHECKPOINT_URL (--checkpoint-url) must be an https address, such as https://anchor.example.com/impri; \
         http is for private targets, which IMPRI_ALLOW_PRIVATE_TARGETS allows."
    )]
    CheckpointUrl,
    /// `--rate-limits` has a part that can't be read.
    #[error(
        "IMPRI_RATE_LIMITS (--rate-limits) has {part:?}, but each part must be like propose=6000: one of propose, read, \
         decide, run, manage and export, and requests a minute or off. Or set it to off as a whole."
    )]
    RateLimits {
        /// The part.
        part: String,
    },
    /// There is no place for the data.
    #[error("There is no home directory to keep data in: name a directory with IMPRI_DATA_DIR (--data-dir).")]
    DataDir,
    /// Both ways of giving the password were used.
    #[error("IMPRI_ADMIN_PASSWORD and IMPRI_ADMIN_PASSWORD_FILE are both set: set only one.")]
    TwoAdminPasswords,
    /// An address without a password.
    #[error(
        "IMPRI_ADMIN_EMAIL is set without a password: set IMPRI_ADMIN_PASSWORD_FILE or IMPRI_ADMIN_PASSWORD too."
    )]
    AdminWithoutPassword,
    /// A password without an address.
    #[error("An admin password is set without an address: set IMPRI_ADMIN_EMAIL too.")]
    AdminWithoutEmail,
    /// The password file can't be read.
    #[error("IMPRI_ADMIN_PASSWORD_FILE {path} can't be read: {reason}.")]
    PasswordFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A variable that looks like a setting of ours and is none.
    #[error("{name} is set, but impri has no such setting: did you mean {nearest}?")]
    Unknown {
        /// The variable.
        name: String,
        /// The setting that looks most like it.
        nearest: String,
    },
}
