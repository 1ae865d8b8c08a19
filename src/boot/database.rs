//! The database of the commands that are not the server.
//!
//! Owns the choice between an operator's database, the managed one of a server that runs, and starting the managed
//! one for a moment. Must not know what the commands do, or the schema.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, anyhow, bail};
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::cli::DatabaseArgs;
use crate::server::{
    config::DatabaseSource,
    postgres::{self, DataDirLock, Holder, LockAttempt, ManagedPostgres},
};

/// How long a command waits for a database that another process is starting or stopping.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open database. [`Self::close`] must be called when done, on every path: it stops what was started.
#[derive(Debug)]
#[must_use = "a database that was started for this command must be closed"]
pub struct OpenDatabase {
    /// The connections.
    pub pool: PgPool,
    managed: Option<ManagedPostgres>,
}

impl OpenDatabase {
    /// Closes the connections, and stops the database if it was started for this command.
    pub async fn close(self) {
        self.pool.close().await;
        if let Some(managed) = self.managed {
            managed.stop().await;
        }
    }
}

/// Opens the database that the flags and the environment name.
///
/// # Errors
///
/// When it can't be reached, or there is no managed database yet.
pub async fn open_database(args: &DatabaseArgs) -> anyhow::Result<OpenDatabase> {
    match args.source()? {
        DatabaseSource::External(url) => {
            let pool = connect(url.connect_options()).await.context("The database can't be reached")?;
            Ok(OpenDatabase { pool, managed: None })
        }
        DatabaseSource::Managed(data_dir) => open_managed(&data_dir).await,
    }
}

async fn open_managed(data_dir: &Path) -> anyhow::Result<OpenDatabase> {
    let started = Instant::now();
    loop {
        // A command creates no cluster: with a misspelt --data-dir it would work on an empty one.
        if !data_dir.is_dir() {
            bail!(no_database(data_dir));
        }
        let failure = match DataDirLock::try_acquire(data_dir, Holder::Command)? {
            LockAttempt::Acquired(lock) => {
                if !postgres::exists(data_dir)? {
                    bail!(no_database(data_dir));
                }
                return start(lock).await;
            }
            LockAttempt::HeldBy { .. } => match postgres::running(data_dir)? {
                None => None,
                Some(options) => match connect(options).await {
                    Ok(pool) => return Ok(OpenDatabase { pool, managed: None }),
                    // It may be on its way down or up.
                    Err(error) => Some(error),
                },
            },
        };
        if started.elapsed() > PATIENCE {
            let error = failure.map_or_else(|| anyhow!("it is still starting"), anyhow::Error::new);
            return Err(error.context(format!("The database in {} is not ready", data_dir.display())));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

async fn start(lock: DataDirLock) -> anyhow::Result<OpenDatabase> {
    let (managed, options) = ManagedPostgres::start_locked(lock, &CancellationToken::new()).await?;
    match connect(options).await {
        Ok(pool) => Ok(OpenDatabase { pool, managed: Some(managed) }),
        Err(error) => {
            managed.stop().await;
            Err(error).context("The database can't be reached")
        }
    }
}

async fn connect(options: PgConnectOptions) -> Result<PgPool, sqlx::Error> {
    PgPoolOptions::new()
        .max_connections(2)
        .acquire_timeout(Duration::from_secs(5))
        .connect_with(options)
        .await
}

fn no_database(data_dir: &Path) -> String {
    format!(
        "There is no database in {}: run impri serve once, or name the right place with --data-dir or --database-url.",
        data_dir.display()
    )
}
