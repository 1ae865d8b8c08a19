//! A database, two servers on it, and whoever kills them.

use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use impri::server::postgres::ManagedPostgres;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Dice;
use crate::managed_postgres::support::{PATIENCE, TempDir, postmaster_pid};

/// A server lives no longer than this.
const LIFE: Duration = Duration::from_millis(2_500);
/// The database is killed this often, on average.
const DATABASE_LIFE: Duration = Duration::from_secs(8);

/// Everything that runs.
pub(super) struct Machines {
    dir: TempDir,
    database: Option<ManagedPostgres>,
    options: PgConnectOptions,
    ports: [u16; 2],
    /// The one that is killed, and the one that is not.
    servers: [Child; 2],
    servers_killed: u32,
    databases_killed: u32,
}

impl Machines {
    pub(super) async fn start() -> Self {
        let dir = TempDir::new();
        let started = ManagedPostgres::start(&dir.join("data"), &CancellationToken::new()).await;
        let (database, options) = started.expect("a database");
        let ports = [free_port(), free_port()];
        let first = serve(&dir, &options, ports[0], 0);
        let machines = Self {
            servers: [first, serve(&dir, &options, ports[1], 1)],
            dir,
            database: Some(database),
            options,
            ports,
            servers_killed: 0,
            databases_killed: 0,
        };
        machines.until_ready().await;
        machines
    }

    /// The addresses of the servers.
    pub(super) fn urls(&self) -> [String; 2] {
        self.ports.map(|port| format!("http://127.0.0.1:{port}"))
    }

    /// A key, as an operator makes one.
    pub(super) fn key(&self, scope: &str) -> String {
        let made = self.command(&["keys", "create", "--name", scope, "--scope", scope]);
        assert!(made.1.starts_with("im_"), "{}", made.1);
        made.1.trim().to_owned()
    }

    /// Runs a command of the program on the database: whether it ended well, and its words.
    pub(super) fn command(&self, args: &[&str]) -> (bool, String) {
        let output =
            program().args(args).arg("--database-url").arg(url(&self.options)).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    }

    /// A connection to the database.
    pub(super) async fn connect(&self) -> PgConnection {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match PgConnection::connect_with(&self.options).await {
                Ok(connection) => return connection,
                Err(error) => assert!(Instant::now() < deadline, "the database does not come back: {error}"),
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Kills at random instants: the first server again and again, and the database.
    pub(super) async fn kill_for(&mut self, time: Duration, dice: &mut Dice) {
        let began = Instant::now();
        let next = |dice: &mut Dice| began.elapsed() + DATABASE_LIFE / 2 + dice.within(DATABASE_LIFE);
        let mut database_dies = next(dice);
        while began.elapsed() < time {
            sleep(dice.within(LIFE)).await;
            self.servers[0].kill().expect("our child");
            self.servers[0].wait().expect("our child");
            self.servers_killed += 1;
            if began.elapsed() >= database_dies
                && let Some(pid) = postmaster_pid(&self.dir.join("data"))
            {
                // A server that is down and a database that dies meanwhile are the worst that can happen at once.
                self.databases_killed += u32::from(kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok());
                database_dies = next(dice);
            }
            sleep(dice.within(Duration::from_millis(200))).await;
            self.servers[0] = serve(&self.dir, &self.options, self.ports[0], 0);
        }
        assert!(self.databases_killed > 0, "the database was killed, too");
        self.until_ready().await;
    }

    pub(super) fn killed(&self) -> String {
        format!(
            "a server was killed {} times, the database {} times",
            self.servers_killed, self.databases_killed
        )
    }

    async fn until_ready(&self) {
        let http =
            reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(5)).build().expect("a client");
        let deadline = Instant::now() + PATIENCE;
        for url in self.urls() {
            loop {
                let answer = http.get(format!("{url}/readyz")).send().await;
                if answer.is_ok_and(|answer| answer.status() == 200) {
                    break;
                }
                assert!(Instant::now() < deadline, "{url} is not ready:\n{}", self.logs());
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    pub(super) fn logs(&self) -> String {
        (0..2).filter_map(|number| std::fs::read_to_string(log(&self.dir, number)).ok()).collect()
    }

    /// Ends the servers as an operator does, so that what waits is sealed and signed.
    pub(super) fn stop_servers(&mut self) {
        for server in &mut self.servers {
            let pid = i32::try_from(server.id()).expect("a process id");
            // It may have ended.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        for server in &mut self.servers {
            server.wait().expect("our child");
        }
    }

    pub(super) async fn stop(mut self) {
        if let Some(database) = self.database.take() {
            database.stop().await;
        }
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
        // The database ends with its supervisor, which stops when it is dropped.
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

fn url(options: &PgConnectOptions) -> String {
    // The kernel vouches for us; with a password given the driver looks for no other.
    options.clone().password("none").to_url_lossy().to_string()
}

fn log(dir: &TempDir, number: usize) -> PathBuf {
    dir.join(&format!("server-{number}.log"))
}

fn serve(dir: &TempDir, options: &PgConnectOptions, port: u16, number: usize) -> Child {
    let log = File::options().create(true).append(true).open(log(dir, number)).expect("a file");
    program()
        .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--log-level", "warn", "--database-url"])
        .arg(url(options))
        .env("IMPRI_ADMIN_EMAIL", "ada@example.org")
        .env("IMPRI_ADMIN_PASSWORD", "correct horse battery staple")
        .env("IMPRI_RATE_LIMITS", "off")
        .env("IMPRI_ALLOW_PRIVATE_TARGETS", "true")
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("the server starts")
}

/// The program, without the settings of whoever runs the tests.
fn program() -> Command {
    let path = std::env::var_os("IMPRI_FAULTS_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_impri").into());
    let mut command = Command::new(path);
    for (name, _) in std::env::vars_os() {
        if name == "DATABASE_URL" || name.to_string_lossy().starts_with("IMPRI_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}
