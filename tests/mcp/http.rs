//! `/mcp` without a library: what any program can send, and what keeps others out.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Answer, Settings, TestApp};

const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("content-type", "application/json");

fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn list() -> String {
    request("tools/list", json!({}))
}

/// The one message of a stream.
#[track_caller]
fn message(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.header("content-type").starts_with("text/event-stream"), "{:?}", answer.headers);
    let data: Vec<&str> =
        answer.text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect();
    let data: Vec<&str> = data.into_iter().filter(|data| !data.is_empty()).collect();
    assert_eq!(data.len(), 1, "{}", answer.text);
    serde_json::from_str(data[0]).expect("JSON")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_plain_post_is_enough(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "curl", "version": "8"}});
    // As curl sends it: anything is accepted.
    for accept in [BOTH, ("accept", "*/*")] {
        let answer =
            agent.send(Method::POST, "/mcp", &[accept, JSON], request("initialize", hello.clone())).await;
        let result = message(&answer)["result"].clone();
        assert_eq!(result["protocolVersion"], "2025-06-18");
        assert_eq!(result["serverInfo"]["name"], "impri");
        assert!(answer.header("mcp-session-id").is_empty(), "nothing is kept between requests");
        assert_eq!(answer.header("x-accel-buffering"), "no");
    }
    let listed = message(&agent.send(Method::POST, "/mcp", &[BOTH, JSON], list()).await);
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(6));
    let push = json!({"name": "impri_push_action", "arguments": super::push_with(json!({}))});
    let called = message(&agent.send(Method::POST, "/mcp", &[BOTH, JSON], request("tools/call", push)).await);
    let id = called["result"]["structuredContent"]["action_id"].as_str().expect("an id");
    assert_eq!(agent.read(id).await["agent"], "first-agent", "proposed with the caller's key");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_valid_key_nothing_is_answered(db: PgPool) {
    let app = TestApp::start(&db).await;
    let wrong = app.with_key("im_wrong");
    let revoked = app.key("gone", &[impri::domain::scope::Scope::Actions], None).await;
    app.revoke(&revoked).await;
    for stranger in [app.without_key(), wrong, app.with_key(&revoked.key)] {
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let answer = stranger.send(method, "/mcp", &[BOTH, JSON], list()).await;
            answer.refusal(401);
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"impri\"");
        }
    }
    // A person's cookie is no key.
    let ada = app.ada().await;
    let answer = ada.post("/mcp", &[], &[("sec-fetch-site", "same-origin")]).await;
    assert_eq!(answer.status, 401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_of_other_sites_are_refused(db: PgPool) {
    let public = "https://impri.example.org".to_owned();
    let settings = Settings { public_url: Some(public.clone()), ..Settings::default() };
    let app = TestApp::start_with(&db, settings).await;
    let agent = app.agent();
    let sent = async |headers: &[(&str, &str)]| {
        let headers: Vec<_> = [BOTH, JSON].iter().chain(headers).copied().collect();
        agent.send(Method::POST, "/mcp", &headers, list()).await
    };
    for own in [
        &[][..],
        &[("host", "impri.example.org")],
        &[("origin", public.as_str())],
        &[("origin", app.url.as_str())],
    ] {
        message(&sent(own).await);
    }
    for foreign in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1:1")],
        &[("host", "evil.example:8484"), ("origin", "http://evil.example:8484")],
        &[("host", "evil.example")],
    ] {
        let answer = sent(foreign).await;
        answer.refusal(403);
        assert!(answer.header("access-control-allow-origin").is_empty());
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_no_request_is_refused(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let large = request("tools/list", json!({"cursor": "x".repeat(1024 * 1024)}));
    assert_eq!(agent.send(Method::POST, "/mcp", &[BOTH, JSON], large).await.status, 413);
    let form = ("content-type", "application/x-www-form-urlencoded");
    assert_eq!(agent.send(Method::POST, "/mcp", &[BOTH, form], list()).await.status, 415);
    let page = ("accept", "text/html");
    assert_eq!(agent.send(Method::POST, "/mcp", &[page, JSON], list()).await.status, 406);
    let answer = agent.send(Method::GET, "/mcp", &[("accept", "text/event-stream")], "").await;
    assert_eq!((answer.status, answer.header("allow")), (405, "POST"), "there are no sessions to listen to");
    let unknown =
        message(&agent.send(Method::POST, "/mcp", &[BOTH, JSON], request("tools/sing", json!({}))).await);
    assert_eq!(unknown["error"]["code"], -32601);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_no_json_is_told_as_the_protocol_tells_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    for body in ["{\"jsonrpc\": ", "", "hello"] {
        let answer = app.agent().send(Method::POST, "/mcp", &[BOTH, JSON], body.to_owned()).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert_eq!((&answer.json["error"]["code"], &answer.json["id"]), (&json!(-32_700), &Value::Null));
        let message = answer.json["error"]["message"].as_str().expect("a message");
        assert!(message.contains("not JSON"), "{message}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_no_message_of_the_protocol_is_told_so_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (body, id) in [
        ("[]", Value::Null),
        ("5", Value::Null),
        ("{}", Value::Null),
        (r#"{"jsonrpc": "1.0", "id": 7, "method": "tools/list"}"#, json!(7)),
        (r#"{"id": "x", "method": "tools/list"}"#, json!("x")),
        (r#"{"jsonrpc": "2.0", "id": {"a": 1}, "method": 5}"#, Value::Null),
    ] {
        let answer = app.agent().send(Method::POST, "/mcp", &[BOTH, JSON], body.to_owned()).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!((&answer.json["error"]["code"], &answer.json["id"]), (&json!(-32_600), &id), "{body}");
    }
}
