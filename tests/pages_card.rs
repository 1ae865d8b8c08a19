//! One card, and the decision as a plain form.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_card_shows_everything_that_a_decider_must_see(db: PgPool) {
    let app = TestApp::start(&db).await;
    let proposal = json!({
        "kind": "payment.send",
        "title": "Pay ACME",
        "preview": {"format": "markdown", "body": "Pay **ACME** [here](https://acme.example/x).\n\n![pixel](https://evil.example/p.png)"},
        "payload": {"amount": 42, "to": {"iban": "DE00"}},
        "target_url": "https://bank.example/transfer?id=1",
        "idempotent": false,
        "undo": "Ask <b>nicely</b>.",
        "expires_in": 7200,
    });
    let made = app.agent().propose(&proposal).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    let card = app.ada().await.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.status, 200);
    assert_eq!(card.text("title"), "Pay ACME · Impri");
    assert_eq!(card.text(".card-kind code"), "payment.send");
    assert_eq!(card.text("#card-title"), "Pay ACME");
    let facts = card.text(".card-head .facts");
    assert!(facts.contains("from first-agent") && facts.contains("at bank.example"), "{facts}");
    assert!(
        facts.contains("expires in 2 h")
            || facts.contains("expires in 119 min")
            || facts.contains("expires in 1 h"),
        "{facts}"
    );
    assert!(card.text(".warnings").contains("Not idempotent"));
    assert!(
        card.text("figure.undo").contains("Ask <b>nicely</b>."),
        "quoted, not rendered: {}",
        card.text("figure.undo")
    );
    assert!(card.has(".preview-body strong") && !card.has(".preview img"), "rendered, without remote images");
    assert!(card.text(".preview").contains("acme.example"), "a link shows where it goes");
    let payload = card.text(".payload-tree");
    for word in ["amount", "42", "iban", "DE00"] {
        assert!(payload.contains(word), "{word}: {payload}");
    }
    let digest = made["content_sha256"].as_str().expect("a digest");
    assert_eq!(card.text(".digest").replace(' ', ""), format!("sha256{}", &digest[..8]));
    assert_eq!(
        card.decide_form(),
        [("id".into(), id.into()), ("seen".into(), digest.into()), ("comment".into(), String::new())]
            as [(String, String); 3]
    );
    assert_eq!(card.attributes("#decide button[name=verdict]", "value"), ["approve", "reject"]);
    assert_eq!(card.attributes("#decide", "action"), ["/rpc/decide_action"]);
    assert_eq!(card.attributes("#decide", "method"), ["post"]);
    assert!(card.text(".timeline").contains("Proposed by first-agent"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn plain_and_diff_are_never_read_as_markdown(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for format in ["plain", "diff"] {
        let body = "# not a heading\n**not bold** <b>x</b>\n-old\n+new";
        let id = app.agent().proposed(&mail_with(json!({"preview": {"format": format, "body": body}}))).await;
        let card = ada.open(&format!("/inbox/{id}")).await;
        assert!(
            !card.has(".preview-body h1, .preview-body strong, .preview-body b"),
            "{format}: {}",
            card.html
        );
        assert!(
            card.text("[data-part=first] .preview-body").contains("# not a heading **not bold** <b>x</b>"),
            "{format}"
        );
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn plain_text_that_is_run_looks_like_code_and_has_every_character(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let body = "# sweep\nif true; then rm -r \"$TMP\" # <b>gone</b>\nfi";
    let of = |kind: &str| mail_with(json!({"kind": kind, "preview": {"format": "plain", "body": body}}));
    let shell = ada.open(&format!("/inbox/{}", app.agent().proposed(&of("shell.exec")).await)).await;
    let shown = "[data-part=first][data-format=code] pre.code";
    assert!(
        shell.has(&format!("{shown} .tok-kw")) && shell.has(&format!("{shown} .tok-com")),
        "{}",
        shell.html
    );
    assert_eq!(shell.text(shown), body.replace('\n', " "));
    let mail = ada.open(&format!("/inbox/{}", app.agent().proposed(&of("email.send")).await)).await;
    assert!(mail.has("[data-format=plain] pre.plain") && !mail.has("[data-part=first] [class^=tok]"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_copied_of_a_payload_is_the_payload(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for payload in [json!({"to": "a@b.example", "n": 1.5}), json!({"to": "a\u{202e}b", "zero": "x\u{200b}y"})]
    {
        let id = app.agent().proposed(&mail_with(json!({"payload": payload.clone()}))).await;
        let page = ada.open(&format!("/inbox/{id}")).await;
        let selector = scraper::Selector::parse(".payload [data-copy]").expect("a selector");
        let copied: String = page.document().select(&selector).flat_map(|element| element.text()).collect();
        let read: serde_json::Value = serde_json::from_str(&copied).expect("JSON");
        assert_eq!(read, payload);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_does_not_look_like_what_it_is_is_said_before_the_content(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({
        "preview": {"format": "markdown", "body": "Pay [paypal.com](https://evil.example) no&ZeroWidthSpace;w."},
        "target_url": "https://xn--pypal-4ve.com/pay",
        "payload": {"memo": "x".repeat(4_000), "to": {"a": 1, "b": 2}},
    }));
    let id = app.agent().proposed(&proposal).await;
    let card = ada.open(&format!("/inbox/{id}")).await;
    let warnings = card.text(".warnings");
    for part in [
        "Preview: 1 invisible character",
        "Preview: 1 link is not what it seems: the text names paypal.com, this opens evil.example",
        "Target: xn--pypal-4ve.com stands for “p\u{430}⟨U+0430⟩ypal.com”",
    ] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
    assert!(card.has("details.payload[open]"), "what is approved is shown, however long");
    assert!(card.text(".payload > summary").contains("3 values"), "{}", card.text(".payload > summary"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn approving_leads_to_the_card_that_says_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let ada = app.ada().await;
    let answer = ada.submit_decide_form(&id, "approve", &[("comment", "go\r\nahead")]).await;
    assert_eq!((answer.status, answer.location()), (302, format!("/inbox/{id}?done=1").as_str()));
    let card = ada.follow(&answer).await;
    assert!(card.text(".outcome-line").starts_with("Approved"), "{}", card.text(".outcome-line"));
    let decision = card.text(".decision-view");
    assert!(
        decision.contains("Approved")
            && decision.contains("by Ada")
            && decision.contains("Web")
            && decision.contains("go ahead"),
        "{decision}"
    );
    assert!(!card.has("#decide"), "nothing is left to decide");
    let read = app.agent().read(&id).await;
    assert_eq!(read["decision"]["channel"], "web");
    assert_eq!(read["decision"]["decided_by"]["type"], "reviewer");
    app.agent().report(&id, &json!({"status": "executed", "detail": "sent it"})).await.expect(200);
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert!(card.text(".result-view").contains("Executed") && card.text(".result-view").contains("sent it"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn rejecting_with_a_reason_tells_the_agent(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let ada = app.ada().await;
    let answer = ada.submit_decide_form(&id, "reject", &[("comment", "  wrong Sarah ")]).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1"));
    assert!(ada.follow(&answer).await.text(".outcome-line").starts_with("Rejected"));
    let read = app.agent().read(&id).await;
    assert_eq!((&read["status"], &read["decision"]["comment"]), (&json!("rejected"), &json!("wrong Sarah")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_refused_form_says_why_and_decides_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({"editable": ["payload.n"], "payload": {"n": 1}}));
    let made = app.agent().propose(&proposal).await.expect(201);
    let (id, seen) =
        (made["id"].as_str().expect("an id"), made["content_sha256"].as_str().expect("a digest"));
    let zeros = "0".repeat(64);
    let long = "x".repeat(2001);
    for (code, fields) in [
        ("stale", vec![("seen", zeros.as_str()), ("verdict", "approve")]),
        ("stale", vec![("seen", ""), ("verdict", "approve")]),
        ("bad-request", vec![("seen", seen), ("verdict", "maybe")]),
        ("bad-comment", vec![("seen", seen), ("verdict", "reject"), ("comment", &long)]),
        ("bad-edit", vec![("seen", seen), ("verdict", "approve"), ("edits[0]", "many")]),
        ("bad-edit", vec![("seen", seen), ("verdict", "approve"), ("edits[0]", "")]),
        ("not-editable", vec![("seen", seen), ("verdict", "approve"), ("edits[1]", "x")]),
        ("bad-edit", vec![("seen", seen), ("verdict", "approve"), ("edits[0]", "99999999999999999999")]),
    ] {
        let fields = [vec![("id", id)], fields].concat();
        let answer = ada.submit("/rpc/decide_action", &fields).await;
        assert_eq!(answer.location(), format!("/inbox/{id}?refused={code}"), "{fields:?}");
        let card = ada.follow(&answer).await;
        assert_eq!(card.status, 200);
        assert!(card.has("#decide") && card.has("[role=alert]"), "{fields:?}: {}", card.html);
    }
    assert_eq!(app.agent().read(id).await["status"], "pending");
    let made_up = ada
        .submit("/rpc/decide_action", &[("id", "//evil.example"), ("seen", seen), ("verdict", "approve")])
        .await;
    assert_eq!(made_up.location(), "/inbox");
    let page = ada.open(&format!("/inbox/{id}?refused=%3Cscript%3E")).await;
    assert!(!page.has("[role=alert]"), "the address can say nothing that is not ours");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_a_person_edits_is_what_the_agent_gets_and_nothing_else_changes(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let body = "\nHi Sarah,\n\nwe sell </textarea><script>alert(1)</script> & <b>anvils</b>.\n";
    let payload =
        json!({"n": 1.50, "s": "a\r\nb", "cr": "a\rb", "b": true, "o": {"z": 1, "a": [1, 2]}, "t": "keep"});
    let proposal = mail_with(json!({
        "preview": {"format": "plain", "body": body},
        "payload": payload,
        "editable": ["preview.body", "title", "payload.n", "payload.s", "payload.cr", "payload.b", "payload.o"],
    }));
    let untouched = app.agent().proposed(&proposal).await;
    let answer = ada.submit_decide_form(&untouched, "approve", &[]).await;
    assert_eq!(answer.location(), format!("/inbox/{untouched}?done=1"));
    let read = app.agent().read(&untouched).await;
    assert!(read.get("original").is_none(), "a form sent as it came is no edit: {read}");
    assert_eq!((&read["preview"]["body"], &read["payload"]), (&json!(body), &payload));

    let id = app.agent().proposed(&proposal).await;
    let typed = [
        ("edits[0]", "Hi Sarah,\nwe make anvils."),
        ("edits[2]", "2"),
        ("edits[3]", "a\nc"),
        ("edits[5]", "false"),
        ("edits[6]", "{\"z\": 1, \"a\": []}"),
    ];
    let answer = ada.submit_decide_form(&id, "approve", &typed).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1"));
    let read = app.agent().read(&id).await;
    assert_eq!(
        read["preview"]["body"], "Hi Sarah,\nwe make anvils.",
        "line feeds, though browsers send CR LF"
    );
    assert_eq!(
        read["payload"],
        json!({"n": 2, "s": "a\r\nc", "cr": "a\rb", "b": false, "o": {"z": 1, "a": []}, "t": "keep"})
    );
    assert_eq!(
        read["decision"]["edited"],
        json!(["preview.body", "payload.n", "payload.s", "payload.b", "payload.o"])
    );
    assert_eq!(read["title"], "Outreach: Acme");
    let card = ada.follow(&answer).await;
    assert!(card.text(".outcome-line").contains("with 5 edits"));
    assert!(card.text(".decision-view").contains("we make anvils."), "{}", card.text(".decision-view"));
    let history = ada.open(&format!("/history?action={id}&event=action.approved")).await;
    assert!(history.text(".history-what").contains("with 5 edits"));
    let change = history.text(".history-what");
    assert!(change.contains("we sell") && change.contains("we make anvils."), "before and after: {change}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_card_that_allows_no_edit_has_no_control_for_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"payload": {"a": 1}}))).await;
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert!(!card.has("[name^=edits]") && !card.has("#edit"), "{}", card.html);
    assert_eq!(card.attributes("textarea", "name"), ["comment"]);
    assert!(card.text(".decision-note").contains("can't be edited"));
    let seen = app.agent().read(&id).await["content_sha256"].as_str().expect("a digest").to_owned();
    let forged = [("id", id.as_str()), ("seen", &seen), ("verdict", "approve"), ("edits[0]", "evil")];
    assert_eq!(
        ada.submit("/rpc/decide_action", &forged).await.location(),
        format!("/inbox/{id}?refused=not-editable")
    );
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_page_about_a_card_that_expired_while_it_was_open_says_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    let seen = app.agent().read(&id).await["content_sha256"].as_str().expect("a digest").to_owned();
    let late = ada.submit("/rpc/decide_action", &[("id", &id), ("seen", &seen), ("verdict", "reject")]).await;
    let card = ada.follow(&late).await;
    assert!(card.text("[role=alert]").contains("already decided"));
    assert!(
        card.text(".decision-view").contains("by decider"),
        "who decided what: {}",
        card.text(".decision-view")
    );
}
