//! Browser sessions in the table of our own migrations.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tower_sessions::ExpiredDeletion as _;
use tower_sessions_sqlx_store::PostgresStore;

use crate::server::service::Services;

/// Ended sessions are deleted this often.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// The store that the session layer reads and writes.
///
/// # Panics
/// Never: the names are identifiers.
pub fn store(pool: &PgPool) -> PostgresStore {
    #[expect(clippy::expect_used, reason = "both names are identifiers")]
    PostgresStore::new(pool.clone())
        .with_schema_name("public")
        .and_then(|store| store.with_table_name("session"))
        .expect("valid identifiers")
}

/// Deletes ended sessions until `stop` is cancelled.
pub async fn tidy(services: &Services, stop: &CancellationToken) {
    let store = store(services.pool());
    while !stop.is_cancelled() {
        if let Err(error) = store.delete_expired().await {
            tracing::warn!(%error, "ended sessions could not be deleted");
        }
        if let Err(error) = services.tidy_sessions().await {
            tracing::warn!(%error, "ended sessions could not be forgotten");
        }
        tokio::select! {
            () = tokio::time::sleep(TIDY_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}
