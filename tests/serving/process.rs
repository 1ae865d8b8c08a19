//! An `impri serve` with a first account, and what an agent and an operator do with it.

use std::env;
use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use sqlx::{ConnectOptions as _, PgPool};

use super::{mail, until};
use crate::managed_postgres::support::PATIENCE;

pub(super) const PASSWORD: &str = "correct horse battery staple";

/// A server that listens. Told to stop when it is dropped.
pub(super) struct Serving {
    child: Child,
    url: String,
    log: PathBuf,
    database: Vec<String>,
    http: reqwest::Client,
}

impl Serving {
    /// Starts one with a database of its own.
    pub(super) async fn start_managed(data_dir: &Path) -> Self {
        Self::start(vec!["--data-dir".to_owned(), data_dir.display().to_string()]).await
    }

    /// Starts one on somebody else's database.
    pub(super) async fn start_on(database_url: String) -> Self {
        Self::start(vec!["--database-url".to_owned(), database_url]).await
    }

    async fn start(database: Vec<String>) -> Self {
        // Otherwise it makes one in the usual data directory of whoever runs the tests.
        Self::start_with(database, ("IMPRI_SECRET_KEY", crate::support::VAULT_KEY)).await
    }

    /// The same with a key, or without one, which a setting says.
    pub(super) async fn start_with(database: Vec<String>, setting: (&str, &str)) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let base = env::temp_dir().join(format!("impri-serving-{}-{number}", std::process::id()));
        let (out, log) = (base.with_extension("out"), base.with_extension("log"));
        let child = command()
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "debug"])
            .args(&database)
            .env("IMPRI_ADMIN_EMAIL", "ada@example.org")
            .env("IMPRI_ADMIN_PASSWORD", PASSWORD)
            .env(setting.0, setting.1)
            .stdout(File::create(&out).expect("a file"))
            .stderr(File::create(&log).expect("a file"))
            .spawn()
            .expect("the server starts");
        let url = until("the server listens", || async {
            let said = fs::read_to_string(&out).ok()?;
            // The second line comes last, so the first one is whole then.
            let open = said.lines().find_map(|line| line.strip_prefix("Open "))?;
            open.split("/inbox").next().map(str::to_owned)
        })
        .await;
        let _ = fs::remove_file(out);
        Self { child, url, log, database, http: reqwest::Client::new() }
    }

    /// The public keys of receipts.
    pub(super) async fn jwks(&self) -> Value {
        answer(self.http.get(format!("{}/.well-known/jwks.json", self.url))).await.1
    }

    /// Makes a key as an operator does, while the server runs.
    pub(super) fn key(&self, scope: &str) -> String {
        let made = command()
            .args(["keys", "create", "--name", scope, "--scope", scope])
            .args(&self.database)
            .output()
            .expect("the program runs");
        let key = String::from_utf8(made.stdout).expect("text");
        assert!(key.starts_with("im_"), "{key}{}", String::from_utf8_lossy(&made.stderr));
        key.trim().to_owned()
    }

    pub(super) async fn propose(&self, key: &str) -> String {
        let (status, made) = self.post(key, "/v1/actions", mail()).await;
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().expect("an id").to_owned()
    }

    pub(super) async fn post(&self, key: &str, path: &str, body: Value) -> (u16, Value) {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(key).json(&body);
        answer(request).await
    }

    pub(super) async fn read(&self, key: &str, id: &str, query: &str) -> (u16, Value) {
        self.reading(key, id, query).await
    }

    /// As [`Self::read`], to be run beside something else.
    pub(super) fn reading(
        &self,
        key: &str,
        id: &str,
        query: &str,
    ) -> impl Future<Output = (u16, Value)> + Send + use<> {
        answer(self.http.get(format!("{}/v1/actions/{id}{query}", self.url)).bearer_auth(key))
    }

    pub(super) async fn sign_in(&self, email: &str, password: &str) {
        let form = [("email", email), ("password", password), ("next", "")];
        let request =
            self.http.post(format!("{}/rpc/sign_in", self.url)).header("origin", &self.url).form(&form);
        request.send().await.expect("an answer");
    }

    /// Waits until `/readyz` answers so.
    pub(super) async fn until_ready_is(&self, status: u16) {
        until(&format!("/readyz answers {status}"), || async {
            let answer = self.http.get(format!("{}/readyz", self.url)).send().await.ok()?;
            (answer.status().as_u16() == status).then_some(())
        })
        .await;
    }

    /// Waits until requests that came before this call are parked: one that came after them has been answered.
    pub(super) async fn until_parked(&self, key: &str, id: &str) {
        let log = || self.log().matches("/v1/actions/").count();
        let before = log();
        self.read(key, id, "?wait=1").await;
        assert!(log() > before, "{}", self.log());
    }

    pub(super) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).expect("a process id");
        kill(Pid::from_raw(pid), signal).expect("our child can be signalled");
    }

    pub(super) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of our child") {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end:\n{}", self.log());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the log")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::SIGTERM);
            self.wait();
        }
        let _ = fs::remove_file(&self.log);
    }
}

/// What the program says when it refuses these flags and variables.
pub(super) fn refusal(flags: &[&str], environment: &[(&str, &str)]) -> String {
    let ended =
        command().arg("serve").args(flags).envs(environment.iter().copied()).output().expect("it runs");
    assert!(!ended.status.success(), "{flags:?} {environment:?} were taken");
    String::from_utf8(ended.stderr).expect("text")
}

/// The address of a test's database, as a flag takes it.
pub(super) fn url_of(db: &PgPool) -> String {
    db.connect_options().to_url_lossy().to_string()
}

/// The program, without the settings of whoever runs the tests.
fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_impri"));
    for (name, _) in env::vars_os() {
        if name == "DATABASE_URL" || name.to_string_lossy().starts_with("IMPRI_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    (status, answer.json().await.expect("JSON"))
}
