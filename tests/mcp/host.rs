//! A host: `host.py` with the official client, driven line by line.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::{TestApp, python};

/// Python takes its time on a busy machine, and some waits are long on purpose.
const PATIENCE: Duration = Duration::from_mins(3);

/// The way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `impri mcp` beside the host.
    Stdio,
    /// `/mcp` of the server.
    Http,
}

/// How the client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// With the handshake of 2025.
    Legacy,
    /// With the protocol of 2026.
    Auto,
}

/// Who is answered when a line comes.
type Asked = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// A running host. Dropping it kills it.
pub(super) struct Host {
    child: Child,
    stdin: ChildStdin,
    asked: Asked,
    next: u64,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) is_error: bool,
    /// The first block of text.
    pub(super) text: String,
    /// The structured part.
    pub(super) data: Value,
    /// Every progress that was heard: how far, of what, in words.
    pub(super) progress: Vec<Value>,
    /// Whether the host gave it up.
    pub(super) is_given_up: bool,
}

impl Host {
    /// A host with the agent's key.
    pub(super) fn start(app: &TestApp, way: Way, era: Era) -> Self {
        let key = app.house().agent.key.clone();
        Self::start_at(&app.url, &key, way, era, "test-host")
    }

    /// A host of this name, with any key and server.
    pub(super) fn start_at(url: &str, key: &str, way: Way, era: Era, name: &str) -> Self {
        let mut command = Self::command(url, key, way, era, name);
        let mut child = command.stderr(Stdio::inherit()).spawn().expect("the host starts");
        let stdin = child.stdin.take().expect("its stdin");
        let mut lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let asked = Asked::default();
        let answered = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Some(line) = lines.next_line().await.expect("readable lines") {
                let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                let number = line["id"].as_u64().expect("a number");
                let waiter = answered.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
                if let Some(waiter) = waiter {
                    // Whoever asked may have lost interest.
                    let _ = waiter.send(line);
                }
            }
            // Whoever still waits for an answer panics instead of waiting on.
            answered.lock().unwrap_or_else(PoisonError::into_inner).clear();
        });
        Self { child, stdin, asked, next: 0 }
    }

    /// A host that can't begin: what it says.
    pub(super) async fn refusal(url: &str, key: &str, way: Way, era: Era) -> String {
        let mut child =
            Self::command(url, key, way, era, "x").stderr(Stdio::piped()).spawn().expect("the host starts");
        let mut said = String::new();
        let stderr = child.stderr.as_mut().expect("its stderr");
        tokio::time::timeout(PATIENCE, stderr.read_to_string(&mut said))
            .await
            .expect("in time")
            .expect("text");
        assert!(!child.wait().await.expect("it ends").success(), "{said}");
        said
    }

    fn command(url: &str, key: &str, way: Way, era: Era, name: &str) -> Command {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/host.py");
        let mut command = Command::new(python());
        command.arg(script).arg(if way == Way::Stdio { "stdio" } else { "http" });
        command.arg(if era == Era::Legacy { "legacy" } else { "auto" }).arg(name);
        match way {
            Way::Stdio => command.arg(env!("CARGO_BIN_EXE_impri")),
            Way::Http => command.arg(format!("{url}/mcp")).arg(key),
        };
        command
            .env("IMPRI_API_KEY", key)
            .env("IMPRI_BASE_URL", url)
            // A setting that this program does not have, as a host's environment may hold.
            .env("IMPRI_OF_SOMEBODY_ELSE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Sends a line; the answer comes later.
    async fn ask(&mut self, mut line: Value) -> (u64, oneshot::Receiver<Value>) {
        self.next += 1;
        line["id"] = self.next.into();
        let (tell, told) = oneshot::channel();
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(self.next, tell);
        self.stdin.write_all(format!("{line}\n").as_bytes()).await.expect("the host reads");
        (self.next, told)
    }

    async fn answer(told: oneshot::Receiver<Value>) -> Value {
        tokio::time::timeout(PATIENCE, told).await.expect("an answer in time").expect("the host still runs")
    }

    /// What the server says of itself.
    pub(super) async fn hello(&mut self) -> Value {
        let (_, told) = self.ask(json!({"do": "hello"})).await;
        Self::answer(told).await
    }

    /// The tools.
    pub(super) async fn list(&mut self) -> Vec<Value> {
        let (_, told) = self.ask(json!({"do": "list"})).await;
        Self::answer(told).await["tools"].as_array().expect("tools").clone()
    }

    /// Calls a tool in the background.
    pub(super) async fn begin(
        &mut self,
        tool: &str,
        arguments: Value,
        progress: bool,
    ) -> (u64, JoinHandle<Called>) {
        let line = json!({"do": "call", "tool": tool, "arguments": arguments, "progress": progress});
        let (number, told) = self.ask(line).await;
        (number, tokio::spawn(async move { Called::read(&Self::answer(told).await) }))
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Called {
        self.begin(tool, arguments, false).await.1.await.expect("it does not panic")
    }

    /// Calls a tool that has to succeed; its data.
    pub(super) async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let called = self.call(tool, arguments).await;
        assert!(!called.is_error, "{tool}: {}", called.text);
        called.data
    }

    /// Calls a tool that has to fail; its words.
    pub(super) async fn failed(&mut self, tool: &str, arguments: Value) -> String {
        let called = self.call(tool, arguments).await;
        assert!(called.is_error && called.data.is_null(), "{tool}: {}", called.text);
        called.text
    }

    /// Proposes; the id.
    pub(super) async fn push(&mut self, members: Value) -> String {
        let pushed = self.done("impri_push_action", super::push_with(members)).await;
        assert_eq!(pushed["status"], "pending", "{pushed}");
        pushed["action_id"].as_str().expect("an id").to_owned()
    }

    /// Gives a call up.
    pub(super) async fn cancel(&mut self, number: u64) {
        let (_, told) = self.ask(json!({"do": "cancel", "of": number})).await;
        Self::answer(told).await;
    }

    /// Closes stdin and waits for the end.
    pub(super) async fn end(mut self) {
        drop(self.stdin);
        let ended =
            tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it ends").expect("a status");
        assert!(ended.success(), "the host ended with {ended}");
    }
}

impl Called {
    fn read(line: &Value) -> Self {
        let is_protocol_error = line["error"].is_string();
        let text = if is_protocol_error { &line["error"] } else { &line["content"][0]["text"] };
        Self {
            is_error: is_protocol_error || line["isError"] == true,
            text: text.as_str().unwrap_or_default().to_owned(),
            data: line["structuredContent"].clone(),
            progress: line["progress"].as_array().cloned().unwrap_or_default(),
            is_given_up: line["given_up"] == true,
        }
    }
}
