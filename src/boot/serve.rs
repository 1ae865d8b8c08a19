//! `impri serve`: database, schema, first account, workers, listener; and all of it down again in reverse.

use std::future::Future;
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use axum::serve::ListenerExt as _;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgPool};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use super::router::{RouterSettings, router};
use super::{shutdown, telemetry, workers};
use crate::domain::role::Role;
use crate::server::checkpoint_file::CheckpointFile;
use crate::server::clock::Clock;
use crate::server::config::{Config, DatabaseSource, FirstAdmin};
use crate::server::db::{self, MIGRATOR};
use crate::server::error::is_out_of_reach;
use crate::server::postgres::{ManagedPostgres, PostgresError};
use crate::server::service::{NewPerson, Services};

/// Connections to the database. Waiting agents hold none.
const CONNECTIONS: u32 = 20;
/// How long a database of somebody else's may take to answer at the start.
const DATABASE_PATIENCE: Duration = Duration::from_secs(30);
/// A connection that was idle for longer is tried before it is used.
const TRY_AFTER_IDLE: Duration = Duration::from_secs(2);
/// How long requests and other work in progress get at the end: what runs servers often waits 10 s before it kills them.
const GRACE: Duration = Duration::from_secs(8);
/// Connections that may wait to be accepted: many agents may connect at once after a restart.
const BACKLOG: u32 = 4096;

/// Runs the server until a signal ends it.
///
/// # Errors
/// When it can't start; the sentence says why.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    telemetry::init(&config.log)?;
    raise_file_limit();
    let stop = shutdown::on_signal().context("Listening for signals failed")?;
    let listener = listen(config.listen)?;
    let (managed, options) = match &config.database {
        DatabaseSource::External(url) => (None, url.connect_options()),
        DatabaseSource::Managed(data_dir) => match ManagedPostgres::start(data_dir, &stop).await {
            Err(PostgresError::Interrupted) => return Ok(()),
            started => started.map(|(managed, options)| (Some(managed), options))?,
        },
    };
    let outcome = serve_on(&config, listener, options, stop).await;
    if let Some(managed) = managed {
        managed.stop().await;
    }
    outcome
}

async fn serve_on(
    config: &Config,
    listener: TcpListener,
    options: PgConnectOptions,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let pool = open_database(options).await?;
    let address = listener.local_addr()?;
    let public_url = config.public_url_for(address);
    let vault = config.vault.open().context("The key that seals secrets can't be used")?;
    let services = Services::new(pool.clone(), Clock::System, public_url.as_str())
        .with_vault(vault)
        .with_platforms(config.platforms.clone());
    open_secrets(&services).await?;
    if let Some(admin) = &config.first_admin {
        set_up(&services, admin).await?;
    }
    // … and makes the one that push services know this server by.
    if let Err(error) = services.push_key().await.context("The key for web push can't be read or made")? {
        tracing::warn!("browsers can't be told while they are closed: {error}");
    }
    let checkpoint_file = match &config.checkpoint_file {
        Some(path) => Some(CheckpointFile::open(path).await.with_context(|| {
            format!("IMPRI_CHECKPOINT_FILE (--checkpoint-file) {} can't be read and written", path.display())
        })?),
        None => None,
    };
    let workers = workers::start(&services, config, checkpoint_file, &stop);
    let settings = RouterSettings {
        is_https: public_url.is_https(),
        behind_proxy: config.behind_proxy,
        rates: config.rates.clone(),
        metrics: config.metrics.clone(),
    };
    let app = router(services.clone(), &settings, stop.clone());
    announce(&services, address).await?;

    let listener = listener.tap_io(|stream| {
        // Answers are short; waiting to fill a packet would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection kept its delay");
        }
    });
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, app).with_graceful_shutdown(stop.clone().cancelled_owned());
    let ending = async {
        serving.await?;
        // What platforms were told is being worked on may have come in until now.
        let pressed = services.platforms().tasks();
        pressed.close();
        pressed.wait().await;
        workers.close();
        workers.wait().await;
        Ok(())
    };
    within_grace(ending, &stop).await.context("Serving failed")?;
    // What was cut may hold a connection for as long as it likes.
    if tokio::time::timeout(Duration::from_secs(1), pool.close()).await.is_err() {
        tracing::warn!("the connections to the database were not all closed");
    }
    tracing::info!("stopped");
    Ok(())
}

