//! The API's description.

use leptos::prelude::*;

use crate::wire::docs::DocsView;
use crate::wire::error::UiError;

/// The description; open to everybody, as the API's own is.
///
/// # Errors
/// Never in a request that came through the router.
#[server(prefix = "/rpc", endpoint = "load_docs")]
pub async fn load_docs() -> Result<DocsView, UiError> {
    use crate::server::door;
    door::docs()
}
