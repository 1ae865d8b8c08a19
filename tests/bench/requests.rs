//! The requests of agents, deciders and browsers, as bytes.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, ensure};
use futures::future::try_join_all;
use serde_json::Value;

use crate::http::Connection;
use crate::load::CONNECTIONS;
use crate::settings::Settings;

static PROPOSED: AtomicU64 = AtomicU64::new(0);

/// The body of every proposal; what makes each another one is its title.
pub const BODY: &str = "Hi Sarah,\n\nthank you for the call on Tuesday. As promised, here is what we would change in \
    the **first four weeks**:\n\n1. Move the nightly export to the new cluster and keep the old one for a month.\n2. \
    Split the invoice run by region, so that a failure in one does not stop the others.\n3. Give the support team read \
    access to the delivery log, with [the guide](https://docs.example.com/delivery-log).\n\n| region | rows | owner |\n\
    | --- | ---: | --- |\n| north | 18,204 | Ada |\n| south | 9,771 | Grace |\n\nNothing of this needs a downtime. If \
    you agree I will send the plan to your team today and start on Monday.\n\nKind regards\nTom";

/// The payload of every proposal.
pub const PAYLOAD: &str = r#"{"to":"sarah@example.com","cc":["ops@example.com"],"subject":"Plan for the first four weeks","priority":"normal","attachments":[{"name":"plan.pdf","bytes":48213}],"dry_run":false}"#;

/// Writes a proposal that no other is like.
pub fn write_proposal(out: &mut Vec<u8>, settings: &Settings) {
    write_proposal_to(out, settings, None);
}

/// The same, with an address for the decision.
fn write_proposal_to(out: &mut Vec<u8>, settings: &Settings, callback: Option<&str>) {
    let callback = callback.map(|url| format!(",\"callback_url\":\"{url}\"")).unwrap_or_default();
    let number = PROPOSED.fetch_add(1, Ordering::Relaxed);
    let body = format!(
        "{{\"kind\":\"email.send\",\"title\":\"Send the plan to Sarah, draft {number}\",\"preview\":{{\"format\":\
         \"markdown\",\"body\":{}}},\"payload\":{PAYLOAD},\"target_url\":\"https://mail.example.com/send\",\"editable\":\
         [\"preview.body\",\"payload.subject\"],\"idempotent\":false,\"undo\":\"Recall it within a minute.\"{callback}}}",
        Value::from(BODY)
    );
    write_post(out, "/v1/actions", &settings.agent_key, &body);
}

/// Writes an approval.
pub fn write_approval(out: &mut Vec<u8>, settings: &Settings, id: &str) {
    let path = format!("/v1/actions/{id}/decision");
    write_post(out, &path, &settings.decide_key, "{\"decision\":\"approve\"}");
}

/// Posts JSON.
pub fn post(key: &str, path: &str, body: &str) -> Vec<u8> {
    let mut request = Vec::new();
    write_post(&mut request, path, key, body);
    request
}

/// Deletes something.
pub fn delete(key: &str, path: &str) -> Vec<u8> {
    format!("DELETE {path} HTTP/1.1\r\nHost: impri\r\nAuthorization: Bearer {key}\r\n\r\n").into_bytes()
}

fn write_post(out: &mut Vec<u8>, path: &str, key: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: impri\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(body.as_bytes());
}

/// Asks for an action with the agent's key; `query` is empty or begins with `?`.
pub fn read(settings: &Settings, id: &str, query: &str) -> Vec<u8> {
    let key = &settings.agent_key;
    format!("GET /v1/actions/{id}{query} HTTP/1.1\r\nHost: impri\r\nAuthorization: Bearer {key}\r\n\r\n")
        .into_bytes()
}

/// Asks as a browser does, with the session's cookie or an empty text.
pub fn browse(path: &str, cookie: &str, encodings: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: impri\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Encoding: {encodings}\r\n\
         Cookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n\r\n"
    )
    .into_bytes()
}

/// Signs in as the form does and gives the cookie.
pub async fn sign_in(connection: &mut Connection, settings: &Settings) -> anyhow::Result<String> {
    let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let form = format!("email={}&password={}", encoded(&settings.email), encoded(&settings.password));
    let request = format!(
        "POST /rpc/sign_in HTTP/1.1\r\nHost: impri\r\nAccept: text/html\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    let reply = connection.exchange(request.as_bytes()).await?;
    let cookie = reply.header("set-cookie").and_then(|value| value.split(';').next());
    cookie.map(str::to_owned).with_context(|| format!("signing in was answered with {}", reply.status))
}

/// Proposes so many actions and gives their ids.
pub async fn propose_many(settings: &Settings, count: usize) -> anyhow::Result<Vec<String>> {
    propose_many_to(settings, count, None).await
}

/// The same, with an address for the decisions.
pub async fn propose_many_to(
    settings: &Settings,
    count: usize,
    callback: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let each = (0..CONNECTIONS).map(|lane| async move {
        let mut connection = Connection::open(settings.address).await?;
        let mut ids = Vec::new();
        let mut request = Vec::new();
        for _ in (lane..count).step_by(CONNECTIONS) {
            request.clear();
            write_proposal_to(&mut request, settings, callback);
            let reply = connection.exchange(&request).await?;
            ensure!(reply.status == 201, "a proposal was answered with {}: {}", reply.status, reply.text());
            let answer: Value = serde_json::from_slice(&reply.body)?;
            ids.push(answer["id"].as_str().context("the answer names no id")?.to_owned());
        }
        Ok(ids)
    });
    Ok(try_join_all(each).await?.concat())
}
