//! The managed local PostgreSQL: a database without set-up (decision D11).
//!
//! Owns one cluster in the data directory and its process: found, created, started, restarted and stopped here.
//! It listens on a Unix socket only. Must not know the schema, or what the database is used for.
//!
//! The invariant: whoever holds the [`DataDirLock`] owns the cluster; nobody else starts, stops or clears it.

mod cluster;
mod error;
mod find;
mod lock;
mod log;
mod owner;
mod postmaster;
mod supervise;

use std::path::Path;

use nix::sys::signal::Signal;
use sqlx::{
    ConnectOptions as _, Postgres,
    migrate::MigrateDatabase as _,
    postgres::{PgConnectOptions, PgSslMode},
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::{
    cluster::{Cluster, NAME},
    postmaster::Postmaster,
    supervise::{Launch, supervise},
};
pub use self::{
    error::PostgresError,
    lock::{DataDirLock, Holder, LockAttempt},
};

/// A database of our own that is running; it is kept running until [`Self::stop`].
///
/// Dropping it tells the database to end, but does not wait: good enough on the way out of an error.
#[derive(Debug)]
#[must_use = "the database ends with this value"]
pub struct ManagedPostgres {
    shutdown: CancellationToken,
    supervisor: JoinHandle<()>,
}

impl ManagedPostgres {
    /// Starts the database of a server in `data_dir`, which it creates when there is none, and keeps it running.
    ///
    /// `interrupt` ends a start that takes long, and means nothing afterwards: the database outlives the signal to
    /// shut down, until everything that uses it has finished.
    ///
    /// # Errors
    ///
    /// When another process owns the directory, or the database can't be found, created or started.
    pub async fn start(
        data_dir: &Path,
        interrupt: &CancellationToken,
    ) -> Result<(Self, PgConnectOptions), PostgresError> {
        let data_dir = cluster::claim_data_dir(data_dir)?;
        let lock = DataDirLock::acquire_for_server(&data_dir).await?;
        Self::start_locked(lock, interrupt).await
    }

    /// Starts the database of a data directory that the caller has locked already.
    ///
    /// # Errors
    ///
    /// When the database can't be found, created or started.
    pub async fn start_locked(
        lock: DataDirLock,
        interrupt: &CancellationToken,
    ) -> Result<(Self, PgConnectOptions), PostgresError> {
        let cluster = Cluster::new(lock.data_dir());
        let made_by = cluster.made_by()?;
        let programs = find::programs(&cluster.dir, made_by).await?;
        let owner = cluster.owner()?;
        cluster.claim(&owner)?;
        cluster.check_access(&owner, &programs).await?;
        if made_by.is_none() {
            cluster.create(&owner, &programs, interrupt).await?;
        }
        cluster.write_access()?;
        let socket_dir = cluster.claim_socket_dir(&owner)?;
        let options = connect_options(&socket_dir, cluster::PORT);
        let signals = stop_signals(lock.holder());

        let launch = Launch { cluster, owner, programs, socket_dir };
        let mut running = launch.start(interrupt).await?;
        if let Err(reason) = ensure_database(&options).await {
            running.stop(signals).await;
            return Err(PostgresError::Connect { cluster: launch.cluster.dir, reason });
        }
        tracing::info!(
            postgres.major = launch.programs.major,
            user = launch.owner.name,
            cluster = %launch.cluster.dir.display(),
            "the database is ready"
        );
        let shutdown = CancellationToken::new();
        let supervisor = tokio::spawn({
            let shutdown = shutdown.clone();
            async move {
                supervise(launch, running, shutdown, signals).await;
                // Only now may somebody else start on this directory.
                drop(lock);
            }
        });
        Ok((Self { shutdown, supervisor }, options))
    }

    /// Stops the database and waits until it has ended.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        if let Err(error) = (&mut self.supervisor).await {
            tracing::error!(%error, "the supervisor of the database failed");
        }
    }
}

impl Drop for ManagedPostgres {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// Whether `data_dir` holds a cluster.
///
/// # Errors
///
/// When that can't be read.
pub fn exists(data_dir: &Path) -> Result<bool, PostgresError> {
    Ok(Cluster::new(data_dir).made_by()?.is_some())
}

/// How to connect to the database in `data_dir` that another process runs; `None` while it is not ready.
///
/// # Errors
///
/// When its state can't be read.
pub fn running(data_dir: &Path) -> Result<Option<PgConnectOptions>, PostgresError> {
    let postmaster = Postmaster::read(&Cluster::new(data_dir).dir)?.filter(|postmaster| postmaster.is_ready);
    Ok(postmaster.and_then(|postmaster| Some(connect_options(&postmaster.socket_dir?, postmaster.port))))
}

/// A server's sessions are its own, so they end with it; a command's database may have other commands in it, which
/// a smart shutdown lets finish.
const fn stop_signals(holder: Holder) -> &'static [Signal] {
    match holder {
        Holder::Server => &[Signal::SIGINT, Signal::SIGQUIT],
        Holder::Command => &[Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT],
    }
}

fn connect_options(socket_dir: &Path, port: u16) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(socket_dir)
        .port(port)
        .username(NAME)
        .database(NAME)
        .application_name(NAME)
        // A socket has no TLS, whatever PGSSLMODE asks for.
        .ssl_mode(PgSslMode::Disable)
}

async fn ensure_database(options: &PgConnectOptions) -> Result<(), sqlx::Error> {
    // The kernel vouches for us and no password is asked for; with one given, the driver doesn't look for a
    // .pgpass and warn about it.
    let url = options.clone().password("none").to_url_lossy();
    if !Postgres::database_exists(url.as_str()).await? {
        Postgres::create_database(url.as_str()).await?;
    }
    Ok(())
}
