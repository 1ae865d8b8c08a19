//! A program with the right to decide says yes or no.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{
    Answer, TestApp,
    api::{mail, mail_with},
};

/// Proposes and decides.
async fn decided(app: &TestApp, proposal: &Value, decision: &Value) -> (String, Answer) {
    let id = app.agent().proposed(proposal).await;
    let answer = app.decider().decide(&id, decision).await;
    (id, answer)
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_approval_says_who_when_and_through_which_door(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.advance(10);
    let (id, answer) = decided(&app, &mail(), &json!({"decision": "approve", "comment": "fine"})).await;
    let answer = answer.expect(200);
    let key = app.house().decider.stored.id.to_string();
    let decision = json!({
        "verdict": "approve",
        "decided_at": app.clock.now().unix_timestamp(),
        "decided_by": {"type": "key", "id": key, "name": "decider"},
        "channel": "api",
        "comment": "fine",
        "final_preview": mail()["preview"],
    });
    let seen = app.agent().read(&id).await;
    assert_eq!(seen["decision"], decision);
    assert_eq!(seen["status"], "approved");
    assert_eq!(seen["approved_sha256"], seen["content_sha256"], "nothing was edited");
    assert!(seen.get("original").is_none());
    for (member, value) in decision.as_object().expect("an object") {
        assert_eq!(answer[member], *value, "the answer holds the decision: {member}");
    }
    assert_eq!(
        (&answer["id"], &answer["action_id"], &answer["status"]),
        (&json!(id), &json!(id), &json!("approved"))
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_keeps_its_reason_and_approves_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = mail_with(json!({"editable": ["preview.body"]}));
    let decision =
        json!({"decision": "reject", "comment": "wrong Sarah", "edited": {"preview.body": "ignored"}});
    let (id, answer) = decided(&app, &proposal, &decision).await;
    assert_eq!(answer.expect(200)["status"], "rejected");
    let seen = app.agent().read(&id).await;
    assert_eq!((&seen["status"], &seen["decision"]["comment"]), (&json!("rejected"), &json!("wrong Sarah")));
    assert_eq!(seen["preview"]["body"], "Hi Sarah, …", "edits of a rejection are not applied");
    assert!(seen.get("approved_sha256").is_none() && seen["decision"].get("edited").is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn decision_and_verdict_are_two_spellings_of_one_field(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (number, decision) in [
        json!({"decision": "approve"}),
        json!({"verdict": "approve"}),
        json!({"decision": "approve", "verdict": "approve"}),
    ]
    .into_iter()
    .enumerate()
    {
        let (_, answer) = decided(&app, &mail_with(json!({"title": number.to_string()})), &decision).await;
        assert_eq!(answer.expect(200)["status"], "approved", "{decision}");
    }
    let id = app.agent().proposed(&mail()).await;
    for (field, decision) in [
        ("decision", json!({})),
        ("decision", json!({"decision": "approved"})),
        ("decision", json!({"decision": "APPROVE"})),
        ("decision", json!({"verdict": ""})),
        ("verdict", json!({"decision": "approve", "verdict": "reject"})),
        ("decision", json!({"decision": true})),
    ] {
        app.decider().decide(&id, &decision).await.issue(field);
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn after_an_edited_approval_the_agent_reads_the_humans_text(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = mail_with(json!({
        "preview": {"format": "markdown", "body": "Hi Sarah,\nwe sell anvils.\nBye"},
        "payload": {"to": "sarah@acme.example", "amount": 42, "deep": {"list": [1, 2]}},
        "editable": ["preview.body", "title", "payload.amount", "payload.deep.list.1"],
    }));
    let edited = json!({
        "preview.body": "Hi Sarah,\nwe make anvils.\nBye",
        "title": "Outreach: ACME Inc.",
        "payload.amount": 41.5,
        "payload.deep.list.1": 3,
    });
    let (id, answer) = decided(&app, &proposal, &json!({"decision": "approve", "edited": edited})).await;
    let answer = answer.expect(200);
    let seen = app.agent().read(&id).await;
    assert_eq!(seen["preview"], json!({"format": "markdown", "body": "Hi Sarah,\nwe make anvils.\nBye"}));
    assert_eq!(seen["title"], "Outreach: ACME Inc.");
    assert_eq!(
        seen["payload"],
        json!({"to": "sarah@acme.example", "amount": 41.5, "deep": {"list": [1, 3]}})
    );
    for field in ["title", "preview", "payload"] {
        assert_eq!(seen["original"][field], proposal[field], "the proposal is not overwritten: {field}");
    }
    assert_eq!(seen["decision"]["final_preview"], seen["preview"]);
    assert_eq!(seen["decision"]["edited"], proposal["editable"]);
    assert_ne!(seen["approved_sha256"], seen["content_sha256"]);
    let diff = answer["diff"].as_str().expect("a diff");
    assert_eq!(seen["decision"]["diff"], diff);
    for line in ["-we sell anvils.", "+we make anvils.", " Hi Sarah,", " Bye", "-42", "+41.5", "@@ "] {
        assert!(diff.lines().any(|found| found.starts_with(line)), "{line:?} in\n{diff}");
    }
    assert!(diff.contains("preview.body") && diff.contains("payload.amount"), "{diff}");
    let (kind, _, _, _, data) = app.events(&id).await.pop().expect("an event");
    assert_eq!(kind, "action.approved");
    assert_eq!(
        data["edits"][1],
        json!({"path": "title", "before": "Outreach: Acme", "after": "Outreach: ACME Inc."})
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_edit_that_changes_nothing_is_no_edit(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = mail_with(json!({"editable": ["preview.body", "payload.n"], "payload": {"n": 1.0}}));
    let same = json!({"decision": "approve", "edited": {"preview.body": "Hi Sarah, …", "payload.n": 1.0}});
    let (id, answer) = decided(&app, &proposal, &same).await;
    let answer = answer.expect(200);
    assert!(answer.get("diff").is_none() && answer.get("edited").is_none(), "{answer}");
    assert!(app.agent().read(&id).await.get("original").is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_not_listed_as_editable_cannot_be_edited(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id =
        app.agent().proposed(&mail_with(json!({"editable": ["title"], "payload": {"a": {"b": 1}}}))).await;
    for verdict in ["approve", "reject"] {
        for path in
            ["preview.body", "payload.a.b", "payload", "kind", "preview.format", "target_url", "titl", ""]
        {
            let decision = json!({"decision": verdict, "edited": {path: "x", "title": "y"}});
            let answer = app.decider().decide(&id, &decision).await;
            assert!(answer.refusal(422).contains("allows editing title"), "{}", answer.text);
            assert_eq!(answer.json["invalid_keys"], json!([path]));
            assert_eq!(answer.json["editable"], json!(["title"]));
        }
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    let rigid = app.agent().proposed(&mail()).await;
    let decision = json!({"decision": "approve", "edited": {"preview.body": "x"}});
    let answer = app.decider().decide(&rigid, &decision).await;
    assert!(answer.refusal(422).contains("allows editing nothing"), "{}", answer.text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_edited_value_keeps_its_type_and_the_limits_of_a_proposal(db: PgPool) {
    let app = TestApp::start(&db).await;
    let payload = json!({"n": 1, "s": "x", "b": true, "z": null, "l": [], "o": {"k": 1}});
    let paths = [
        "payload.n",
        "payload.s",
        "payload.b",
        "payload.z",
        "payload.l",
        "payload.o",
        "title",
        "preview.body",
    ];
    let id = app.agent().proposed(&mail_with(json!({"payload": payload, "editable": paths}))).await;
    for (path, value) in [
        ("payload.n", json!("1")),
        ("payload.n", json!("")),
        ("payload.n", json!(null)),
        ("payload.s", json!(1)),
        ("payload.b", json!("true")),
        ("payload.z", json!(0)),
        ("payload.l", json!({})),
        ("payload.o", json!([1])),
        ("preview.body", json!(12345)),
        ("title", json!(["x"])),
        ("title", json!("")),
        ("title", json!("a\nb")),
        ("title", json!("x".repeat(501))),
        ("preview.body", json!("x".repeat(256 * 1024 + 1))),
        ("preview.body", json!("a\0b")),
    ] {
        let decision = json!({"decision": "approve", "edited": {path: value}});
        app.decider().decide(&id, &decision).await.issue(path);
    }
    for (path, value) in
        [("payload.s", json!("x".repeat(256 * 1024))), ("payload.n", json!(9_007_199_254_740_993_i64))]
    {
        let decision = json!({"decision": "approve", "edited": {path: value}});
        app.decider().decide(&id, &decision).await.refusal(400);
    }
    app.decider().decide(&id, &json!({"decision": "approve", "edited": "x"})).await.issue("edited");
    assert_eq!(app.agent().read(&id).await["status"], "pending", "nothing was decided on the way");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_about_other_content_is_refused(db: PgPool) {
    let app = TestApp::start(&db).await;
    let made = app.agent().propose(&mail()).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    let stale = json!({"decision": "approve", "content_sha256": "0".repeat(64)});
    assert!(app.decider().decide(id, &stale).await.refusal(409).contains("Read the action again"));
    let unreadable = json!({"decision": "approve", "content_sha256": "abc"});
    app.decider().decide(id, &unreadable).await.issue("content_sha256");
    let seen = json!({"decision": "approve", "content_sha256": made["content_sha256"]});
    app.decider().decide(id, &seen).await.expect(200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_second_decision_hears_who_was_first(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (id, _) = decided(&app, &mail(), &json!({"decision": "approve"})).await;
    for decision in [json!({"decision": "approve"}), json!({"decision": "reject"})] {
        let answer = app.decider().decide(&id, &decision).await;
        assert!(answer.refusal(409).contains("Already decided by decider (approved)"), "{}", answer.text);
        assert_eq!(answer.json["current_status"], "approved");
        assert_eq!(answer.json["decided_by"], "decider");
        assert_eq!(answer.json["decided_at"], app.clock.now().unix_timestamp());
    }
    assert_eq!(app.count("select count(*) from decision").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decider_names_its_own_channel_but_none_of_the_servers_doors(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    for channel in ["web", "cli", "mcp", "clock", "slack", "telegram", "a b", "é", &"x".repeat(65)] {
        let decision = json!({"decision": "approve", "channel": channel});
        app.decider().decide(&id, &decision).await.issue("channel");
    }
    let decision = json!({"decision": "approve", "channel": "pager-duty_2"});
    assert_eq!(app.decider().decide(&id, &decision).await.expect(200)["channel"], "pager-duty_2");
    assert_eq!(app.events(&id).await.pop().expect("an event").3, "pager-duty_2");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_comment_has_a_limit_and_an_empty_one_is_none(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let long = json!({"decision": "approve", "comment": "ü".repeat(2001)});
    let answer = app.decider().decide(&id, &long).await;
    let issue = answer.issue("comment");
    assert_eq!((issue["limit"].as_u64(), issue["sent"].as_u64()), (Some(2000), Some(2001)));
    app.decider().decide(&id, &json!({"decision": "approve", "comment": "a\0"})).await.issue("comment");
    let empty = json!({"decision": "approve", "comment": ""});
    assert!(app.decider().decide(&id, &empty).await.expect(200).get("comment").is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn deciding_an_expired_action_says_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail_with(json!({"expires_in": 300}))).await;
    app.advance(300);
    let answer = app.decider().decide(&id, &json!({"decision": "approve"})).await;
    assert!(answer.refusal(409).contains("expired"), "{}", answer.text);
    assert_eq!(answer.json["current_status"], "expired");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_approval_may_end_and_says_when(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (id, _) = decided(&app, &mail_with(json!({"valid_for": 60})), &json!({"decision": "approve"})).await;
    assert_eq!(app.agent().read(&id).await["valid_until"], app.clock.now().unix_timestamp() + 60);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_with_a_callback_leaves_one_message_in_the_outbox(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = mail_with(json!({"callback_url": "https://agent.example/hook"}));
    let id = app.agent().proposed(&proposal).await;
    assert_eq!(app.count("select count(*) from outbox").await, 0, "a proposal is no news");
    app.decider().approve(&id).await;
    assert_eq!(app.count("select count(*) from outbox where state = 'pending'").await, 1);
    assert_eq!(app.agent().read(&id).await["webhook_delivery"], json!({"status": "pending", "attempt": 0}));
}
