//! The orders of the inbox: what waits by the time that is left, what is decided by when it was, and the way on from a
//! card that is past deciding.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    Page, TestApp,
    api::{Api, mail_with},
};

async fn waiting(agent: &Api, title: &str, minutes: u64) -> String {
    agent.proposed(&mail_with(json!({"title": title, "expires_in": minutes * 60}))).await
}

fn titles(page: &Page) -> Vec<String> {
    page.texts(".row-title")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_runs_out_first_is_first_and_the_address_says_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    for (title, minutes) in [("last", 600), ("first", 10), ("third", 300), ("second", 90)] {
        waiting(&agent, title, minutes).await;
        app.advance(1);
    }
    let page = ada.open("/inbox").await;
    assert_eq!(titles(&page), ["second", "third", "first", "last"], "the newest first");
    assert_eq!(page.texts(".order-link[aria-current]"), ["Newest first"]);
    assert_eq!(page.text("#due"), "1 runs out within 15 minutes");
    assert_eq!(page.attributes("#due a", "href"), ["/inbox?order=due"]);
    let link = page.attributes(".order-link", "href").remove(1);
    let page = ada.open(&link).await;
    assert_eq!((link.as_str(), page.text("#card-title").as_str()), ("/inbox?order=due", "first"));
    assert_eq!(titles(&page), ["first", "second", "third", "last"]);
    assert_eq!(page.texts(".order-link[aria-current]"), ["Running out first"]);
    assert_eq!(page.text("#due"), "1 runs out within 15 minutes");
    assert!(!page.has("#due a"), "this is where it leads");
    // The order stays with every way out of the list and back.
    assert_eq!(page.attributes(".tab", "href")[1], "/inbox?status=approved&order=due");
    assert_eq!(page.attributes(".finder input[name=order]", "value"), ["due"]);
    assert_eq!(page.attributes("#bulk input[name=order]", "value"), ["due"]);
    let card = page.attributes("a.row", "href").remove(1);
    assert!(card.starts_with("/inbox?order=due&at=act_"), "{card}");
    assert_eq!(ada.open(&card).await.attributes("a.back", "href"), ["/inbox?order=due"]);

    // In another tab it has no meaning, and is not forgotten.
    let other = ada.open("/inbox?status=approved&order=due").await;
    assert!(!other.has(".order") && !other.has(".inbox-side [role=alert]"));
    assert_eq!(other.attributes(".tab", "href")[0], "/inbox?order=due");
    let wrong = ada.open("/inbox?order=weather").await;
    assert!(wrong.has(".inbox-side [role=alert]") && !wrong.has("a.row"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_by_time_left_hold_every_action_once_while_more_come_and_go(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    for number in 0..70_u64 {
        // Not in the order of their proposals, and several end at the same instant.
        waiting(&agent, &format!("number {number:02}"), 60 + (number * 7 % 70) / 3).await;
    }
    let first = ada.open("/inbox?order=due").await;
    let older = first.attributes("#older a", "href").remove(0);
    assert!(older.starts_with("/inbox?order=due&cursor="), "{older}");
    app.advance(1);
    let urgent = waiting(&agent, "urgent", 10).await;
    waiting(&agent, "far", 900).await;
    app.decider().approve(&first.attributes("li[data-key]", "data-key")[49]).await;
    let second = ada.open(&older).await;
    let mut all = [titles(&first), titles(&second)].concat();
    assert_eq!(all.last().map(String::as_str), Some("far"));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 71, "every one once, and what came further on");
    assert_eq!(second.text("#newer"), "Back to what runs out first");

    // Who is within the list is told what came, wherever it stands.
    let seen = first.attributes(".inbox-list", "data-seen").remove(0);
    let held = ada.open(&format!("/inbox?order=due&seen={seen}")).await;
    assert_eq!(held.text("#newer"), "2 new");
    assert!(!titles(&held).contains(&"urgent".to_owned()));
    assert_eq!(held.attributes(".inbox-list", "data-seen"), [seen]);
    assert_eq!(held.text("#due"), "1 runs out within 15 minutes", "and of what runs out all the same");
    let page = ada.open("/inbox?order=due").await;
    assert_eq!(page.attributes("li[data-key]", "data-key")[0], urgent);

    // What is late is gone from it before anybody notes it.
    app.advance(601);
    let page = ada.open("/inbox?order=due").await;
    assert!(!titles(&page).contains(&"urgent".to_owned()));
    assert_eq!(titles(&ada.open("/inbox?status=expired").await), ["urgent"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_search_is_ordered_too(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    waiting(&agent, "zebra late", 500).await;
    waiting(&agent, "zebra soon", 20).await;
    // More than what is looked at to tell a common word from a rare one.
    for number in 0..220 {
        waiting(&agent, &format!("common {number}"), 600 - number).await;
    }
    assert_eq!(titles(&ada.open("/inbox?q=zebra&order=due").await), ["zebra soon", "zebra late"]);
    let common = titles(&ada.open("/inbox?q=common&order=due").await);
    assert_eq!((common.len(), common[0].as_str()), (50, "common 219"));
    assert_eq!(titles(&ada.open("/inbox?q=zebra&kind=email.send&order=due").await).len(), 2);
    assert_eq!(titles(&ada.open("/inbox?agent=nobody&order=due").await).len(), 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_decided_last_is_on_top(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, decider, ada) = (app.agent(), app.decider(), app.ada().await);
    let mut ids = Vec::new();
    for number in 0..60 {
        ids.push(waiting(&agent, &format!("number {number:02}"), 600).await);
        app.advance(1);
    }
    // The oldest last, so that the order of the proposals is the other one.
    for id in ids.iter().rev() {
        decider.approve(id).await;
        app.advance(1);
    }
    let page = ada.open("/inbox?status=approved").await;
    assert_eq!(titles(&page)[..2], ["number 00", "number 01"]);
    let older = ada.open(&page.attributes("#older a", "href")[0]).await;
    assert_eq!(titles(&older).first().map(String::as_str), Some("number 50"));
    assert_eq!(titles(&older).len(), 10);
    // A claim changes an action, but not when it was approved.
    agent.post(&format!("/v1/actions/{}/claim", ids[40]), &json!({})).await.expect(200);
    assert_eq!(titles(&ada.open("/inbox?status=approved").await), titles(&page));
    // Whoever was within the list is told what came to it.
    let seen = page.attributes(".inbox-list", "data-seen").remove(0);
    let late = waiting(&agent, "late", 600).await;
    app.advance(1);
    decider.approve(&late).await;
    let held = ada.open(&format!("/inbox?status=approved&seen={seen}")).await;
    assert_eq!((held.text("#newer").as_str(), titles(&held)[0].as_str()), ("1 new", "number 00"));

    for (id, status) in [(&ids[3], "executed"), (&ids[9], "executed"), (&ids[5], "executed")] {
        agent.report(id, &json!({"status": status})).await.expect(200);
        app.advance(1);
    }
    let page = ada.open("/inbox?status=executed").await;
    assert_eq!(titles(&page), ["number 05", "number 09", "number 03"]);
    // Programs read them as before.
    let listed = agent.get("/v1/actions?status=executed").await.expect(200);
    let listed: Vec<_> =
        listed["items"].as_array().expect("a list").iter().map(|item| &item["title"]).collect();
    assert_eq!(listed, ["number 09", "number 05", "number 03"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_expired_is_in_order_whether_anybody_noted_it_or_not(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    for (title, minutes) in [("second", 6), ("third", 7), ("first", 5)] {
        waiting(&agent, title, minutes).await;
    }
    app.advance(5 * 60 + 1);
    assert_eq!(
        app.on_server(|services| async move { services.expire_due().await.expect("it can") }).await,
        1
    );
    app.advance(2 * 60);
    assert_eq!(titles(&ada.open("/inbox?status=expired").await), ["third", "second", "first"]);
    assert_eq!(
        app.on_server(|services| async move { services.expire_due().await.expect("it can") }).await,
        2
    );
    assert_eq!(titles(&ada.open("/inbox?status=expired").await), ["third", "second", "first"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_row_that_waits_says_how_old_it_is_and_what_is_left(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    waiting(&agent, "one", 3 * 24 * 60).await;
    app.advance(9 * 60);
    let page = ada.open("/inbox").await;
    assert_eq!(page.text(".row-time"), "2 d 23 h left");
    assert_eq!(page.text(".row-age"), "proposed 9 min ago");
    assert_eq!(page.text("#due"), "");
    // It will be one of those that run out, a moment after it comes to that.
    let more = page.attributes("[data-more-in]", "data-more-in").remove(0);
    let more: u64 = more.parse().expect("seconds");
    app.advance(more - 2);
    assert_eq!(ada.open("/inbox").await.text("#due"), "");
    app.advance(2);
    assert_eq!(ada.open("/inbox").await.text("#due"), "1 runs out within 15 minutes");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_plain_decision_leads_on_in_the_same_list(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let mut ids = Vec::new();
    for (title, minutes) in [("acme c", 300), ("other", 50), ("acme a", 100), ("acme b", 200)] {
        ids.push(waiting(&agent, title, minutes).await);
        app.advance(1);
    }
    let mut address = format!("/inbox?q=acme&order=due&at={}", ids[2]);
    for (id, next) in [(&ids[2], Some(&ids[3])), (&ids[3], Some(&ids[0])), (&ids[0], None)] {
        let card = ada.open(&address).await;
        assert!(!card.has("#next a"), "it waits: the decision comes first");
        let mut fields = card.decide_form();
        fields.push(("verdict".into(), "approve".into()));
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = ada.submit("/rpc/decide_action", &fields).await;
        assert_eq!(answer.location(), format!("/inbox/{id}?done=1&q=acme&order=due"));
        let done = ada.follow(&answer).await;
        assert_eq!(done.attributes("a.back", "href"), ["/inbox?q=acme&order=due"]);
        let on = done.attributes("#next a", "href").pop();
        assert_eq!(on, next.map(|next| format!("/inbox?q=acme&order=due&at={next}")));
        address = on.unwrap_or_default();
    }
    // Nothing of the search waits any more; the newest first goes on with what is older.
    let done = ada.open(&format!("/inbox/{}?done=1", ids[2])).await;
    assert_eq!(done.attributes("#next a", "href"), [format!("/inbox?at={}", ids[1])]);
    // What comes from the form stays in its place.
    let fields = [
        ("id", ids[1].as_str()),
        ("seen", "x"),
        ("verdict", "approve"),
        ("filter[q]", "a&at=b"),
        ("filter[order]", "//evil.example"),
    ];
    let answer = ada.submit("/rpc/decide_action", &fields).await;
    let refused = format!("/inbox/{}?refused=stale&q=a%26at%3Db&order=%2F%2Fevil.example", ids[1]);
    assert_eq!(answer.location(), refused);
    assert_eq!(ada.follow(&answer).await.status, 200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_second_look_keeps_the_list(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail_with(json!({"title": "once", "idempotent": false}))).await;
    let mut fields = ada.open(&format!("/inbox?q=once&at={id}")).await.decide_form();
    fields.push(("verdict".into(), "approve".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let answer = ada.submit("/rpc/decide_action", &fields).await;
    assert_eq!((answer.status, answer.location()), (307, format!("/inbox/{id}/sure?q=once").as_str()));
    let look = ada.submit(answer.location(), &fields).await;
    assert_eq!(look.attributes("a.back", "href"), [format!("/inbox/{id}?q=once")]);
    let mut fields = look.controls("[action='/rpc/decide_action'] input");
    fields.push(("verdict".into(), "approve".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let answer = ada.submit("/rpc/decide_action", &fields).await;
    assert_eq!(answer.location(), format!("/inbox/{id}?done=1&q=once"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn from_a_card_that_expired_the_next_one_is_near(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    let old = waiting(&agent, "old", 500).await;
    app.advance(1);
    let late = waiting(&agent, "late", 5).await;
    app.advance(1);
    let new = waiting(&agent, "new", 600).await;
    app.advance(301);
    // What a page that is open asks for then: the card in sight stays.
    let page = ada.glance(&format!("/inbox?at={late}")).await;
    assert_eq!(page.text("#card-title"), "late");
    assert!(page.text(".decision-view").contains("Nobody decided within 5 min"));
    assert_eq!(
        page.attributes("#next a[data-swap]", "data-next"),
        [old.as_str()],
        "what came after it in the list"
    );
    let page = ada.open(&format!("/inbox?order=due&at={late}")).await;
    assert_eq!(page.attributes("#next a", "data-next"), [old.as_str()]);
    assert_eq!(page.text(".next-title"), "old");
    app.decider().approve(&old).await;
    let page = ada.open(&format!("/inbox?at={late}")).await;
    assert_eq!(page.attributes("#next a", "data-next"), [new.as_str()], "nothing is older: what is first");
    app.decider().approve(&new).await;
    assert!(!ada.open(&format!("/inbox?at={late}")).await.has("#next a"));
    assert!(!ada.open(&format!("/inbox?status=expired&at={late}")).await.has("#next a"), "it has its row");
}
