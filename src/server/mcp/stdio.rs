//! The tools for a host that starts this program beside itself: requests on stdin, answers on stdout, nothing else.

use axum::http::HeaderValue;
use rmcp::service::{ServerInitializeError, ServiceExt as _};

use super::client::Client;
use super::handler::Handler;
use super::road::Road;
use crate::server::config::{BaseUrl, Secret};

/// Why the host could not be served.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The HTTP client can't be made.
    #[error("The HTTP client can't be set up: {0}")]
    Http(#[from] reqwest::Error),
    /// The key can't be sent.
    #[error("IMPRI_API_KEY holds characters that no key has.")]
    Key,
    /// What came first on stdin is not MCP.
    #[error(
        "What is on stdin is not the Model Context Protocol: {0}. An MCP host starts this; it is no shell command."
    )]
    Handshake(String),
    /// A fault of this program.
    #[error("Serving ended unexpectedly: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Serves a host until it closes stdin. The server need not be there yet: calls say so while it is not.
///
/// # Errors
/// When the host does not speak MCP.
pub async fn serve(base: BaseUrl, key: &Secret) -> Result<(), StdioError> {
    let authorization =
        HeaderValue::try_from(format!("Bearer {}", key.expose())).map_err(|_| StdioError::Key)?;
    let client = Client::new(Road::to(base)?, authorization);
    match Handler::own(client).serve(rmcp::transport::io::stdio()).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A host that leaves before it said anything, as when it only looks whether the program starts.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StdioError::Handshake(error.to_string())),
    }
}
