//! The history as a person reads it: every fact, filtered by the address, paged.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    TestApp,
    api::{mail, mail_with},
};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_fact_is_there_newest_first_with_who_through_which_door_and_on_what(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"editable": ["title"]}))).await;
    app.advance(60);
    ada.submit_decide_form(&id, "approve", &[("edits[0]", "Outreach: ACME"), ("comment", "typo")]).await;
    app.advance(60);
    app.agent()
        .report(&id, &json!({"status": "execute_failed", "detail": "mail server down"}))
        .await
        .expect(200);
    let history = ada.open("/history").await;
    let kinds = history.attributes(".history-table tbody tr", "data-event");
    assert_eq!(kinds[..3], ["action.execute_failed", "action.approved", "action.created"]);
    assert_eq!(history.texts(".history-who")[..3], ["first-agent", "Ada", "first-agent"]);
    let sentences = history.texts(".history-sentence");
    assert_eq!(sentences[0], "first-agent failed to run Outreach: Acme, through the API.");
    assert_eq!(sentences[1], "Ada approved Outreach: Acme with 1 edit, in the inbox.");
    assert_eq!(sentences[2], "first-agent proposed Outreach: Acme, through the API.");
    let what = history.texts(".history-what");
    assert!(what[0].contains("mail server down"), "{}", what[0]);
    assert!(what[1].contains("with 1 edit") && what[1].contains("typo"), "{}", what[1]);
    assert!(what[1].contains("Outreach: Acme") && what[1].contains("ACME"), "before and after: {}", what[1]);
    assert_eq!(history.attributes(".history-action", "href")[0], format!("/inbox/{id}"));
    for kind in ["person.signed_in", "key.created", "person.created", "project.created"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind} in {kinds:?}");
    }
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(
        card.attributes(".timeline li", "data-event"),
        ["action.created", "action.approved", "action.execute_failed"]
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn filters_live_in_the_address(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let (ada, bob) = (app.ada().await, app.signed_in("bob@example.org").await);
    let mut ids = Vec::new();
    for title in ["one", "two", "three"] {
        ids.push(app.agent().proposed(&mail_with(json!({"title": title}))).await);
    }
    ada.submit_decide_form(&ids[0], "approve", &[]).await;
    bob.submit_decide_form(&ids[1], "reject", &[]).await;
    app.advance(2 * 86_400);
    app.decider().approve(&ids[2]).await;

    let page = ada.open("/history").await;
    let people = page.attributes("select#person option", "value");
    let labels = page.texts("select#person option");
    let bobs = &people[labels.iter().position(|label| label == "Bob").expect("Bob can be chosen")];
    let (first_day, last_day) = {
        let last = app.clock.now().date();
        ((last - time::Duration::days(2)).to_string(), last.to_string())
    };
    let events = async |query: &str| -> Vec<String> {
        let page = ada.open(&format!("/history?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        page.attributes(".history-table tbody tr", "data-event")
    };
    assert_eq!(events(&format!("action={}", ids[0])).await, ["action.approved", "action.created"]);
    assert_eq!(events(&format!("person={bobs}&event=decisions")).await, ["action.rejected"]);
    assert_eq!(events("event=decisions").await, ["action.approved", "action.rejected", "action.approved"]);
    assert_eq!(
        events(&format!("event=action.&since={last_day}&until={last_day}")).await,
        ["action.approved"]
    );
    assert_eq!(
        events(&format!("event=decisions&until={first_day}")).await.len(),
        2,
        "the last day is included"
    );
    assert_eq!(events("event=action.expired").await, Vec::<String>::new());
    assert_eq!(
        events("action=&person=&event=&since=&until=").await.len(),
        events("").await.len(),
        "empty fields filter nothing"
    );

    let filtered = ada.open(&format!("/history?person={bobs}&event=decisions")).await;
    assert_eq!(filtered.attributes("select#person option[selected]", "value"), std::slice::from_ref(bobs));
    assert_eq!(
        filtered.attributes(".chip", "href"),
        ["/history?event=decisions".to_owned(), format!("/history?person={bobs}")]
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_filter_that_cannot_be_read_is_said_to_be_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for query in [
        "action=act_1",
        "person=Bob",
        "event=weather",
        "since=yesterday",
        "until=2026-13-01",
        "cursor=1",
        "cursor=1.x",
    ] {
        let page = ada.open(&format!("/history?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert!(page.has("[role=alert]") && page.has(".nothing"), "{query}: {}", page.html);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_long_history_has_pages_that_miss_nothing_and_repeat_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for number in 0..120 {
        app.agent().proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
    }
    let (mut seen, mut address) = (Vec::new(), "/history?event=action.created".to_owned());
    for rows in [50, 50, 20] {
        let page = ada.open(&address).await;
        let actions = page.attributes(".history-action", "href");
        assert_eq!(actions.len(), rows);
        seen.extend(actions);
        match page.attributes(".pager a[rel=next]", "href").pop() {
            Some(older) => {
                assert!(older.contains("event=action.created"), "the filter stays: {older}");
                address = older;
            }
            None => assert_eq!(rows, 20),
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 120);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_history_cannot_be_changed_not_even_with_sql(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    app.decider().approve(&id).await;
    for sql in [
        "update audit_event set actor_name = 'Mallory'",
        "delete from audit_event",
        "truncate audit_event",
        "update decision set decider_name = 'Mallory'",
        "delete from decision",
    ] {
        let error = sqlx::query(sql).execute(&db).await.expect_err(sql);
        assert!(error.to_string().contains("append-only"), "{sql}: {error}");
    }
}
