//! `impri channels doctor`: whether every channel works, as far as this shell can tell.
//!
//! A server has settings that a shell beside it may lack: its mail server, its key, what it may connect to. What fails for
//! want of one of these says nothing about the channel, so it is never called broken.

use std::fmt;
use std::io::{self, Write as _};

use anyhow::bail;

use super::keys::printable;
use crate::domain::channel::ChannelKind;
use crate::server::db::channels::StoredChannel;
use crate::server::notify::platform::{Failure, Remedy};
use crate::server::notify::{PlatformSettings, notice};
use crate::server::secrets::SecretError;
use crate::server::service::{SeenChannel, Services};

/// How a look at a channel ended.
enum Finding {
    Works(String),
    Unknown(String),
    Broken(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Works(_) => "ok",
            Self::Unknown(_) => "unknown",
            Self::Broken(_) => "broken",
        })
    }
}

/// Looks at all channels and says what it finds; false if this shell can't tell of one.
pub(super) async fn look(
    services: &Services,
    settings: &PlatformSettings,
    channels: &[SeenChannel],
) -> anyhow::Result<bool> {
    // Not `println`, which panics when the reader has gone.
    let mut out = io::stdout();
    if channels.is_empty() {
        writeln!(out, "There are no channels: people hear of actions in the inbox only.")?;
    }
    let (mut broken, mut unknown) = (0, 0);
    for channel in channels {
        let stored = &channel.stored;
        let finding = examine(services, settings, stored).await;
        let state = if stored.enabled { "" } else { " (paused)" };
        let is_twin = channels.iter().filter(|other| other.stored.name == stored.name).count() > 1;
        let id = if is_twin { format!(" {}", stored.id) } else { String::new() };
        let (Finding::Works(said) | Finding::Unknown(said) | Finding::Broken(said)) = &finding;
        // A platform may answer anything.
        let (name, said) = (printable(&stored.name), printable(said));
        writeln!(out, "{finding:<8}{} “{name}”{id}{state}: {said}", stored.kind.label())?;
        match finding {
            Finding::Works(_) => {}
            Finding::Unknown(_) => unknown += 1,
            Finding::Broken(_) => broken += 1,
        }
        if let Some(error) = &stored.health.error {
            writeln!(out, "        last failure of the server: {}", printable(error))?;
        }
    }
    let all = channels.len();
    if broken > 0 {
        bail!("{broken} of {all} channels do not work");
    }
    if unknown > 0 {
        writeln!(out, "This shell can't tell of {unknown} of {all} channels.")?;
    }
    Ok(unknown == 0)
}

async fn examine(services: &Services, settings: &PlatformSettings, channel: &StoredChannel) -> Finding {
    if let Some(lack) = lack(services, channel) {
        return Finding::Unknown(lack);
    }
    let looked = match notice::open(services, channel) {
        Ok(platform) => platform.check().await,
        Err(failure) => Err(failure),
    };
    match looked {
        Ok(found) => Finding::Works(found),
        Err(failure) if failure.is_blocked() && !settings.policy.allow_private_targets => {
            Finding::Unknown(format!(
                "its address is not public, and {}",
                may_have("IMPRI_ALLOW_PRIVATE_TARGETS", "--allow-private-targets")
            ))
        }
        Err(failure) => match elsewhere(settings, channel.kind, &failure) {
            Some(hint) if uses_api(services, channel) => {
                Finding::Unknown(format!("{}; {hint}", failure.reason))
            }
            _ => Finding::Broken(failure.reason),
        },
    }
}

/// The setting without which this shell can't even try a channel, if there is one, as a sentence that says what to do.
pub(super) fn lack(services: &Services, channel: &StoredChannel) -> Option<String> {
    let has_no_key =
        matches!(services.open_config(channel), Err(SecretError::NoKey(_) | SecretError::UnknownKey(_)));
    if has_no_key {
        return Some(
            "this shell does not have the key that its secrets are sealed with; the server may have it: give \
             IMPRI_SECRET_KEY here, too, or the server's --data-dir"
                .to_owned(),
        );
    }
    services.platforms().lacks(channel.kind).map(|_| {
        may_have("IMPRI_SMTP_HOST", "--smtp-host, --smtp-from and the server's other IMPRI_SMTP_ settings")
    })
}

/// What to say where nobody answered at a platform's own address, which the server may not use.
fn elsewhere(settings: &PlatformSettings, kind: ChannelKind, failure: &Failure) -> Option<String> {
    let (given, variable, flag) = match kind {
        ChannelKind::Telegram => (&settings.telegram_api, "IMPRI_TELEGRAM_API", "--telegram-api"),
        ChannelKind::Discord => (&settings.discord_api, "IMPRI_DISCORD_API", "--discord-api"),
        ChannelKind::Slack => (&settings.slack_api, "IMPRI_SLACK_API", "--slack-api"),
        ChannelKind::Email | ChannelKind::Ntfy | ChannelKind::Webhook => return None,
    };
    let is_silence = failure.status.is_none() && failure.remedy == Remedy::Again;
    (is_silence && given.is_none()).then(|| may_have(variable, flag))
}

/// Whether a channel is reached through its platform's API, and not at an address of its own.
fn uses_api(services: &Services, channel: &StoredChannel) -> bool {
    services.open_config(channel).is_ok_and(|config| !config.text("bot_token").is_empty())
}

fn may_have(variable: &str, flag: &str) -> String {
    format!(
        "this shell has no {variable}; the server may have it: give it here, too, with the variable or {flag}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_at_a_platforms_own_address_is_laid_on_the_shell_only_where_the_server_may_go_elsewhere() {
        let silence = Failure::again(None, "no connection");
        let bare = PlatformSettings::default();
        for (kind, variable) in [
            (ChannelKind::Telegram, "IMPRI_TELEGRAM_API"),
            (ChannelKind::Discord, "IMPRI_DISCORD_API"),
            (ChannelKind::Slack, "IMPRI_SLACK_API"),
        ] {
            let hint = elsewhere(&bare, kind, &silence).expect("a hint");
            assert!(hint.contains(variable) && hint.contains("the server may have it"), "{hint}");
            for answer in [Failure::never(Some(401), "no"), Failure::again(Some(502), "later")] {
                assert_eq!(elsewhere(&bare, kind, &answer), None, "the platform answered");
            }
            let given = || Some("http://127.0.0.1:8081".to_owned());
            let directed = PlatformSettings {
                telegram_api: given(),
                discord_api: given(),
                slack_api: given(),
                ..PlatformSettings::default()
            };
            assert_eq!(elsewhere(&directed, kind, &silence), None, "this shell was told where");
        }
        for kind in [ChannelKind::Email, ChannelKind::Ntfy, ChannelKind::Webhook] {
            assert_eq!(elsewhere(&bare, kind, &silence), None);
        }
    }
}
