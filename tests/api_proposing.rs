//! An agent proposes: what is stored, what is refused and how, and when the same thing twice is one.

use impri::domain::content::ContentDigest;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    Answer, TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_proposal_comes_back_with_every_field_it_was_sent_with(db: PgPool) {
    let app = TestApp::start(&db).await;
    let sent = json!({
        "kind": "payment.send",
        "title": "Pay ACME 42.50 €",
        "preview": {"format": "diff", "body": "-a\n+b\n"},
        "payload": {"z": 1, "a": [true, null, 1.50, "ü"]},
        "target_url": "https://bank.example/pay?x=1",
        "callback_url": "https://agent.example/hook",
        "expires_in": 300,
        "valid_for": 60,
        "idempotency_key": "order-1",
        "editable": ["preview.body", "title", "payload.a.2"],
        "idempotent": false,
        "undo": "Ask for it back.\nTwice.",
        "unknown": "ignored",
    });
    let answer = app.agent().propose(&sent).await;
    let made = answer.clone().expect(201);
    for field in [
        "kind",
        "title",
        "preview",
        "payload",
        "target_url",
        "callback_url",
        "idempotency_key",
        "editable",
        "idempotent",
        "undo",
    ] {
        assert_eq!(made[field], sent[field], "{field}");
    }
    assert!(
        answer.text.contains(r#""payload":{"z":1,"a":[true,null,1.5,"ü"]}"#),
        "key order is kept: {}",
        answer.text
    );
    let id = made["id"].as_str().expect("an id");
    assert!(id.starts_with("act_") && id.len() == 26, "{id}");
    assert_eq!(made["action_id"], made["id"]);
    assert_eq!(made["status"], "pending");
    assert_eq!(made["inbox_url"], format!("{}/inbox/{id}", app.url));
    assert_eq!(made["agent"], "first-agent");
    let now = app.clock.now().unix_timestamp();
    assert_eq!((made["created_at"].as_i64(), made["updated_at"].as_i64()), (Some(now), Some(now)));
    assert_eq!(made["expires_at"], now + 300);
    assert_eq!(made["color"], Value::Null, "present, as clients of the contract expect");
    for absent in
        ["original", "decision", "approved_sha256", "result_at", "duplicate_of", "valid_until", "claimed_at"]
    {
        assert!(made.get(absent).is_none(), "{absent} is left out");
    }
    assert_eq!(app.agent().read(id).await, made, "reading it gives the same");
    let events = app.events(id).await;
    assert_eq!(events.len(), 1);
    let (kind, actor, name, channel, _) = &events[0];
    assert_eq!([kind, actor, name, channel], ["action.created", "key", "first-agent", "api"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_smallest_proposal_gets_the_defaults_of_the_contract(db: PgPool) {
    let app = TestApp::start(&db).await;
    let made =
        app.agent().propose(&json!({"kind": "k", "title": "t", "preview": {"body": ""}})).await.expect(201);
    assert_eq!(made["preview"], json!({"format": "plain", "body": ""}));
    assert_eq!(made["editable"], json!([]));
    assert_eq!(made["expires_at"].as_i64(), made["created_at"].as_i64().map(|at| at + 259_200));
    for absent in ["payload", "target_url", "callback_url", "idempotency_key", "idempotent", "undo"] {
        assert!(made.get(absent).is_none(), "{absent} is left out");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_digest_is_the_one_that_anybody_can_compute(db: PgPool) {
    use sha2::Digest as _;
    let app = TestApp::start(&db).await;
    let sent = mail_with(json!({"payload": {"b": 1, "a": 1.0}, "target_url": "https://x.example/"}));
    let made = app.agent().propose(&sent).await.expect(201);
    let canonical = r#"{"kind":"email.send","payload":{"a":1,"b":1},"preview":{"body":"Hi Sarah, …","format":"markdown"},"target_url":"https://x.example/","title":"Outreach: Acme"}"#;
    let digest = ContentDigest::from_slice(&sha2::Sha256::digest(canonical)).expect("32 bytes");
    assert_eq!(made["content_sha256"], digest.to_string());
}

/// A refused field, the proposal around it, and the limit and what was sent as the answer has to name them.
fn over_the_limit() -> Vec<(&'static str, Value, Option<u64>, Option<u64>)> {
    let x = |count: usize| "x".repeat(count);
    let kib256 = 256 * 1024;
    vec![
        ("kind", json!({"kind": x(101)}), Some(100), Some(101)),
        ("title", json!({"title": "ü".repeat(501)}), Some(500), Some(501)),
        ("preview.body", json!({"preview": {"body": x(kib256 + 1)}}), Some(262_144), Some(262_145)),
        (
            "preview.body",
            json!({"preview": {"body": "ü".repeat(kib256 / 2 + 1)}}),
            Some(262_144),
            Some(262_146),
        ),
        ("payload", json!({"payload": x(kib256 - 1)}), Some(262_144), Some(262_145)),
        ("undo", json!({"undo": x(2001)}), Some(2000), Some(2001)),
        ("idempotency_key", json!({"idempotency_key": x(256)}), Some(255), Some(256)),
        ("editable", json!({"editable": vec!["title"; 51]}), Some(50), Some(51)),
        ("expires_in", json!({"expires_in": 299}), Some(300), Some(299)),
        ("expires_in", json!({"expires_in": 2_592_001}), Some(2_592_000), Some(2_592_001)),
        ("valid_for", json!({"valid_for": 0}), Some(1), Some(0)),
        ("valid_for", json!({"valid_for": 2_592_001}), Some(2_592_000), Some(2_592_001)),
        (
            "target_url",
            json!({"target_url": format!("https://x.example/{}", x(4096))}),
            Some(4096),
            Some(4114),
        ),
    ]
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn over_a_limit_the_answer_names_field_limit_and_what_was_sent(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (field, members, limit, sent) in over_the_limit() {
        let answer = app.agent().propose(&mail_with(members)).await;
        let issue = answer.issue(field);
        assert_eq!(
            (issue["limit"].as_u64(), issue["sent"].as_u64()),
            (limit, sent),
            "{field}: {}",
            answer.text
        );
        assert!(answer.refusal(400).contains(field), "the sentence names {field} too: {}", answer.text);
        let (limit, sent) = (limit.unwrap_or_default().to_string(), sent.unwrap_or_default().to_string());
        let sentence = answer.refusal(400);
        assert!(sentence.contains(&limit) && sentence.contains(&sent), "and both numbers: {sentence}");
    }
    assert_eq!(app.count("select count(*) from action").await, 0, "nothing is stored");
    assert_eq!(app.count("select count(*) from audit_event where action_id is not null").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn at_a_limit_a_proposal_is_taken(db: PgPool) {
    let app = TestApp::start(&db).await;
    let many: serde_json::Map<String, Value> = (0..50).map(|n| (format!("f{n}"), json!(n))).collect();
    let paths: Vec<String> = (0..50).map(|n| format!("payload.f{n}")).collect();
    for members in [
        json!({"kind": "x".repeat(100), "title": "ü".repeat(500), "undo": "ü".repeat(2000)}),
        json!({"preview": {"body": "x".repeat(256 * 1024)}}),
        json!({"payload": "x".repeat(256 * 1024 - 2)}),
        json!({"payload": many, "editable": paths}),
        json!({"idempotency_key": "x".repeat(255), "expires_in": 300, "valid_for": 1}),
        json!({"title": "long", "expires_in": 2_592_000, "valid_for": 2_592_000}),
    ] {
        let answer = app.agent().propose(&mail_with(members)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_field_that_breaks_a_rule_is_refused_by_name(db: PgPool) {
    let app = TestApp::start(&db).await;
    let body = |body: &str| json!({"preview": {"body": body}});
    let cases = [
        ("kind", json!({"kind": null})),
        ("kind", json!({"kind": ""})),
        ("kind", json!({"kind": "a\nb"})),
        ("title", json!({"title": null})),
        ("title", json!({"title": "a\r\nb"})),
        ("title", json!({"title": "a\u{2028}b"})),
        ("title", json!({"title": 5})),
        ("preview.body", json!({"preview": null})),
        ("preview.body", json!({"preview": {}})),
        ("preview.body", json!({"preview": {"body": 5}})),
        ("preview.format", json!({"preview": {"format": "html", "body": ""}})),
        ("title", json!({"title": "a\0b"})),
        ("kind", json!({"kind": "a\0b"})),
        ("undo", json!({"undo": "a\0b"})),
        ("preview.body", body("a\0b")),
        ("payload.a.1.id", json!({"payload": {"a": [1, {"id": 9_007_199_254_740_993_i64}]}})),
        ("payload.n", json!({"payload": {"n": -9_007_199_254_740_992_i64}})),
        ("payload.n", json!({"payload": {"n": u64::MAX}})),
        ("target_url", json!({"target_url": "javascript:alert(1)"})),
        ("target_url", json!({"target_url": "/relative"})),
        ("target_url", json!({"target_url": "https://x.example/ a"})),
        ("callback_url", json!({"callback_url": "ftp://x.example/"})),
        ("callback_url", json!({"callback_url": "https://"})),
        ("expires_in", json!({"expires_in": -1})),
        ("expires_in", json!({"expires_in": "300"})),
        ("expires_in", json!({"expires_in": 300.5})),
        ("idempotency_key", json!({"idempotency_key": ""})),
        ("idempotency_key", json!({"idempotency_key": "a\nb"})),
        ("idempotent", json!({"idempotent": "no"})),
        ("editable", json!({"editable": ["preview"]})),
        ("editable", json!({"editable": ["preview.format"]})),
        ("editable", json!({"editable": ["payload.nowhere"], "payload": {"a": 1}})),
        ("editable", json!({"editable": ["payload.a"]})),
        ("editable", json!({"editable": ["payload.a", "payload.a.b"], "payload": {"a": {"b": 1}}})),
        ("editable", json!({"editable": ["title", "title"]})),
        ("editable", json!({"editable": ["payload.__proto__.x"], "payload": {"a": 1}})),
    ];
    for (field, members) in cases {
        let answer = app.agent().propose(&mail_with(members.clone())).await;
        assert_eq!(answer.status, 400, "{members}: {}", answer.text);
        answer.issue(field);
    }
    let all = app.agent().propose(&json!({})).await;
    for field in ["kind", "title", "preview.body"] {
        assert_eq!(all.issue(field)["code"], "required", "every missing field at once");
    }
    assert_eq!(app.count("select count(*) from action").await, 0, "nothing is stored");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_nul_inside_the_payload_is_refused_by_name(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (field, payload) in
        [("payload.a", json!({"a": "x\0y"})), ("payload", json!({"a\0b": 1})), ("payload.0", json!(["\0"]))]
    {
        app.agent().propose(&mail_with(json!({"payload": payload}))).await.issue(field);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn json_is_read_whatever_the_content_type_says(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (number, kind) in
        ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8", "nonsense"]
            .into_iter()
            .enumerate()
    {
        let body = mail_with(json!({"title": format!("{number}")})).to_string();
        let answer = app.agent().send(Method::POST, "/v1/actions", &[("content-type", kind)], body).await;
        assert_eq!(answer.status, 201, "{kind}: {}", answer.text);
    }
    let answer = app.agent().send(Method::POST, "/v1/actions", &[], mail().to_string()).await;
    assert_eq!(answer.status, 201, "and without one: {}", answer.text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn malformed_json_is_a_400_that_says_where(db: PgPool) {
    let app = TestApp::start(&db).await;
    let post = async |body: &str| -> Answer {
        app.agent().send(Method::POST, "/v1/actions", &[], body.to_owned()).await
    };
    let broken = post("{\"kind\": \"k\",\n  \"title\": }").await;
    let sentence = broken.refusal(400);
    assert!(sentence.contains("line 2 column 12"), "{sentence}");
    for (body, place) in [
        ("{\"kind\": \"k\"", "line 1"),
        ("[]", "JSON object"),
        ("\"x\"", ""),
        ("{} {}", "column 4"),
        ("nope", "line 1 column"),
    ] {
        let answer = post(body).await;
        let sentence = answer.refusal(400);
        assert!(sentence.contains(place), "{body}: {sentence}");
    }
    for body in ["", "  \n", "{}"] {
        assert_eq!(post(body).await.issue("title")["code"], "required", "an empty body is an empty object");
    }
    let bytes = b"{\"kind\": \"\xff\"}".to_vec();
    app.agent().send(Method::POST, "/v1/actions", &[], bytes).await.refusal(400);
    post("[\"k\", \"t\", {\"body\": \"a list is no object\"}]").await.refusal(400);
    let long = mail_with(json!({"payload": {"id": 0}}))
        .to_string()
        .replace("\"id\":0", "\"id\":99999999999999999999");
    post(&long).await.issue("payload.id");
    let deep = format!("{{\"payload\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    post(&deep).await.refusal(400);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_body_over_a_mebibyte_is_a_413(db: PgPool) {
    let app = TestApp::start(&db).await;
    let large = mail_with(json!({"unknown": "x".repeat(1024 * 1024)}));
    let answer = app.agent().propose(&large).await;
    assert!(answer.refusal(413).contains("1048576"), "{}", answer.text);
    assert_eq!(app.count("select count(*) from action").await, 0);
    let almost = mail_with(json!({"unknown": "x".repeat(1000 * 1000)}));
    app.agent().propose(&almost).await.expect(201);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn wrong_methods_and_unknown_addresses_are_answered_in_json(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let id = agent.proposed(&mail()).await;
    for (method, path) in [
        (Method::DELETE, "/v1/actions".to_owned()),
        (Method::PUT, format!("/v1/actions/{id}")),
        (Method::GET, format!("/v1/actions/{id}/decision")),
        (Method::GET, format!("/v1/actions/{id}/result")),
    ] {
        agent.send(method, &path, &[], "").await.refusal(405);
    }
    for path in ["/v1/nothing", "/v1/actions/x/y/z", "/v1/"] {
        agent.get(path).await.refusal(404);
        agent.send(Method::POST, path, &[], "{}").await.refusal(404);
    }
}