/// Waits for a server to end: for ever while it runs, for [`GRACE`] once it is told to stop.
async fn within_grace(
    serving: impl Future<Output = std::io::Result<()>>,
    stop: &CancellationToken,
) -> std::io::Result<()> {
    let late = async {
        stop.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        served = serving => served,
        () = late => {
            tracing::warn!("some connections or workers did not end in time and were cut");
            Ok(())
        }
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bind = || -> std::io::Result<TcpListener> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bind().with_context(|| {
        format!("Can't listen on {address}: is another server running there? Choose another with --listen")
    })
}

/// Connects to the database and brings its schema up to date. The database may still be starting, or be restarted
/// in the middle.
async fn open_database(options: PgConnectOptions) -> anyhow::Result<PgPool> {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(Duration::from_secs(5))
        // Trying a connection costs a round trip, which a busy one does not need.
        .test_before_acquire(false)
        .before_acquire(|conn, meta| {
            Box::pin(async move { Ok(meta.idle_for < TRY_AFTER_IDLE || conn.ping().await.is_ok()) })
        })
        .after_connect(|conn, _| Box::pin(db::plan_once(conn)))
        .connect_lazy_with(options);
    let started = tokio::time::Instant::now();
    loop {
        match MIGRATOR.run(&pool).await {
            Ok(()) => return Ok(pool),
            Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _))
                if is_out_of_reach(&error) =>
            {
                if started.elapsed() > DATABASE_PATIENCE {
                    return Err(error)
                        .context("The database can't be reached: check DATABASE_URL and that it runs");
                }
                tracing::info!(%error, "waiting for the database");
            }
            Err(error) => return Err(error).context("The database's schema can't be brought up to date"),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Seals what earlier versions left in the clear, and says what can't be opened. That stops no server: agents read what
/// was decided, old receipts verify, and what takes the secret is refused until it is there again.
async fn open_secrets(services: &Services) -> anyhow::Result<()> {
    let sealed = services.seal_clear_secrets().await.context("The secrets can't be read")?;
    if sealed > 0 {
        tracing::info!("{sealed} secrets that lay in the database in the clear are sealed now");
    }
    let state = services.secrets_state().await.context("The secrets can't be read")?;
    for lost in state.lost {
        tracing::error!("{lost}");
    }
    if let (true, Err(error)) = (state.clear > 0, services.vault().check()) {
        tracing::error!("{} secrets lie in the database in the clear: {error}", state.clear);
    }
    // The first start makes the key that signs receipts; without one nothing can be decided.
    services.receipt_keys().await.context("The key that signs receipts can't be read or made")?;
    Ok(())
}

async fn set_up(services: &Services, admin: &FirstAdmin) -> anyhow::Result<()> {
    if services.is_set_up().await? {
        return Ok(());
    }
    let person = NewPerson {
        name: admin.email.split('@').next().unwrap_or(&admin.email).to_owned(),
        email: admin.email.clone(),
        password: admin.password.expose().to_owned(),
        role: Role::Admin,
    };
    match services.set_up_unattended(person).await {
        Ok(Some(_)) => {
            tracing::info!("the first account was made from the settings");
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(crate::server::error::ServiceError::Invalid(errors)) => {
            let sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow::bail!("The first account can't be made: {}", sentences.join(" "))
        }
        Err(error) => Err(error).context("The first account can't be made"),
    }
}

/// Says what to open, to the person who started the server, whatever is logged.
async fn announce(services: &Services, address: SocketAddr) -> anyhow::Result<()> {
    let url = services.public_url();
    let open = match services.new_setup_link().await? {
        Some(link) => {
            format!("Nobody has an account yet. Open this link once to make the first one:\n\n  {link}\n")
        }
        None => format!("Open {url}/inbox in a browser."),
    };
    // Whoever started the server may have stopped listening to it; that is no reason not to serve.
    let _ = writeln!(std::io::stdout(), "Impri listens on {address}.\n{open}");
    Ok(())
}

/// Each waiting agent holds a connection, and a connection is an open file.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
    if let Err(error) = raised {
        tracing::debug!(%error, "the limit of open files stays as it was");
    }
}
