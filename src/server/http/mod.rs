//! The doors that speak HTTP without pages: the agent API, the browser's event stream, health, and static files.

pub mod assets;
pub mod body;
pub mod caller;
pub mod events;
pub mod health;
pub mod history;
pub mod history_file;
pub mod limit;
pub mod measured;
pub mod observe;
pub mod paged;
pub mod problem;
pub mod v1;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use self::limit::Limits;
use crate::server::service::Services;

/// What every handler may use.
#[derive(Clone)]
pub struct HttpState {
    /// The use cases.
    pub services: Services,
    /// Cancelled when the server stops: parked requests answer then.
    pub stop: CancellationToken,
    /// How much a key may ask.
    pub limits: Arc<Limits>,
}
