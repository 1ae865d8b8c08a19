//! Lists of actions: what is found, page by page, and waiting for any of several.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{TestApp, api::mail, api::mail_with};

fn ids(page: &Value) -> Vec<&str> {
    page["items"].as_array().expect("items").iter().map(|item| item["id"].as_str().expect("an id")).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn lists_are_filtered_by_everything_that_the_contract_names(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (agent, decider) = (app.agent(), app.decider());
    let old = agent.proposed(&mail_with(json!({"title": "Invoice 17 for Acme", "kind": "pay"}))).await;
    app.advance(100);
    let body = json!({"title": "Another", "preview": {"body": "Dear Ümlaut, it's the second invoice"}});
    let new = agent.proposed(&mail_with(body)).await;
    let yes = agent.proposed(&mail_with(json!({"title": "Yes"}))).await;
    decider.approve(&yes).await;
    let since = agent.read(&new).await["created_at"].as_i64().expect("an instant");

    let found = async |query: &str| {
        let page = agent.get(&format!("/v1/actions{query}")).await.expect(200);
        ids(&page).into_iter().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let set = |of: &[&String]| of.iter().map(|id| (*id).clone()).collect::<BTreeSet<_>>();
    assert_eq!(found("").await, set(&[&old, &new, &yes]));
    assert_eq!(found("?status=pending").await, set(&[&old, &new]));
    assert_eq!(found("?status=pending,approved").await, set(&[&old, &new, &yes]));
    assert_eq!(found("?status=rejected&status=approved").await, set(&[&yes]));
    assert_eq!(found("?kind=pay").await, set(&[&old]));
    assert_eq!(found(&format!("?since={since}")).await, set(&[&new, &yes]));
    assert_eq!(found(&format!("?until={}", since - 1)).await, set(&[&old]));
    assert_eq!(found("?q=invoice").await, set(&[&old, &new]));
    assert_eq!(found("?q=INV%20acme").await, set(&[&old]));
    assert_eq!(found("?q=%C3%BCml").await, set(&[&new]));
    assert_eq!(found("?q=it's").await, set(&[&new]));
    assert_eq!(found("?q=nothing").await, set(&[]));
    for syntax in ["a|b", "!x", "'", "\\", "a:*", "(", "a & b"] {
        let query: String = url::form_urlencoded::byte_serialize(syntax.as_bytes()).collect();
        found(&format!("?q={query}")).await;
    }
}

/// PostgreSQL's own reading of such texts takes minutes, and holds a connection for as long.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn no_text_takes_long_to_be_taken_apart(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    for nasty in ["<!--", "~/", "a_b-1.", "<a ", "&#", "http://a/?", "a@a."] {
        let body = format!("{} /etc/passwd of sarah@acme.example", nasty.repeat(200_000 / nasty.len()));
        let id = agent.proposed(&mail_with(json!({"preview": {"body": body}}))).await;
        for words in ["passwd", "/etc/passwd", "acme", "sarah@acme"] {
            let page = agent.get(&format!("/v1/actions?q={words}")).await.expect(200);
            assert!(ids(&page).contains(&id.as_str()), "{words} after {nasty}");
        }
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_late_is_expired_before_the_clock_comes_by(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail_with(json!({"expires_in": 300}))).await;
    app.advance(301);
    let page = app.agent().get("/v1/actions?status=expired").await.expect(200);
    assert_eq!((ids(&page), &page["items"][0]["status"]), (vec![id.as_str()], &json!("expired")));
    let page = app.agent().get("/v1/actions?status=pending").await.expect(200);
    assert_eq!(ids(&page), Vec::<&str>::new());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_hold_every_action_once_while_more_are_proposed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let mut there = BTreeSet::new();
    for index in 0..25 {
        // Many in the same instant: the id decides between them.
        there.insert(agent.proposed(&mail_with(json!({"title": format!("Number {index}")}))).await);
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for round in 0.. {
        let page = agent.get(&format!("/v1/actions?limit=7{cursor}")).await.expect(200);
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        app.advance(1);
        agent.proposed(&mail_with(json!({"title": format!("Later {round}")}))).await;
        assert_eq!(page["has_more"], page["next_cursor"].is_string());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), there);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_wrong_with_a_query_is_named(db: PgPool) {
    let app = TestApp::start(&db).await;
    for (query, field) in [
        ("status=open", "status"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=many", "limit"),
        ("since=yesterday", "since"),
        ("until=99999999999999", "until"),
        ("since=-1", "since"),
        ("cursor=x", "cursor"),
        ("q=%00", "q"),
        ("kind=a%00", "kind"),
        ("wait=5", "wait"),
    ] {
        app.agent().get(&format!("/v1/actions?{query}")).await.issue(field);
    }
    app.agent().get(&format!("/v1/actions?q={}", "x".repeat(201))).await.issue("q");
    let both = app.agent().get("/v1/actions?limit=0&status=open").await;
    assert!(both.issue("limit").is_object() && both.issue("status").is_object());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agent_waits_for_any_of_many(db: PgPool) {
    let app = TestApp::start(&db).await;
    let agent = app.agent();
    let mut proposed = Vec::new();
    for index in 0..10 {
        proposed.push(agent.proposed(&mail_with(json!({"title": format!("Number {index}")}))).await);
    }
    let path = format!("/v1/actions?ids={}&wait=60", proposed.join(","));
    let waiting = tokio::spawn({
        let (agent, path) = (agent.clone(), path.clone());
        async move { agent.get(&path).await }
    });
    app.parked(10).await;
    let since = Instant::now();
    app.decider().approve(&proposed[7]).await;
    let page = waiting.await.expect("an answer").expect(200);
    assert!(since.elapsed() < Duration::from_secs(5), "woken after {:?}", since.elapsed());
    let approved: Vec<&str> = page["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter(|item| item["status"] == "approved")
        .map(|item| item["id"].as_str().expect("an id"))
        .collect();
    assert_eq!((ids(&page).len(), approved), (10, vec![proposed[7].as_str()]));
    // One is decided, so the next call answers at once.
    let since = Instant::now();
    agent.get(&path).await.expect(200);
    assert!(since.elapsed() < Duration::from_secs(5));
    app.parked(0).await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn waiting_for_many_names_what_is_not_there(db: PgPool) {
    let app = TestApp::start(&db).await;
    let id = app.agent().proposed(&mail()).await;
    app.agent().get(&format!("/v1/actions?ids={id},act_AAAAAAAAAAAAAAAAAAAAAA")).await.refusal(404);
    app.agent().get(&format!("/v1/actions?ids={id},nonsense")).await.refusal(404);
    app.agent().get(&format!("/v1/actions?ids={id}&wait=61")).await.issue("wait");
    let many = vec![id.as_str(); 101].join(",");
    app.agent().get(&format!("/v1/actions?ids={many}")).await.issue("ids");
    let page = app.agent().get(&format!("/v1/actions?ids={id},{id}&wait=0")).await.expect(200);
    assert_eq!(ids(&page), [id]);
}
