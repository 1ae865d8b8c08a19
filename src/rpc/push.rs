//! The devices that one is told on while the browser is closed.

use leptos::prelude::*;

use crate::wire::error::UiError;

/// Has this browser told. It says by itself how it is reached; `hides` is a tick, absent for off.
///
/// # Errors
/// If that is no subscription that this server may write to.
#[server(prefix = "/rpc", endpoint = "add_push_device")]
pub async fn add_push_device(
    #[server(default)] endpoint: String,
    #[server(default)] p256dh: String,
    #[server(default)] auth: String,
    #[server(default)] hides: Option<String>,
) -> Result<(), UiError> {
    use crate::server::door;
    let sent = door::SentSubscription { endpoint, p256dh, auth };
    let name = door::device_name();
    let add = |services: door::Services, me| async move {
        services.add_push_device(&me, &sent, hides.is_some(), &name).await
    };
    door::Form::Pressed.run(door::after("/account", "device"), add).await
}

/// Says whether a device shows what waits, or only that something does. `hides` is a tick, absent for off.
///
/// # Errors
/// If it is not one's own.
#[server(prefix = "/rpc", endpoint = "save_push_device")]
pub async fn save_push_device(id: String, #[server(default)] hides: Option<String>) -> Result<(), UiError> {
    use crate::server::door;
    let save = |services: door::Services, me| async move {
        services.hide_push_content(&me, &id, hides.is_some()).await
    };
    door::Form::Pressed.run(door::after("/account", "device-saved"), save).await
}

/// Has a device show that it works.
///
/// # Errors
/// If it is not one's own, or its push service did not take the test.
#[server(prefix = "/rpc", endpoint = "test_push_device")]
pub async fn test_push_device(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let test = |services: door::Services, me| async move { services.test_push_device(&me, &id).await };
    door::Form::Pressed.run(door::after("/account", "device-tested"), test).await
}

/// Has a device told nothing any more.
///
/// # Errors
/// If it is not one's own.
#[server(prefix = "/rpc", endpoint = "remove_push_device")]
pub async fn remove_push_device(id: String) -> Result<(), UiError> {
    use crate::server::door;
    let remove = |services: door::Services, me| async move { services.remove_push_device(&me, &id).await };
    door::Form::Pressed.run(door::after("/account", "device-removed"), remove).await
}
