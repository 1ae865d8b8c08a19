//! Finding in the inbox: tabs, words, filters, pages, and what an address says.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    Page, TestApp,
    api::{mail, mail_with},
};

/// The tabs as they are read, the present one first in brackets.
fn tabs(page: &Page) -> Vec<String> {
    page.texts(".tab")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_status_has_a_tab_with_its_count(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, decider, ada) = (app.agent(), app.decider(), app.ada().await);
    let mut ids = Vec::new();
    for title in ["waits", "yes", "no", "late", "ran", "failed", "withdrawn"] {
        let expires = if title == "late" { 300 } else { 7_200 };
        ids.push(agent.proposed(&mail_with(json!({"title": title, "expires_in": expires}))).await);
        app.advance(1);
    }
    for yes in [1, 4, 5] {
        decider.approve(&ids[yes]).await;
    }
    decider.decide(&ids[2], &json!({"decision": "reject", "comment": "No."})).await.expect(200);
    agent.report(&ids[4], &json!({"status": "executed"})).await.expect(200);
    agent.report(&ids[5], &json!({"status": "execute_failed"})).await.expect(200);
    agent.post(&format!("/v1/actions/{}/cancel", ids[6]), &json!({})).await.expect(200);
    // Nobody came by to note it, and it is expired all the same.
    app.advance(301);
    let page = ada.open("/inbox").await;
    assert_eq!(
        tabs(&page),
        ["Pending 1", "Approved 1", "Rejected 1", "Expired 1", "Executed 1", "Failed 1", "Cancelled 1"]
    );
    assert_eq!(page.texts(".tab[aria-current]"), ["Pending 1"]);
    let links = page.attributes(".tab", "href");
    for (link, (title, badge)) in links.iter().zip([
        ("waits", ""),
        ("yes", "Approved"),
        ("no", "Rejected"),
        ("late", "Expired"),
        ("ran", "Executed"),
        ("failed", "Failed"),
        ("withdrawn", "Cancelled"),
    ]) {
        let page = ada.open(link).await;
        assert_eq!(page.texts(".row-title"), [title], "{link}");
        assert_eq!(page.texts(".row .status-badge").concat(), badge);
        assert_eq!(page.text("#card-title"), title, "the newest lies on the table");
        assert_eq!(page.has(".row-pick"), badge.is_empty(), "only what waits can be selected");
        let decided = matches!(title, "yes" | "no" | "ran" | "failed");
        assert_eq!(page.text(".row-facts").contains("by decider"), decided, "{}", page.text(".row-facts"));
    }
    assert_eq!(links[0], "/inbox");
    assert_eq!(links[5], "/inbox?status=execute_failed");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn words_kind_agent_and_days_narrow_every_tab(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let other = app.key("second agent", &[impri::domain::scope::Scope::Actions], None).await;
    let (agent, other) = (app.agent(), app.with_key(&other.key));
    let long = format!("{} Dear Ümlaut, it's about **the invoice** of May.", "Nothing to see. ".repeat(60));
    agent.proposed(&mail_with(json!({"title": "Acme first", "kind": "pay"}))).await;
    app.advance(1);
    agent
        .proposed(&mail_with(json!({"title": "Other", "preview": {"format": "markdown", "body": long}})))
        .await;
    app.advance(1);
    other.proposed(&mail_with(json!({"title": "Acme second"}))).await;
    app.advance(1);
    let yes = other.proposed(&mail_with(json!({"title": "Acme third", "kind": "pay"}))).await;
    app.decider().approve(&yes).await;

    let found = async |query: &str| ada.open(&format!("/inbox?{query}")).await.texts(".row-title");
    assert_eq!(found("q=acme").await, ["Acme second", "Acme first"]);
    assert_eq!(found("q=ACM+sec").await, ["Acme second"]);
    assert_eq!(found("kind=pay").await, ["Acme first"]);
    assert_eq!(found("agent=second+agent").await, ["Acme second"]);
    assert_eq!(found("status=approved&q=acme&kind=pay&agent=second+agent").await, ["Acme third"]);
    let today = app.clock.now().date().to_string();
    assert_eq!(found(&format!("since={today}&until={today}")).await.len(), 3);
    assert_eq!(found("until=2020-01-01").await.len(), 0);

    let page = ada.open("/inbox?q=acme").await;
    assert_eq!(tabs(&page)[..3], ["Pending 2", "Approved 1", "Rejected 0"], "the counts are of what fits");
    assert_eq!(page.texts(".row-title mark"), ["Acme", "Acme"]);
    assert_eq!(page.text(".nav .count"), "3", "what waits in all is still known");
    let page = ada.open("/inbox?q=invoice").await;
    let excerpt = page.text(".row-excerpt");
    assert!(excerpt.starts_with("… ") && excerpt.contains("it's about the invoice of May."), "{excerpt}");
    assert_eq!(page.texts(".row-excerpt mark"), ["invoice"], "a word deep in the text is shown where it is");

    let page = ada.open("/inbox?status=approved&q=acme&kind=pay").await;
    assert_eq!(page.texts(".chip strong"), ["acme", "pay"]);
    assert_eq!(
        page.attributes(".chip", "href"),
        ["/inbox?status=approved&kind=pay", "/inbox?status=approved&q=acme"]
    );
    assert_eq!(page.attributes(".tab", "href")[2], "/inbox?status=rejected&q=acme&kind=pay");
    assert_eq!(page.attributes("input[name=q]", "value"), ["acme"]);
    assert_eq!(page.attributes("#kinds option", "value"), ["email.send", "pay"]);
    assert_eq!(page.attributes("#agents option", "value"), ["first-agent", "second agent"]);
    let row = page.attributes("a.row", "href").remove(0);
    assert!(row.starts_with("/inbox?status=approved&q=acme&kind=pay&at=act_"), "{row}");
    assert_eq!(ada.open(&row).await.text("#card-title"), "Acme third");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_form_leaves_a_short_address(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    app.agent().proposed(&mail()).await;
    // What a browser sends of a form whose other fields are empty.
    let answer = ada.open("/inbox?status=rejected&q=a%26b+c&kind=&agent=&since=&until=").await;
    assert_eq!((answer.status, answer.location()), (302, "/inbox?status=rejected&q=a%26b%20c"));
    assert_eq!(ada.open("/inbox?q=&kind=&agent=&since=&until=").await.location(), "/inbox");
    let page = ada.follow(&answer).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.attributes("input[name=status]", "value"), ["rejected"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn where_nothing_fits_the_page_says_so_and_leads_back(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    app.agent().proposed(&mail()).await;
    let page = ada.open("/inbox?status=rejected&q=nothing").await;
    assert_eq!(page.text("#card-title"), "No rejected actions fit");
    assert_eq!(page.attributes(".empty-state a", "href"), ["/inbox?status=rejected"]);
    assert!(page.has(".tabs") && page.has(".finder"));
    assert_eq!(ada.open("/inbox?status=expired").await.text("#card-title"), "No expired actions");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_address_that_makes_no_sense_is_told_and_breaks_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail()).await;
    let long = "x".repeat(300);
    for query in [
        "status=weather",
        "status=%3Cscript%3E",
        "q=a%00b",
        "kind=%00",
        "since=yesterday",
        "since=-9999-01-01",
        "until=2026-13-40",
        "since=9999-12-31&until=9999-12-31",
        "cursor=x",
        "cursor=-300000000000000000.act_AAAAAAAAAAAAAAAAAAAAAA",
        &format!("q={long}"),
        &format!("agent={long}"),
    ] {
        let page = ada.open(&format!("/inbox?{query}")).await;
        assert_eq!(page.status, 200, "{query}");
        assert!(page.has(".inbox-side [role=alert]") && !page.has("a.row"), "{query}: {}", page.html);
    }
    for query in [
        "q=%27",
        "q=%7C%20%26%20!%20()",
        "q=%5C",
        "q=a:*",
        "q=%F0%9F%92%A9",
        "q=%FF",
        "seen=nonsense",
        "seen=-1.act_AAAAAAAAAAAAAAAAAAAAAA",
        "picked=none",
        "status=rejected&status=approved",
        "at=nonsense",
        "unknown=1",
    ] {
        let page = ada.open(&format!("/inbox?{query}")).await;
        assert!(page.status < 500, "{query}: {}", page.status);
        assert!(!page.has(".inbox-side [role=alert]"), "{query}");
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_of_a_search_hold_every_action_once_while_more_come(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    for number in 0..110 {
        let kind = if number % 2 == 0 { "even" } else { "odd" };
        agent.proposed(&mail_with(json!({"title": format!("number {number}"), "kind": kind}))).await;
    }
    let (mut seen, mut address) = (Vec::new(), "/inbox?kind=even&q=numb".to_owned());
    for rows in [50, 5] {
        let page = ada.open(&address).await;
        seen.extend(page.texts(".row-title"));
        assert_eq!(page.texts(".row-title").len(), rows);
        app.advance(1);
        agent
            .proposed(&mail_with(json!({"title": format!("number later than {rows}"), "kind": "even"})))
            .await;
        if let Some(older) = page.attributes("#older a", "href").pop() {
            assert!(older.starts_with("/inbox?q=numb&kind=even&cursor="), "{older}");
            address = older;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 55);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_reader_within_the_list_is_told_what_is_new(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    for number in 0..60 {
        agent.proposed(&mail_with(json!({"title": format!("number {number}")}))).await;
    }
    let page = ada.open("/inbox").await;
    let seen = page.attributes(".inbox-list", "data-seen").remove(0);
    let older = page.attributes("#older a", "href").remove(0);
    app.advance(1);
    for title in ["new", "newer", "newest"] {
        agent.proposed(&mail_with(json!({"title": title}))).await;
    }
    let held = ada.open(&format!("/inbox?seen={seen}")).await;
    assert_eq!(held.text("#newer"), "3 new");
    assert_eq!(held.texts(".row-title"), page.texts(".row-title"), "not a row has moved");
    assert_eq!(held.attributes(".inbox-list", "data-seen"), [seen.as_str()]);
    assert_eq!(held.attributes("#newer a", "href"), ["/inbox"]);
    assert_eq!(held.text(".nav .count"), "63");
    assert_eq!(tabs(&held)[0], "Pending 63");
    let paged = ada.open(&format!("{older}&seen={seen}")).await;
    assert_eq!(paged.text("#newer"), "3 new");
    assert_eq!(paged.texts(".row-title").len(), 10);
    let paged = ada.open(&older).await;
    assert_eq!(paged.text("#newer"), "Back to the newest");
    let newest = paged.attributes(".inbox-list", "data-seen").remove(0);
    assert_eq!(newest, ada.open("/inbox").await.attributes(".inbox-list", "data-seen")[0]);
    // Of another tab nothing is new.
    let other = ada.open(&format!("/inbox?status=rejected&seen={seen}")).await;
    assert_eq!(other.text("#newer"), "");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn common_and_rare_words_are_found_and_counted(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, ada) = (app.agent(), app.ada().await);
    // More than what is looked at to tell a common word from a rare one; the rare one is the oldest.
    agent.proposed(&mail_with(json!({"title": "zebra common"}))).await;
    for number in 0..260 {
        agent.proposed(&mail_with(json!({"title": format!("common {number}")}))).await;
    }
    let page = ada.open("/inbox?q=zeb").await;
    assert_eq!(page.texts(".row-title"), ["zebra common"]);
    assert_eq!(tabs(&page)[..2], ["Pending 1", "Approved 0"]);
    let page = ada.open("/inbox?q=common").await;
    assert_eq!(page.texts(".row-title").len(), 50);
    assert_eq!(tabs(&page)[0], "Pending 99+");
    let page = ada.open("/inbox?q=zebra+common&kind=email.send").await;
    assert_eq!(page.texts(".row-title"), ["zebra common"]);
    let found = agent.get("/v1/actions?q=zebra&status=pending,approved").await.expect(200);
    assert_eq!(found["items"].as_array().map(Vec::len), Some(1));
    let found = agent.get("/v1/actions?q=common&limit=100").await.expect(200);
    assert_eq!(found["items"].as_array().map(Vec::len), Some(100));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn another_projects_actions_are_in_no_tab(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    app.agent().proposed(&mail_with(json!({"title": "Ours"}))).await;
    let (foreign, _) = app.foreign_project().await;
    let theirs = app.with_key(&foreign.key);
    let made =
        theirs.propose(&mail_with(json!({"title": "Theirs", "kind": "secret.kind"}))).await.expect(201);
    for query in ["", "?q=theirs", "?kind=secret.kind", "?agent=foreign+agent", "?status=approved&q=theirs"] {
        let page = ada.open(&format!("/inbox{query}")).await;
        assert!(!page.html.contains("Theirs") && !page.html.contains(made["id"].as_str().expect("an id")));
        assert!(!page.has("#kinds option[value='secret.kind'], #agents option[value='foreign agent']"));
    }
}
