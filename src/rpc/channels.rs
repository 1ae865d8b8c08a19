//! Channels, and the accounts on chat platforms that stand for people.

use leptos::prelude::*;

use crate::wire::channels::{ChannelsView, SettingTexts};
use crate::wire::error::UiError;

/// Every channel, for an administrator. What came of trying one just before is shown this once.
///
/// # Errors
/// Without a session or the role.
#[server(prefix = "/rpc", endpoint = "load_channels")]
pub async fn load_channels() -> Result<ChannelsView, UiError> {
    use crate::server::door;
    let reviewer = door::reviewer().await?;
    door::finish(door::services()?.channels_page(&reviewer, door::shown_test().await).await)
}

/// Makes a channel. `settings` are those of its sort by their names.
///
/// # Errors
/// Without the role; if a field breaks a rule.
#[server(prefix = "/rpc", endpoint = "create_channel")]
pub async fn create_channel(
    kind: String,
    name: String,
    #[server(default)] settings: SettingTexts,
    #[server(default)] kinds: String,
    #[server(default)] agents: String,
    #[server(default)] window: String,
    #[server(default)] fallback: String,
) -> Result<(), UiError> {
    use crate::server::door;
    let page = door::after_new_channel(&kind);
    let form = door::ChannelForm { kind, name, settings, kinds, agents, window, fallback };
    let make =
        |services: door::Services, me| async move { services.make_channel(&me, form).await.map(|_| ()) };
    door::Form::Typed.run(page, make).await
}

/// Changes a channel. Secrets that are left empty stay.
///
/// # Errors
/// Without the role; if there is no such channel or a field breaks a rule.
#[server(prefix = "/rpc", endpoint = "update_channel")]
pub async fn update_channel(
    id: String,
    name: String,
    #[server(default)] settings: SettingTexts,
    #[server(default)] kinds: String,
    #[server(default)] agents: String,
    #[server(default)] window: String,
    #[server(default)] fallback: String,
) -> Result<(), UiError> {
    use crate::server::door;
    let kind = String::new();
    let form = door::ChannelForm { kind, name, settings, kinds, agents, window, fallback };
    let save = |services: door::Services, me| async move { services.save_channel(&me, &id, form).await };
    door::Form::Typed.run(door::after("/channels", "saved"), save).await
}

/// Pauses a channel, or resumes it with `on`.
///
/// # Errors
/// Without the role; if there is no such channel.
#[server(prefix = "/rpc", endpoint = "switch_channel")]
pub async fn switch_channel(id: String, #[server(default)] on: Option<String>) -> Result<(), UiError> {
    use crate::server::door;
    let done = if on.is_some() { "resumed" } else { "paused" };
    let switch =
        |services: door::Services, me| async move { services.switch_channel(&me, &id, on.is_some()).await };
    door::Form::Pressed.run(door::after("/channels", done), switch).await
}

/// Deletes a channel.
///
/// # Errors
/// Without the role; if there is no such channel.
#[server(prefix = "/rpc", endpoint = "delete_channel")]
pub async fn delete_channel(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let delete = |services: door::Services, me| async move { services.remove_channel(&me, &id).await };
    door::Form::Pressed.run(door::after("/channels", "deleted"), delete).await
}

/// Has a channel say that it works; the page shows what came of it.
///
/// # Errors
/// Without the role; if there is no such channel.
#[server(prefix = "/rpc", endpoint = "test_channel")]
pub async fn test_channel(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let test = |services: door::Services, me| async move {
        let tested = services.try_channel(&me, &id).await?;
        door::keep_test(id, tested.ok, tested.answer).await
    };
    door::Form::Pressed.run(door::after("/channels", "tested"), test).await
}

/// Makes a code that links an account on a chat platform to oneself.
///
/// # Errors
/// Without a session; if accounts are not linked on that platform.
#[server(prefix = "/rpc", endpoint = "make_chat_code")]
pub async fn make_chat_code(platform: String) -> Result<(), UiError> {
    use crate::server::door;
    let make = |services: door::Services, me| async move {
        let code = services.start_linking(&me, &platform).await?;
        door::keep_shown(door::Shown::ChatCode, platform, code).await
    };
    door::Form::Pressed.run(door::after("/account", "code"), make).await
}

/// Ends that an account on a chat platform stands for oneself.
///
/// # Errors
/// If it does not.
#[server(prefix = "/rpc", endpoint = "unlink_chat")]
pub async fn unlink_chat(platform: String, user: String) -> Result<(), UiError> {
    use crate::server::door;
    let unlink =
        |services: door::Services, me| async move { services.unlink_chat(&me, &platform, &user).await };
    door::Form::Pressed.run(door::after("/account", "unlinked"), unlink).await
}
