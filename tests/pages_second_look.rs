//! What has an effect of its own each time, or was edited, is approved with two presses, with a script or without.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    Page, TestApp,
    api::{mail, mail_with},
};

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// The fields of the form that says yes for good.
fn yes(page: &Page) -> Vec<(String, String)> {
    let mut fields = page.controls("[action='/rpc/decide_action'] input");
    fields.push(("verdict".into(), "approve".into()));
    fields
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_not_idempotent_takes_two_presses(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({
        "idempotent": false,
        "title": "Refund <b>129</b> EUR",
        "preview": {"format": "markdown", "body": "To **Ann\u{200b}a**"},
        "payload": {"iban": "DE02120300000000202051"},
        "target_url": "https://bank.example/refunds",
        "undo": "Ask the bank",
    }));
    let id = app.agent().proposed(&proposal).await;
    let sent = ada.decide_fields(&id, "approve", &[("comment", "go\nahead")]).await;
    let answer = ada.submit("/rpc/decide_action", &borrowed(&sent)).await;
    assert_eq!((answer.status, answer.location()), (307, format!("/inbox/{id}/sure").as_str()));
    assert_eq!(app.agent().read(&id).await["status"], "pending");

    let page = ada.submit(answer.location(), &borrowed(&sent)).await;
    assert_eq!(page.status, 200);
    let shown = page.text(".second-look");
    for part in [
        "Refund <b>129</b> EUR",
        "Not idempotent",
        "at bank.example",
        "Look closely",
        "Ask the bank",
        "DE0212030000",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(page.text(".second-look .preview strong").starts_with("Ann"), "rendered as on the card");
    assert!(page.headers.contains_key("content-security-policy"));
    assert_eq!(app.agent().read(&id).await["status"], "pending");

    let answer = ada.submit("/rpc/decide_action", &borrowed(&yes(&page))).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1"));
    let read = app.agent().read(&id).await;
    assert_eq!((&read["status"], &read["decision"]["comment"]), (&json!("approved"), &json!("go\nahead")));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_edited_is_shown_before_and_after_and_kept(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({
        "preview": {"format": "plain", "body": "We refund 129 EUR.\r\n"},
        "payload": {"amount": 129, "note": "as asked"},
        "editable": ["preview.body", "payload.amount", "payload.note"],
    }));
    let id = app.agent().proposed(&proposal).await;
    let typed = [("edits[0]", "We refund 99 EUR.\n\"Sorry\" & <bye>"), ("edits[1]", "99")];
    let sent = ada.decide_fields(&id, "approve", &typed).await;
    let answer = ada.submit("/rpc/decide_action", &borrowed(&sent)).await;
    assert_eq!(answer.status, 307);
    let page = ada.submit(answer.location(), &borrowed(&sent)).await;
    let shown = page.text(".second-look");
    for part in ["We refund 129 EUR.", "We refund 99 EUR.", "<bye>", "payload.amount", "with 2 edits"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains("payload.note") && !shown.contains("Not idempotent"), "{shown}");
    assert!(page.text(".second-look-content .preview").contains("We refund 99 EUR."), "what runs then");
    assert!(!page.text(".second-look-content .preview").contains("129"), "not what was proposed");
    let answer = ada.submit("/rpc/decide_action", &borrowed(&yes(&page))).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1"));
    let read = app.agent().read(&id).await;
    assert_eq!(read["preview"]["body"], "We refund 99 EUR.\r\n\"Sorry\" & <bye>");
    assert_eq!(read["payload"], json!({"amount": 99, "note": "as asked"}));
    let hint = "still the proposal's";
    assert!(!ada.follow(&answer).await.text(".decision-view").contains(hint), "the text was edited, too");

    let other = app.agent().proposed(&proposal).await;
    let answer = ada.submit_decide_form(&other, "approve", &[("edits[1]", "98")]).await;
    assert!(ada.follow(&answer).await.text(".decision-view").contains(hint));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn whoever_wants_to_change_something_gets_the_card_with_what_was_typed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({
        "payload": {"amount": 129},
        "editable": ["preview.body", "payload.amount"],
    }));
    let id = app.agent().proposed(&proposal).await;
    let typed = [("edits[0]", "Ours\nnow"), ("edits[1]", "99"), ("comment", "cheaper")];
    let sent = ada.decide_fields(&id, "approve", &typed).await;
    let answer = ada.submit("/rpc/decide_action", &borrowed(&sent)).await;
    let page = ada.submit(answer.location(), &borrowed(&sent)).await;
    let address = page.attributes("button[formaction]", "formaction");
    assert_eq!(address, [format!("/inbox/{id}")]);
    assert!(!page.has("button[formaction][name]"), "it says nothing about a verdict");

    let back = page.controls("[action='/rpc/decide_action'] input");
    let card = ada.submit(&address[0], &borrowed(&back)).await;
    assert_eq!((card.status, app.agent().read(&id).await["status"].as_str()), (200, Some("pending")));
    let form = card.decide_form();
    let text = |name: &str| form.iter().find(|field| field.0 == name).expect("a field").1.trim().to_owned();
    assert_eq!(["edits[0]", "edits[1]", "comment"].map(text), ["Ours\nnow", "99", "cheaper"]);
    assert!(!form.iter().any(|field| field.0 == "sure"), "the second look was not taken");
    let mut form = form.clone();
    form.push(("verdict".into(), "approve".into()));
    let answer = ada.submit("/rpc/decide_action", &borrowed(&form)).await;
    assert_eq!(answer.status, 307, "and is asked for again");

    // Whatever was sent along, the address of a card decides nothing.
    let mut yes = yes(&page);
    yes.push(("sure".into(), "true".into()));
    ada.submit(&address[0], &borrowed(&yes)).await;
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_one_word_says_that_somebody_looked_twice(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"idempotent": false}))).await;
    let sent = ada.decide_fields(&id, "approve", &[]).await;
    for word in ["", "0", "1", "false", "TRUE", "yes", "true "] {
        let mut sent = sent.clone();
        sent.push(("sure".into(), word.into()));
        let answer = ada.submit("/rpc/decide_action", &borrowed(&sent)).await;
        assert_eq!(
            (answer.status, answer.location()),
            (307, format!("/inbox/{id}/sure").as_str()),
            "{word:?}"
        );
        assert_eq!(ada.submit(answer.location(), &borrowed(&sent)).await.status, 200, "{word:?}");
        let alive = ada.call("decide_action", &borrowed(&sent)).await;
        assert_eq!((alive.status, alive.html.as_str()), (409, "\"Unsure\""), "{word:?}");
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_page_that_is_alive_is_asked_as_well(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"idempotent": false}))).await;
    let mut sent = ada.decide_fields(&id, "approve", &[]).await;
    let answer = ada.call("decide_action", &borrowed(&sent)).await;
    assert_eq!((answer.status, answer.html.as_str()), (409, "\"Unsure\""));
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    sent.push(("sure".into(), "true".into()));
    assert_eq!(ada.call("decide_action", &borrowed(&sent)).await.status, 200);
    // A no is one press, whatever it is about.
    let other = app.agent().proposed(&mail_with(json!({"idempotent": false, "title": "Another"}))).await;
    let no = ada.decide_fields(&other, "reject", &[]).await;
    assert_eq!(ada.call("decide_action", &borrowed(&no)).await.status, 200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_cannot_be_approved_any_more_is_not_asked_about(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(json!({"idempotent": false, "payload": {"n": 1}, "editable": ["payload.n"]}));
    let id = app.agent().proposed(&proposal).await;
    let ask = format!("/inbox/{id}/sure");
    for typed in ["many", "99999999999999999999"] {
        let misfit = ada.decide_fields(&id, "approve", &[("edits[0]", typed)]).await;
        for address in ["/rpc/decide_action", &ask] {
            let answer = ada.submit(address, &borrowed(&misfit)).await;
            assert_eq!(answer.location(), format!("/inbox/{id}?refused=bad-edit"), "{typed} {address}");
        }
    }
    let sent = ada.decide_fields(&id, "approve", &[]).await;
    assert_eq!(
        ada.open(&ask).await.location(),
        format!("/inbox/{id}"),
        "nothing was sent, so nothing is asked"
    );
    app.decider().approve(&id).await;
    for address in ["/rpc/decide_action", &ask] {
        let late = ada.submit(address, &borrowed(&sent)).await;
        assert_eq!(late.location(), format!("/inbox/{id}?refused=already-decided"), "{address}");
    }
    let stranger = app.browser().submit(&ask, &borrowed(&sent)).await;
    assert_eq!(stranger.location(), format!("/inbox/{id}?refused=signed-out"));
    let garbage = ada.submit(&ask, &[("nothing", "here")]).await;
    assert_eq!(garbage.location(), "/inbox");
    let other = app.agent().proposed(&mail()).await;
    let plain = ada.decide_fields(&other, "approve", &[]).await;
    let answer = ada.submit("/rpc/decide_action", &borrowed(&plain)).await;
    assert_eq!(answer.location(), format!("/inbox/{other}?done=1"), "one press for what can be repeated");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_value_that_does_not_fit_is_named(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"editable": ["preview.body", "title"]}))).await;
    for (text, problem) in
        [("x".repeat(501), "TooLong"), (String::new(), "Invalid"), ("a\0b".into(), "Invalid")]
    {
        for sure in ["", "true"] {
            let mut sent = ada.decide_fields(&id, "approve", &[("edits[1]", text.as_str())]).await;
            sent.push(("sure".into(), sure.into()));
            let answer = ada.call("decide_action", &borrowed(&sent)).await;
            let expected = format!("{{\"BadEdit\":{{\"index\":1,\"problem\":\"{problem}\"}}}}");
            assert_eq!((answer.status, answer.html), (422, expected), "{}", text.len());
        }
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_a_yes_to_the_card_of_the_address_is_asked_about(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"idempotent": false}))).await;
    let other = app.agent().proposed(&mail_with(json!({"idempotent": false, "title": "Another"}))).await;
    let sent = ada.decide_fields(&id, "approve", &[]).await;
    assert_eq!(ada.submit(&format!("/inbox/{id}/sure"), &borrowed(&sent)).await.status, 200);
    assert_eq!(ada.submit(&format!("/inbox/{other}/sure"), &borrowed(&sent)).await.location(), "/inbox");
    let no = ada.decide_fields(&id, "reject", &[]).await;
    assert_eq!(ada.submit(&format!("/inbox/{id}/sure"), &borrowed(&no)).await.location(), "/inbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_form_that_could_not_be_read_says_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"title": "Unread"}))).await;
    let mut sent = ada.decide_fields(&id, "approve", &[]).await;
    sent.push(("sure".into(), "true".into()));
    sent.push(("id".into(), id.clone()));
    let from = format!("{}/inbox/{id}", app.url);
    let headers = [("sec-fetch-site", "same-origin"), ("accept", "text/html"), ("referer", from.as_str())];
    let answer = ada.post("/rpc/decide_action", &borrowed(&sent), &headers).await;
    let page = ada.open(answer.location().trim_start_matches(&app.url)).await;
    assert!(page.html.contains("The request was not understood"), "{}", answer.location());
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}
