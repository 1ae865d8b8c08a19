//! A real server on a database of its own, and its two kinds of visitors: programs with a key ([`Api`]) and people
//! with a browser ([`Browser`]).
//!
//! Servers run on threads of their own, because a page needs a runtime with more than one worker. Tests visit them
//! over loopback, and look into the database only to see what was stored.

pub(crate) mod api;
mod browser;
mod operator;
mod python;
mod server;

use std::{
    net::SocketAddr,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use impri::{
    domain::{audit::Actor, decision::Channel, ids::ProjectId, role::Role, scope::Scope},
    server::{
        clock::Clock,
        config::{MetricsAccess, RateSettings},
        db::projects::Project,
        service::{NewPerson, RevealedKey, Services},
    },
};
use sqlx::PgPool;
use tokio::{runtime::Handle, sync::RwLock};
use tokio_util::sync::CancellationToken;

pub(crate) use self::{
    api::{Answer, Api},
    browser::{Browser, Page},
    python::python,
    server::VAULT_KEY,
};

/// How long anything may take: far more than it does, for slow machines.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The first account of every house.
pub(crate) const ADA: &str = "ada@example.org";
/// Everybody's password.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// Listing the routes of a router must not overlap with the rendering of a page in the same process (leptos#4773).
/// Servers are started with the write half, pages are opened with the read half.
static RENDERING: RwLock<()> = RwLock::const_new(());

/// What is in the database before a test begins.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) project: Project,
    /// What its callbacks are signed with.
    pub(crate) webhook_secret: String,
    /// The key of an agent: scope `actions`.
    pub(crate) agent: RevealedKey,
    /// The key of a program that decides for people: scope `decide`.
    pub(crate) decider: RevealedKey,
}

/// What is special about a server.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// The address that people know, if it is not the one that the server listens on.
    pub(crate) public_url: Option<String>,
    /// Whether a proxy's word on the caller's address counts.
    pub(crate) behind_proxy: bool,
    /// How much a key may ask.
    pub(crate) rates: RateSettings,
    /// Who may read `/metrics`.
    pub(crate) metrics: MetricsAccess,
    /// Where to listen, if not on a free port.
    pub(crate) listen: Option<SocketAddr>,
}

/// A running server. Dropping it stops it.
pub(crate) struct TestApp {
    pub(crate) url: String,
    /// Stands still until a test moves it; shared by all servers of a test.
    pub(crate) clock: Clock,
    /// The database, as the test looks into it.
    pub(crate) db: PgPool,
    house: Option<House>,
    services: Services,
    runtime: Handle,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
    http: reqwest::Client,
}

impl TestApp {
    /// A server with one account, [`ADA`]'s, and the keys of a [`House`].
    pub(crate) async fn start(db: &PgPool) -> Self {
        Self::start_with(db, Settings::default()).await
    }

    /// The same with settings.
    pub(crate) async fn start_with(db: &PgPool, settings: Settings) -> Self {
        let mut app = Self::run(db, Clock::manual(), settings);
        app.house = Some(app.furnish().await);
        app
    }

    /// A server that nobody has set up.
    pub(crate) fn empty(db: &PgPool) -> Self {
        Self::run(db, Clock::manual(), Settings::default())
    }

    /// Another server on the same database, by the same clock.
    pub(crate) fn beside(&self) -> Self {
        let mut app = Self::run(&self.db, self.clock.clone(), Settings::default());
        app.house.clone_from(&self.house);
        app
    }

    /// A server on a database that another one has left.
    pub(crate) fn again(db: &PgPool, house: House) -> Self {
        Self::again_with(db, house, Settings::default())
    }

    /// The same with settings.
    pub(crate) fn again_with(db: &PgPool, house: House, settings: Settings) -> Self {
        let mut app = Self::run(db, Clock::manual(), settings);
        app.house = Some(house);
        app
    }

