//! The receivers of docs/callbacks.md take what is really sent, once, and nothing else.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc as channel;

use super::*;
use crate::managed_postgres::support::TempDir;
use crate::support::{eventually, python};

/// A program out of the document, which listens.
struct Sample {
    child: Child,
    said: channel::Receiver<String>,
    url: String,
    http: reqwest::Client,
}

impl Drop for Sample {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sample {
    async fn start(mut command: Command, language: &str, dir: &TempDir, secret: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/callbacks.md");
        let document = fs::read_to_string(path).expect("it is there");
        let rest = document.split_once(&format!("```{language}\n")).expect("a program").1;
        let file = dir.join(if language == "js" { "receiver.mjs" } else { "receiver.py" });
        fs::write(&file, rest.split_once("```").expect("its end").0).expect("a file");
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        let address = free.local_addr().expect("an address");
        drop(free);
        command.arg(&file).arg(address.port().to_string()).env("IMPRI_WEBHOOK_SECRET", secret);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("its words")).lines();
        let (tell, said) = channel::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let sample = Self { child, said, url: format!("http://{address}/"), http };
        eventually("the program listens", async || tokio::net::TcpStream::connect(address).await.is_ok())
            .await;
        sample
    }

    fn said(&self) -> String {
        self.said.recv_timeout(PATIENCE).expect("it says something")
    }

    /// What it answers to these bytes, and what it says about them.
    async fn takes(&self, call: &Received) -> (u16, String) {
        let mut headers = call.headers.clone();
        for name in [header::HOST, header::CONTENT_LENGTH] {
            headers.remove(name);
        }
        let request = self.http.post(&self.url).headers(headers).body(call.body.clone());
        let status = soon(request.send()).await.expect("an answer").status().as_u16();
        (status, self.said())
    }

    #[track_caller]
    fn refused(answer: (u16, String), why: &str) {
        assert_eq!(answer, (401, format!("refused: {why}")));
    }
}

/// The same call as if it had been signed by somebody, at some time.
fn signed_anew(call: &Received, secret: &str, seconds: i64) -> Received {
    let mut call = call.clone();
    let timestamp = call.header("x-impri-timestamp").parse::<i64>().expect("seconds") + seconds;
    let signature = callback::signature(secret, timestamp, "0123456789abcdef", &call.body);
    for (name, value) in [
        ("x-impri-timestamp", timestamp.to_string()),
        ("x-impri-nonce", "0123456789abcdef".to_owned()),
        ("x-impri-signature", signature),
    ] {
        call.headers.insert(name, value.parse().expect("a header"));
    }
    call
}

/// What the server really sends: a callback about an edited approval, and a webhook's message, with the same secret.
async fn sent(desk: &Desk) -> (Received, Received) {
    let receiver = Receiver::start(&[OK]).await;
    let hook = json!({"url": receiver.url("/hook"), "hmac_secret": desk.secret});
    desk.channel("hook", "webhook", hook).await;
    let action = desk.propose(&receiver.url("/callback")).await;
    desk.send_due().await;
    let message = receiver.next().await;
    desk.decide(action.id, Verdict::Approve, json!({"preview.body": "Grüße, Ms Smith 🚢"})).await;
    desk.send_due().await;
    (receiver.next().await, message)
}

async fn only_what_is_genuine_is_taken(pool: PgPool, command: Command, language: &str) {
    let (desk, dir) = (crate::channels::desk(pool).await, TempDir::new());
    let (call, message) = sent(&desk).await;
    let id = call.json()["action_id"].as_str().expect("an id").to_owned();
    let sample = Sample::start(command, language, &dir, &desk.secret).await;
    assert_eq!(sample.takes(&call).await, (204, format!("action.updated {id} approved")));
    Sample::refused(sample.takes(&call).await, "taken before");
    let (status, said) = sample.takes(&message).await;
    assert!(status == 204 && said.starts_with(&format!("action.pending {id} ")), "{status} {said}");

    let not_signed = "not signed with this secret";
    let changed = Received { body: call.body.replace("Smith", "Jones"), ..call.clone() };
    Sample::refused(sample.takes(&changed).await, not_signed);
    Sample::refused(sample.takes(&signed_anew(&call, "another secret", 0)).await, not_signed);
    for name in ["x-impri-timestamp", "x-impri-nonce", "x-impri-signature"] {
        let mut without = call.clone();
        without.headers.remove(name);
        Sample::refused(sample.takes(&without).await, not_signed);
    }
    for seconds in [-600, 600] {
        let answer = sample.takes(&signed_anew(&call, &desk.secret, seconds)).await;
        Sample::refused(answer, "not of these minutes, or one of the clocks is wrong");
    }
    let again = sample.takes(&signed_anew(&call, &desk.secret, 0)).await;
    assert_eq!(again.0, 204, "another attempt has another nonce: {}", again.1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_documents_receiver_in_python_takes_what_is_genuine(pool: PgPool) {
    only_what_is_genuine_is_taken(pool, Command::new(python()), "python").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_documents_receiver_in_node_takes_what_is_genuine(pool: PgPool) {
    only_what_is_genuine_is_taken(pool, Command::new("node"), "js").await;
}
