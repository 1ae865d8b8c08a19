//! What a person without scripts sees: every page over plain HTTP, with the headers that browsers obey.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    ADA, PASSWORD, TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_link_to_a_card_survives_the_sign_in(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    let browser = app.browser();
    let door = browser.open(&format!("/inbox/{id}")).await;
    assert_eq!((door.status, door.location()), (302, format!("/sign-in?next=%2Finbox%2F{id}").as_str()));
    let form = browser.follow(&door).await;
    assert_eq!(form.status, 200);
    let next = form.attributes("form[action='/rpc/sign_in'] input[name=next]", "value").remove(0);
    let wrong = browser.sign_in(ADA, "wrong password", &next).await;
    let form = browser.follow(&wrong).await;
    assert!(form.text("[role=alert]").contains("E-mail or password is wrong"));
    let next = form.attributes("form input[name=next]", "value").remove(0);
    let inside = browser.sign_in(ADA, PASSWORD, &next).await;
    assert_eq!(inside.location(), format!("/inbox/{id}"));
    assert_eq!(browser.follow(&inside).await.text("h2#card-title"), "Outreach: Acme");
    assert_eq!(browser.open("/sign-in").await.location(), "/inbox", "who is in needs no door");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn signing_in_leads_to_no_other_site(db: PgPool) {
    let app = TestApp::start(&db).await;
    for next in [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        " //evil.example",
        "/\r\nSet-Cookie: a=b",
        "inbox",
        "",
    ] {
        let answer = app.browser().sign_in(ADA, PASSWORD, next).await;
        assert_eq!(answer.location(), "/inbox", "{next:?}");
    }
    let answer = app.browser().sign_in(ADA, PASSWORD, "/history?event=action.approved").await;
    assert_eq!(answer.location(), "/history?event=action.approved");
    let page = app.browser().open("/sign-in?next=https%3A%2F%2Fevil.example%2F").await;
    assert_eq!(page.status, 200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_inbox_lists_what_waits_newest_first(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let mut ids = Vec::new();
    for title in ["first", "second", "third"] {
        let more = json!({"title": title, "idempotent": title != "second", "editable": ["title"]});
        ids.push(app.agent().proposed(&mail_with(more)).await);
        app.advance(60);
    }
    let inbox = ada.open("/inbox").await;
    assert_eq!(inbox.texts(".row-title"), ["third", "second", "first"]);
    assert_eq!(inbox.texts(".row .flag"), ["Not idempotent"]);
    assert_eq!(inbox.texts(".row-excerpt")[0], "Hi Sarah, …");
    assert_eq!(inbox.text(".nav .count"), "3");
    assert!(inbox.text("title").starts_with("(3) Inbox"), "{}", inbox.text("title"));
    assert_eq!(inbox.text("#card-title"), "third", "the newest lies on the table");
    let second = &inbox.attributes("a.row", "href")[1];
    assert_eq!(ada.open(second).await.text("#card-title"), "second");
    app.decider().approve(&ids[1]).await;
    assert_eq!(ada.open("/inbox").await.texts(".row-title"), ["third", "first"]);
    for id in [&ids[0], &ids[2]] {
        app.decider().approve(id).await;
    }
    let empty = ada.open("/inbox").await;
    assert!(empty.html.contains("Nothing waits for you") && !empty.has("a.row"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_long_inbox_has_pages_that_miss_nothing_and_repeat_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    // All in the same microsecond: the order has to be total all the same.
    for number in 0..120 {
        app.agent().proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
    }
    let (mut seen, mut address) = (Vec::new(), "/inbox".to_owned());
    for rows in [50, 50, 20] {
        let page = ada.open(&address).await;
        let titles = page.texts(".row-title");
        assert_eq!(titles.len(), rows);
        seen.extend(titles);
        match page.attributes("a.more[href*=cursor]", "href").pop() {
            Some(older) => address = older,
            None => assert_eq!(rows, 20),
        }
        assert_eq!(page.text(".nav .count"), "120");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 120);
    for cursor in ["x", "1.act_x", "99999999999999999999.act_BwcHBwcHBwcHBwcHBwcHBw", "%00"] {
        let page = ada.open(&format!("/inbox?cursor={cursor}")).await;
        assert!(
            page.status < 500,
            "{cursor}: a mistyped address is no fault of the server ({})",
            page.status
        );
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_carry_a_strict_policy_and_a_fresh_nonce(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail()).await;
    let mut nonces = Vec::new();
    for path in [
        "/inbox".to_owned(),
        format!("/inbox/{id}"),
        "/history".into(),
        "/sign-in?next=".into(),
        "/setup".into(),
        "/nowhere".into(),
    ] {
        let page = if path.starts_with("/sign-in") {
            app.browser().open(&path).await
        } else {
            ada.open(&path).await
        };
        let policy = page.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "script-src 'self' 'nonce-",
        ] {
            assert!(policy.contains(part), "{path}: {part} in {policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
        let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
        assert!(nonce.len() >= 22, "{nonce}");
        for script in
            page.document().select(&scraper::Selector::parse("script:not([src])").expect("a selector"))
        {
            assert_eq!(script.attr("nonce"), Some(nonce), "{path}: every inline script carries it");
        }
        assert!(!page.has("[onclick], [onload], [onerror], [style], style"), "{path}: nothing inline");
        nonces.push(nonce.to_owned());
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(page.header(name), value, "{path}: {name}");
        }
    }
    let count = nonces.len();
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), count, "never the same twice");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_not_there_is_a_page_with_status_404(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for path in [
        "/nowhere",
        "/inbox/act_BwcHBwcHBwcHBwcHBwcHBw",
        "/inbox/x",
        "/inbox/a/b",
        "/pkg/nothing.js",
        "/assets.json",
    ] {
        let page = ada.open(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.text("h1:not(.visually-hidden)").contains("Not found"), "{path}: {}", page.html);
        assert!(page.has("a[href='/inbox']"), "{path}: and the way back");
    }
    assert_eq!(ada.open("/").await.location(), "/inbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_api_is_described_to_everybody(db: PgPool) {
    let app = TestApp::start(&db).await;
    let page = app.browser().open("/docs").await;
    assert_eq!(page.status, 200);
    for words in ["Propose an action", "POST /v1/actions/{id}/claim", "idempotency_key", app.url.as_str()] {
        assert!(page.html.contains(words), "{words}");
    }
    assert!(!page.html.contains('`'), "code looks like code");
    // First what is set up first; within it first what is done first.
    let groups = page.texts("nav .docs-group");
    assert_eq!((groups[0].as_str(), groups[1].as_str(), groups.len()), ("keys", "actions", 9));
    assert_eq!(page.texts("section .docs-group"), groups);
    assert!(page.texts("nav .docs-group + p").iter().all(|about| about.ends_with('.')));
    assert_eq!(page.texts("nav .docs-group + p").len(), groups.len());
    let calls = page.texts("nav li li");
    let place = |call: &str| calls.iter().position(|each| each == call).expect(call);
    assert_eq!((place("Make a key"), place("List keys")), (0, 1));
    assert!(place("Propose an action") < place("Read an action"));
    assert!(place("Decide an action") < place("Decide many actions"));
    assert!(
        page.texts(".docs-text code").iter().any(|code| code == "wait"),
        "{:?}",
        page.texts(".docs-text code")
    );
    // Every link inside leads somewhere.
    let ids = page.attributes("[id]", "id");
    for target in page.attributes("a[href^='#']", "href") {
        assert!(ids.contains(&target[1..].to_owned()), "{target}");
    }
}