    async fn furnish(&self) -> House {
        self.on_server(|services| async move {
            let ada = NewPerson {
                name: "Ada".into(),
                email: ADA.into(),
                password: PASSWORD.into(),
                role: Role::Admin,
            };
            services.set_up_unattended(ada).await.expect("a database").expect("nobody was there");
            let project = services.first_project().await.expect("a database").expect("a project");
            let webhook_secret = services.webhook_secret(project.id).await.expect("a secret");
            let mut keys = Vec::new();
            for (name, scope) in [("first-agent", Scope::Actions), ("decider", Scope::Decide)] {
                let new = operator::new_key(name, &[scope]);
                let made = services.create_key(project.id, new, Actor::Operator, Channel::cli()).await;
                keys.push(made.expect("a key"));
            }
            let [agent, decider] = keys.try_into().expect("two keys");
            House { project, webhook_secret, agent, decider }
        })
        .await
    }

    /// Runs something with the services of this server, on its runtime: the operator's way in.
    pub(crate) async fn on_server<T, F>(&self, act: impl FnOnce(Services) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.runtime.spawn(act(self.services.clone())).await.expect("it does not panic")
    }

    #[track_caller]
    pub(crate) fn house(&self) -> &House {
        self.house.as_ref().expect("a house that was set up")
    }

    pub(crate) fn project(&self) -> ProjectId {
        self.house().project.id
    }

    /// A program with a key.
    pub(crate) fn with_key(&self, key: &str) -> Api {
        Api::new(&self.url, Some(key), &self.http)
    }

    /// A program without one.
    pub(crate) fn without_key(&self) -> Api {
        Api::new(&self.url, None, &self.http)
    }

    /// The agent.
    pub(crate) fn agent(&self) -> Api {
        self.with_key(&self.house().agent.key)
    }

    /// The program that decides for people.
    pub(crate) fn decider(&self) -> Api {
        self.with_key(&self.house().decider.key)
    }

    /// A browser that has never been here.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(&self.url, &self.http)
    }

    /// [`ADA`]'s browser, signed in.
    pub(crate) async fn ada(&self) -> Browser {
        self.signed_in(ADA).await
    }

    /// A person's browser, signed in.
    pub(crate) async fn signed_in(&self, email: &str) -> Browser {
        let browser = self.browser();
        let answer = browser.sign_in(email, PASSWORD, "").await;
        assert_eq!((answer.status, answer.location()), (302, "/inbox"), "{email} can sign in");
        browser
    }

    /// Time passes.
    pub(crate) fn advance(&self, secs: u64) {
        self.clock.advance(Duration::from_secs(secs));
    }

    /// Waits until this many agents are parked here.
    pub(crate) async fn parked(&self, count: usize) {
        eventually("agents are parked", async || self.services.live().waiting() == count).await;
    }

    /// Tells the server to stop and does not wait for it.
    pub(crate) fn begin_stop(&self) {
        self.stop.cancel();
    }

    /// The number that a statement counts.
    #[track_caller]
    pub(crate) fn count(&self, sql: &'static str) -> impl Future<Output = i64> + use<> {
        let (db, caller) = (self.db.clone(), std::panic::Location::caller());
        async move {
            let count = sqlx::query_scalar(sql).fetch_one(&db).await;
            count.unwrap_or_else(|error| panic!("{caller}: {error}"))
        }
    }

    /// The audit events about one action, oldest first: kind, kind of actor, actor's name, channel, data.
    pub(crate) async fn events(
        &self,
        action: &str,
    ) -> Vec<(String, String, String, String, serde_json::Value)> {
        let id: impri::domain::ids::ActionId = action.parse().expect("an id");
        sqlx::query_as(
            "select kind, actor_kind, actor_name, channel, data from audit_event where action_id = $1 order by event_id",
        )
        .bind(id.uuid())
        .fetch_all(&self.db)
        .await
        .expect("events")
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || !matches!(ended, Some(Err(_))), "the server panicked");
    }
}

/// Asks again until the answer is yes.
#[track_caller]
pub(crate) fn eventually(what: &str, condition: impl AsyncFnMut() -> bool) -> impl Future<Output = ()> {
    eventually_within(PATIENCE, what, condition)
}

/// The same for what takes longer.
#[track_caller]
pub(crate) fn eventually_within(
    patience: Duration,
    what: &str,
    mut condition: impl AsyncFnMut() -> bool,
) -> impl Future<Output = ()> {
    let caller = std::panic::Location::caller();
    let what = what.to_owned();
    async move {
        let deadline = Instant::now() + patience;
        while !condition().await {
            assert!(Instant::now() < deadline, "{caller}: it did not happen in time that {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
