//! What people did, carried out after it was acknowledged: a decision, a link between accounts, and what they are told.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::Discord;
use super::api::answer;
use super::form::escape;
use super::interaction::{ALONE, Act, Interaction, LINK};
use crate::domain::channel::ChannelKind;
use crate::server::db::channels::StoredChannel;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::platform::{Failure, Platform as _};
use crate::server::service::Services;
use crate::server::service::chat::Press;
use crate::server::text::reveal_text;

/// Before an answer is sent again that came before Discord knew what it belongs to.
const ANSWER_AGAIN: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// Longest text of an answer, with its escapes.
const ANSWER_MAX: usize = 900;

/// Carries out what somebody did in one of these channels, and tells them alone what came of it.
pub(super) async fn finish(services: &Services, channels: &[StoredChannel], interaction: &Interaction) {
    let (text, may_link) = match &interaction.act {
        Act::Ping | Act::AskCode => return,
        Act::Other => ("This does nothing here.".to_owned(), false),
        Act::Code(code) => (link(services, interaction, code).await, false),
        Act::Press(_) | Act::Reason(..) => decide(services, channels, interaction).await,
    };
    whisper(services, interaction, &text, may_link).await;
}

/// Tells whoever did something that it can't be seen to now.
pub(super) async fn fail(services: &Services, interaction: &Interaction) {
    let text = "That did not work, and nothing was decided. Press again, or open the card.";
    whisper(services, interaction, text, false).await;
}

/// Says something that only they see, with a button that links their account where that would help.
async fn whisper(services: &Services, interaction: &Interaction, text: &str, may_link: bool) {
    let text: String = escape(&text.chars().take(ANSWER_MAX).collect::<String>());
    let button = json!({"type": 2, "style": 1, "label": "Link my account", "custom_id": LINK});
    let rows = if may_link { json!([{"type": 1, "components": [button]}]) } else { json!([]) };
    let said =
        json!({"content": text, "components": rows, "flags": ALONE, "allowed_mentions": {"parse": []}});
    if let Err(failure) = tell(services, interaction, &said).await {
        tracing::warn!(reason = failure.reason, "Discord did not take an answer");
    }
}

/// Puts the answer where Discord shows that one is on its way
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#edit-original-interaction-response>).
async fn tell(services: &Services, interaction: &Interaction, said: &Value) -> Result<(), Failure> {
    let path = format!("/webhooks/{}/{}/messages/@original", interaction.application, interaction.token);
    let mut pauses = ANSWER_AGAIN.into_iter();
    loop {
        match answer(services.platforms(), Method::PATCH, &path, said).await {
            Ok(_) => return Ok(()),
            // The acknowledgement is still on its way, or Discord is busy.
            Err(failure) if matches!(failure.status, Some(404 | 429 | 500..)) => match pauses.next() {
                Some(pause) => sleep(pause).await,
                None => return Err(failure),
            },
            Err(failure) => return Err(failure),
        }
    }
}

/// Decides as a button or a form says. Says what came of it, and whether linking an account would help.
async fn decide(
    services: &Services,
    channels: &[StoredChannel],
    interaction: &Interaction,
) -> (String, bool) {
    let mut outcome = Press::Refused("This button is not valid. Nothing was decided.".to_owned());
    let mut here = None;
    // Several channels of one bot may speak in one channel of Discord's; the button says which of them it belongs to.
    for channel in channels.iter().filter(|channel| is_of(channel, interaction)) {
        here = Some(channel);
        outcome = press(services, channel, interaction).await.unwrap_or_else(|error| {
            error.log();
            Press::Refused(
                "That did not work, and nothing was decided. Press again, or open the card.".to_owned(),
            )
        });
        if !matches!(&outcome, Press::Refused(_) | Press::Stranger(_)) {
            break;
        }
    }
    // A copy that nobody knows of is made true here; the others are by the outbox.
    let stray = match (&outcome, here) {
        (Press::Over(_, now), Some(_)) => Some((**now).clone()),
        (Press::Decided(_, action), Some(channel)) => {
            services.stray_copy(channel, *action, &interaction.message).await
        }
        _ => None,
    };
    if let (Some(now), Some(channel)) = (stray, here)
        && let Ok(config) = services.open_config(channel)
        && let Err(failure) =
            Discord::new(&config, services.platforms()).edit(&interaction.message, &now).await
    {
        tracing::debug!(reason = failure.reason, "a message in Discord stays as it is");
    }
    (outcome.sentence().to_owned(), matches!(outcome, Press::Stranger(_)))
}

/// Whether a channel speaks where something was pressed, as the application that it was pressed in.
fn is_of(channel: &StoredChannel, interaction: &Interaction) -> bool {
    let text = |name: &str| channel.config.get(name).and_then(Value::as_str).unwrap_or_default();
    let application = text("application_id");
    text("channel_id") == interaction.channel
        && (application.is_empty() || application == interaction.application)
}

async fn press(
    services: &Services,
    channel: &StoredChannel,
    interaction: &Interaction,
) -> ServiceResult<Press> {
    let user = &interaction.user;
    match &interaction.act {
        Act::Reason(pressed, reason) => services.reject_because(channel, user, pressed, reason).await,
        Act::Press(pressed) => services.press(channel, user, pressed).await,
        _ => Err(ServiceError::NotFound),
    }
}

/// Links the account of whoever sent a code.
async fn link(services: &Services, interaction: &Interaction, code: &str) -> String {
    match services.link_chat(ChannelKind::Discord, &interaction.user, code).await {
        Ok(Some(member)) => format!(
            "{} stands for {} ({}) from now on. If that is not you, say so to an administrator. Press the button of the card \
             once more to decide.",
            reveal_text(&interaction.user.name),
            reveal_text(&member.name),
            member.email
        ),
        Ok(None) => "This code is not good: it was used, is older than 10 minutes, or has a mistake. Nothing was linked."
            .to_owned(),
        Err(error) => {
            error.log();
            "That did not work, and nothing was linked. Send the code again.".to_owned()
        }
    }
}
