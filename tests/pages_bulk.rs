//! Several actions at once: what is shown before they are decided, what is not approved with others, what came of each.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Browser, Page, TestApp, api::mail_with};

/// What a browser sends of the form: every field, and every box that is ticked.
fn fields(page: &Page) -> Vec<(String, String)> {
    let document = page.document();
    let controls = scraper::Selector::parse("#decide-many input[name]").expect("a selector");
    let mut fields: Vec<(String, String)> = document
        .select(&controls)
        .filter(|control| control.attr("type") != Some("checkbox") || control.attr("checked").is_some())
        .map(|control| {
            let value = control.attr("value").unwrap_or_default();
            (control.attr("name").expect("it is selected by it").to_owned(), value.to_owned())
        })
        .collect();
    fields.push(("sent[comment]".into(), String::new()));
    fields
}

async fn confirm(ada: &Browser, verdict: &str, ids: &[&String]) -> Page {
    let picks = ids.iter().map(|id| format!("&pick={id}")).collect::<Vec<_>>().concat();
    ada.open(&format!("/inbox/decide?verdict={verdict}{picks}")).await
}

async fn send(ada: &Browser, fields: &[(String, String)]) -> Page {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let answer = ada.submit("/rpc/decide_many", &fields).await;
    assert_eq!(answer.status, 302, "{}", answer.html);
    ada.follow(&answer).await
}

fn plain(title: &str) -> Value {
    mail_with(
        json!({"title": title, "preview": {"format": "plain", "body": format!("The text of {title}.")}}),
    )
}

