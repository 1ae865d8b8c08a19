//! Starting and stopping a server on a thread of its own.

use std::{net::SocketAddr, sync::mpsc, time::Duration};

use impri::{
    boot::router::{RouterSettings, router},
    server::{
        clock::Clock,
        live::{self, Patience},
        notify::{OutboundPolicy, PlatformSettings},
        secrets::Vault,
        service::Services,
    },
};
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::{net::TcpListener, runtime::Handle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{PATIENCE, RENDERING, Settings, TestApp, eventually};

/// What every server of the tests seals secrets with.
pub(crate) const VAULT_KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

impl TestApp {
    pub(super) fn run(db: &PgPool, clock: Clock, settings: Settings) -> Self {
        let options = PgConnectOptions::clone(&db.connect_options());
        let stop = CancellationToken::new();
        let (tell, told) = mpsc::channel();
        let (its_stop, its_clock) = (stop.clone(), clock.clone());
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(serve(options, its_clock, settings, its_stop, tell));
        });
        let (url, services, runtime) = told.recv_timeout(PATIENCE).expect("the server starts");
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .expect("a client");
        Self { url, clock, db: db.clone(), house: None, services, runtime, stop, thread: Some(thread), http }
    }
}

async fn serve(
    options: PgConnectOptions,
    clock: Clock,
    settings: Settings,
    stop: CancellationToken,
    tell: mpsc::Sender<(String, Services, Handle)>,
) {
    let pool = PgPoolOptions::new()
        .max_connections(8)
        .acquire_timeout(PATIENCE)
        .connect_with(options.application_name("impri"))
        .await
        .expect("the database of the test");
    let listen = settings.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = TcpListener::bind(listen).await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let public_url = settings.public_url.unwrap_or_else(|| url.clone());
    let vault = Vault::from_setting(VAULT_KEY).expect("a key");
    let platforms = PlatformSettings {
        policy: OutboundPolicy { allow_private_targets: true },
        ..PlatformSettings::default()
    };
    let services =
        Services::new(pool.clone(), clock, &public_url).with_vault(vault).with_platforms(platforms);
    let is_https = public_url.starts_with("https:");
    let router = {
        let _alone = RENDERING.write().await;
        let settings = RouterSettings {
            is_https,
            behind_proxy: settings.behind_proxy,
            rates: settings.rates,
            metrics: settings.metrics,
        };
        router(services.clone(), &settings, stop.clone())
    };

    let workers = TaskTracker::new();
    let (all, token) = (services.clone(), stop.clone());
    workers.spawn(async move { live::run(all.live(), all.pool(), Patience::default(), &token).await });
    let (all, token) = (services.clone(), stop.clone());
    workers.spawn(async move { all.run_expiry(&token).await });
    eventually("the server hears the others", async || services.live().is_linked()).await;
    tell.send((url, services, Handle::current())).expect("the test waits for it");

    let app = router.into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, app).with_graceful_shutdown(stop.clone().cancelled_owned());
    let late = async {
        stop.cancelled().await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    tokio::select! {
        served = serving.into_future() => served.expect("the listener works"),
        () = late => {}
    }
    workers.close();
    workers.wait().await;
    pool.close().await;
}
