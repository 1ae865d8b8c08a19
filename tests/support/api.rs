//! A program that calls the agent API.

use std::time::Duration;

use reqwest::{Method, header::HeaderMap};
use serde_json::{Value, json};

/// A program with a key, or without one. A handle: copies are the same program.
#[derive(Clone)]
pub(crate) struct Api {
    url: String,
    key: Option<String>,
    http: reqwest::Client,
}

/// What the server answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    /// Null where the answer is not JSON.
    pub(crate) json: Value,
}

/// The smallest whole proposal.
pub(crate) fn mail() -> Value {
    json!({
        "kind": "email.send",
        "title": "Outreach: Acme",
        "preview": {"format": "markdown", "body": "Hi Sarah, …"},
    })
}

/// The smallest proposal with some members more, or others.
pub(crate) fn mail_with(members: Value) -> Value {
    let mut mail = mail();
    let (Value::Object(all), Value::Object(more)) = (&mut mail, members) else { panic!("two objects") };
    all.extend(more);
    mail
}

impl Api {
    pub(super) fn new(url: &str, key: Option<&str>, http: &reqwest::Client) -> Self {
        Self { url: url.to_owned(), key: key.map(str::to_owned), http: http.clone() }
    }

    /// `POST /v1/actions`.
    pub(crate) async fn propose(&self, proposal: &Value) -> Answer {
        self.post("/v1/actions", proposal).await
    }

    /// Proposes something new and takes its id.
    pub(crate) async fn proposed(&self, proposal: &Value) -> String {
        let answer = self.propose(proposal).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json["id"].as_str().expect("an id").to_owned()
    }

    /// `GET /v1/actions/{id}`, which has to be there.
    pub(crate) async fn read(&self, id: &str) -> Value {
        self.get(&format!("/v1/actions/{id}")).await.expect(200)
    }

    /// `GET /v1/actions/{id}?wait=S`.
    pub(crate) async fn wait_for(&self, id: &str, secs: u64) -> Answer {
        self.get(&format!("/v1/actions/{id}?wait={secs}")).await
    }

    /// Waits in the background.
    pub(crate) fn wait_aside(&self, id: &str, secs: u64) -> tokio::task::JoinHandle<Answer> {
        let (api, id) = (self.clone(), id.to_owned());
        tokio::spawn(async move { api.wait_for(&id, secs).await })
    }

    /// `POST /v1/actions/{id}/decision`.
    pub(crate) async fn decide(&self, id: &str, decision: &Value) -> Answer {
        self.post(&format!("/v1/actions/{id}/decision"), decision).await
    }

    /// Approves as it is.
    pub(crate) async fn approve(&self, id: &str) -> Value {
        self.decide(id, &json!({"decision": "approve"})).await.expect(200)
    }

    /// `POST /v1/actions/{id}/result`.
    pub(crate) async fn report(&self, id: &str, report: &Value) -> Answer {
        self.post(&format!("/v1/actions/{id}/result"), report).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], String::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, &[("content-type", "application/json")], body.to_string()).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, &[("content-type", "application/json")], body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], String::new()).await
    }

    /// Any request.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> Answer {
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.url))
            .timeout(Duration::from_secs(90))
            .body(body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a whole answer");
        let json = serde_json::from_str(&text).unwrap_or_default();
        Answer { status, headers, text, json }
    }
}

impl Answer {
    /// The JSON, if the status is this one.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json
    }

    /// An error with this status: JSON with `error` and a `message`, which is returned.
    #[track_caller]
    pub(crate) fn refusal(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/json", "{}", self.text);
        assert!(self.json["error"].is_string(), "{}", self.text);
        self.json["message"].as_str().filter(|text| !text.is_empty()).expect("a message")
    }

    /// What is wrong with a field, by its dotted path.
    #[track_caller]
    pub(crate) fn issue(&self, field: &str) -> &Value {
        self.refusal(400);
        let path: Vec<&str> = field.split('.').collect();
        let issues = self.json["issues"].as_array().expect("issues");
        issues
            .iter()
            .find(|issue| issue["path"] == json!(path))
            .unwrap_or_else(|| panic!("{field} is not among {}", self.text))
    }

    /// A header, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