async fn status(app: &TestApp, id: &str) -> Value {
    app.agent().read(id).await["status"].clone()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_ticked_is_shown_and_then_decided_with_one_reason(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let mut ids = Vec::new();
    for title in ["first", "second", "third"] {
        ids.push(agent.proposed(&plain(title)).await);
        app.advance(1);
    }
    let list = ada.open("/inbox?kind=email.send").await;
    assert_eq!(list.attributes(".row-pick input[name=pick][form=bulk]", "value").len(), 3);
    assert_eq!(list.attributes("#bulk", "action"), ["/inbox/decide"]);
    assert_eq!(list.attributes("#bulk input[name=kind]", "value"), ["email.send"]);
    assert!(!list.has(".row-pick input[checked]"));
    let all = list.attributes("#bulk a[data-pick-all]", "href").remove(0);
    assert_eq!(all, "/inbox?kind=email.send&picked=all");
    assert_eq!(ada.open(&all).await.attributes(".row-pick input[checked]", "value").len(), 3);

    let picks = format!("&pick={}&pick={}&kind=email.send", ids[2], ids[0]);
    let page = ada.open(&format!("/inbox/decide?verdict=approve{picks}")).await;
    assert_eq!((page.status, page.text("h1").as_str()), (200, "Approve 2 actions?"));
    assert_eq!(page.texts(".many-title"), ["third", "first"]);
    let digest = agent.read(&ids[0]).await["content_sha256"].as_str().expect("a digest").to_owned();
    assert_eq!(
        page.attributes(&format!("input[name='sent[picks][{}]'][checked]", ids[0]), "value"),
        [digest]
    );
    assert_eq!(page.texts(".many-body"), ["The text of third.", "The text of first."]);
    assert_eq!(status(&app, &ids[0]).await, "pending", "looking decides nothing");

    let mut form = fields(&page);
    form.iter_mut().find(|field| field.0 == "sent[comment]").expect("a reason").1 = "Go\nahead.".into();
    let done = send(&ada, &form).await;
    assert_eq!(done.text("h1"), "2 decided");
    let lines = done.texts(".many-gone li");
    assert_eq!(lines, ["Approvedfirstby you", "Approvedthirdby you"]);
    assert_eq!(done.attributes("a.button", "href"), ["/inbox?kind=email.send"], "back to the same list");
    for id in [&ids[0], &ids[2]] {
        let read = agent.read(id).await;
        assert_eq!(
            (&read["status"], &read["decision"]["comment"]),
            (&json!("approved"), &json!("Go\nahead."))
        );
        assert_eq!(read["decision"]["channel"], "web");
        assert!(read.get("original").is_none(), "as it was proposed");
    }
    assert_eq!(status(&app, &ids[1]).await, "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_could_do_more_harm_needs_a_tick_of_its_own(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let same = plain("same as before");
    let before = agent.proposed(&same).await;
    app.decider().decide(&before, &json!({"decision": "reject"})).await.expect(200);
    app.advance(120);
    let ordinary = agent.proposed(&plain("ordinary")).await;
    let with = |title: &str, more: Value| {
        let mut all = plain(title);
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    let special = [
        (with("twice", json!({"idempotent": false})), "Not idempotent"),
        (with("editable", json!({"editable": ["preview.body"]})), "Editable: preview.body."),
        (with("hidden \u{202E}text", json!({})), "Title:"),
        (same, "The same content was rejected by decider 2 min ago."),
    ];
    let mut ids = vec![ordinary.clone()];
    for (proposal, _) in &special {
        ids.push(agent.proposed(proposal).await);
    }
    let page = confirm(&ada, "approve", &ids.iter().collect::<Vec<_>>()).await;
    assert_eq!(page.text("h1"), "Approve 5 actions?");
    for ((_, reason), id) in special.iter().zip(&ids[1..]) {
        let said = page.text(&format!("[data-key='{id}'] .warning"));
        assert!(said.contains(reason), "{reason}: {said}");
        assert!(page.has(&format!("input[name='sent[own][{id}]']:not([checked])")));
    }
    // As it comes, only the ordinary one is approved; the rest is named.
    let done = send(&ada, &fields(&page)).await;
    assert_eq!(done.text("h1"), "1 decided, 4 not");
    assert_eq!(done.texts(".many-reason"), ["You left it unticked, so nothing was decided."; 4]);
    assert_eq!(status(&app, &ordinary).await, "approved");

    // A form that ticks them among the others is refused one by one.
    let digest =
        async |id: &str| agent.read(id).await["content_sha256"].as_str().expect("a digest").to_owned();
    let mut forged = vec![("sent[verdict]".to_owned(), "approve".to_owned())];
    for id in &ids[1..] {
        forged.push((format!("sent[picks][{id}]"), digest(id).await));
    }
    let done = send(&ada, &forged).await;
    assert_eq!(done.text("h1"), "None decided, 4 not");
    assert!(done.texts(".many-reason").iter().all(|reason| reason.contains("a tick of its own")));
    for id in &ids[1..] {
        assert_eq!(status(&app, id).await, "pending");
    }
    // Ticked by themselves they are approved.
    let page = confirm(&ada, "approve", &ids[1..].iter().collect::<Vec<_>>()).await;
    let mut form = fields(&page);
    for id in &ids[1..] {
        form.push((format!("sent[own][{id}]"), digest(id).await));
    }
    assert_eq!(send(&ada, &form).await.text("h1"), "4 decided");
    for id in &ids[1..] {
        assert_eq!(status(&app, id).await, "approved");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nothing_is_approved_that_was_not_shown_whole(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let body = format!("First line.\n{}", "And so on. ".repeat(200));
    let long = agent
        .proposed(&mail_with(json!({"title": "long", "preview": {"format": "plain", "body": body}})))
        .await;
    let payload = json!({"rows": (0..100).collect::<Vec<_>>()});
    let wide = agent.proposed(&mail_with(json!({"title": "wide", "payload": payload}))).await;
    let short = agent.proposed(&mail_with(json!({"title": "short", "payload": {"n": 1}}))).await;
    let ids = [&long, &wide, &short];
    let page = confirm(&ada, "approve", &ids).await;
    assert_eq!(page.text("h1"), "Approve 1 action?");
    assert!(page.html.contains("Too long to approve here"));
    assert!(
        page.text(&format!("[data-key='{long}'] .many-rest")).contains("more characters not shown. Open it")
    );
    assert!(page.text(&format!("[data-key='{wide}'] .many-rest")).contains("The payload not shown."));
    assert!(
        !page.has(&format!("[data-key='{long}'] input, [data-key='{wide}'] input")),
        "there is nothing to tick"
    );
    assert!(page.text(&format!("[data-key='{short}']")).contains("\"n\": 1"), "its payload is shown");

    let digest = agent.read(&long).await["content_sha256"].as_str().expect("a digest").to_owned();
    for list in ["picks", "own"] {
        let form = [
            ("sent[verdict]".to_owned(), "approve".to_owned()),
            (format!("sent[{list}][{long}]"), digest.clone()),
        ];
        let done = send(&ada, &form).await;
        assert!(done.text(".many-reason").contains("too long to be approved with others"), "{}", done.html);
    }
    assert_eq!(status(&app, &long).await, "pending");

    let page = confirm(&ada, "reject", &ids).await;
    assert_eq!(page.text("h1"), "Reject 3 actions?");
    assert_eq!(
        page.attributes(".many-pick input[checked]", "value").len(),
        3,
        "what is long can be rejected"
    );
    assert_eq!(send(&ada, &fields(&page)).await.text("h1"), "3 decided");
    for id in ids {
        assert_eq!(status(&app, id).await, "rejected");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn each_has_an_outcome_of_its_own(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let mut ids = Vec::new();
    for title in ["mine", "theirs", "late", "stale"] {
        let mut proposal = plain(title);
        proposal["expires_in"] = json!(if title == "late" { 300 } else { 3_600 });
        ids.push(agent.proposed(&proposal).await);
        app.advance(1);
    }
    let page = confirm(&ada, "approve", &ids.iter().collect::<Vec<_>>()).await;
    let mut form = fields(&page);
    app.decider().decide(&ids[1], &json!({"decision": "reject"})).await.expect(200);
    app.advance(300);
    let stale = format!("sent[picks][{}]", ids[3]);
    form.iter_mut().find(|field| field.0 == stale).expect("ticked").1 = "0".repeat(64);
    let done = send(&ada, &form).await;
    assert_eq!(done.text("h1"), "1 decided, 3 not");
    let lines = done.texts(".many-gone li");
    assert!(lines[0].starts_with("Rejectedtheirsby deciderThis was already decided."), "{lines:?}");
    assert!(lines[1].starts_with("ExpiredlateThe time to decide is over."), "{lines:?}");
    assert!(lines[2].starts_with("PendingstaleThe content is not what this page showed."), "{lines:?}");
    assert_eq!(lines[3], "Approvedmineby you");
    assert_eq!(status(&app, &ids[3]).await, "pending");
    // The same form again decides nothing twice.
    let again = send(&ada, &form).await;
    assert_eq!(again.text("h1"), "None decided, 4 not");
    // Who opens the page later finds what has become of them, whatever the address says.
    let made_up = ada.open(&format!("/inbox/decided?done={}&done={}&done=x", ids[1], ids[3])).await;
    assert_eq!(made_up.text("h1"), "None decided, 3 not");
    let page = confirm(&ada, "approve", &ids.iter().collect::<Vec<_>>()).await;
    assert_eq!(page.text("h1"), "Approve 1 action?");
    assert_eq!(page.texts(".many-gone li").len(), 3, "what is past deciding is said to be");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_selection_that_makes_no_sense_is_told_and_decides_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let id = agent.proposed(&plain("one")).await;
    let (foreign, _) = app.foreign_project().await;
    let theirs = app.with_key(&foreign.key).proposed(&plain("Theirs")).await;
    for query in ["", "?verdict=approve", "?verdict=maybe&pick=x", "?pick=x", "?verdict=approve&pick="] {
        let page = ada.open(&format!("/inbox/decide{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert!(!page.has("#decide-many"), "{query}: {}", page.html);
    }
    let many = "&pick=act_AAAAAAAAAAAAAAAAAAAAAA".repeat(3);
    let page =
        ada.open(&format!("/inbox/decide?verdict=approve{many}&pick={id}&pick={id}&pick={theirs}")).await;
    assert_eq!(page.texts("#decide-many .many-title"), ["one"], "once, and nothing of another project");
    assert!(!page.html.contains("Theirs"));
    let fifty = (0..51).map(|number| format!("&pick=x{number}")).collect::<Vec<_>>().concat();
    let page = ada.open(&format!("/inbox/decide?verdict=reject{fifty}")).await;
    assert!(page.text("[role=alert]").contains("At most 50"));

    let seen = agent.read(&id).await["content_sha256"].as_str().expect("a digest").to_owned();
    let pick = format!("sent[picks][{id}]");
    for form in [
        vec![("sent[verdict]", "maybe"), (pick.as_str(), seen.as_str())],
        vec![(pick.as_str(), seen.as_str())],
        vec![],
        vec![("sent[verdict]", "approve"), (pick.as_str(), "")],
        vec![("sent[verdict]", "approve"), (pick.as_str(), "x")],
    ] {
        let answer = ada.submit("/rpc/decide_many", &form).await;
        assert_eq!(answer.status, 302, "{form:?}: {}", answer.html);
        assert_eq!(ada.follow(&answer).await.status, 200, "{form:?}");
    }
    assert_eq!(status(&app, &id).await, "pending");
    let foreign_pick = format!("sent[picks][{theirs}]");
    let answer =
        ada.submit("/rpc/decide_many", &[("sent[verdict]", "approve"), (&foreign_pick, &seen)]).await;
    assert!(ada.follow(&answer).await.text(".many-gone").contains("There is no action"));
    assert_eq!(app.with_key(&foreign.key).read(&theirs).await["status"], "pending");
}
