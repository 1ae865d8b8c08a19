//! Many decide the same action at the same moment, through every door, on two servers: one wins.

use impri::domain::audit::Actor;
use impri::domain::decision::Channel;
use impri::domain::ids::ActionId;
use impri::domain::role::Role;
use impri::domain::scope::Scope;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Browser, TestApp, api::mail, api::mail_with, eventually};

/// What one of the racers heard.
enum Heard {
    Won,
    Lost { winner: String },
}

/// A program decides.
async fn by_key(app: &TestApp, id: &str, verdict: &str) -> Heard {
    let answer = app.decider().decide(id, &json!({"decision": verdict})).await;
    match answer.status {
        200 => Heard::Won,
        409 => {
            let status = answer.json["current_status"].as_str().expect("a status");
            assert!(matches!(status, "approved" | "rejected"), "{}", answer.text);
            Heard::Lost { winner: answer.json["decided_by"].as_str().expect("a winner").to_owned() }
        }
        _ => panic!("{}", answer.text),
    }
}

/// A person presses a button of a plain form.
async fn by_form(browser: &Browser, id: &str, seen: &str, verdict: &str) -> Heard {
    let fields = [("id", id), ("seen", seen), ("verdict", verdict), ("comment", "")];
    let answer = browser.submit("/rpc/decide_action", &fields).await;
    assert_eq!(answer.status, 302, "{}", answer.html);
    if answer.location() == format!("/inbox/{id}?done=1") {
        return Heard::Won;
    }
    assert_eq!(answer.location(), format!("/inbox/{id}?refused=already-decided"));
    let card = browser.follow(&answer).await;
    assert!(card.text("[role=alert]").contains("already decided"), "{}", card.html);
    Heard::Lost { winner: card.text(".decision-view strong") }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn of_sixty_four_deciders_one_wins_and_the_others_hear_who(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let ada = app.ada().await;
    let proposal = mail_with(json!({"callback_url": "https://agent.example/hook", "editable": ["title"]}));
    let made = app.agent().propose(&proposal).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    let seen = made["content_sha256"].as_str().expect("a digest");

    let racers = (0..64).map(|number| {
        let server = if number % 2 == 0 { &app } else { &other };
        let verdict = if number % 4 < 2 { "approve" } else { "reject" };
        let browser = ada.at(&server.url);
        async move {
            if number % 8 < 4 {
                by_key(server, id, verdict).await
            } else {
                by_form(&browser, id, seen, verdict).await
            }
        }
    });
    let heard = futures::future::join_all(racers).await;

    let action = app.agent().read(id).await;
    let winner = action["decision"]["decided_by"]["name"].as_str().expect("somebody won");
    assert_eq!(heard.iter().filter(|heard| matches!(heard, Heard::Won)).count(), 1);
    for lost in &heard {
        if let Heard::Lost { winner: named } = lost {
            assert_eq!(named, winner);
        }
    }
    assert_eq!(app.count("select count(*) from decision").await, 1);
    assert_eq!(app.count("select count(*) from outbox").await, 1);
    let events = app.events(id).await;
    let verdict = if action["status"] == "approved" { "action.approved" } else { "action.rejected" };
    let kinds: Vec<&str> = events.iter().map(|event| event.0.as_str()).collect();
    assert_eq!(kinds, ["action.created", verdict]);
    assert_eq!(events[1].2, winner);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_double_click_is_one_decision(db: PgPool) {
    let app = TestApp::start(&db).await;
    let made = app.agent().propose(&mail_with(json!({}))).await.expect(201);
    let id = made["id"].as_str().expect("an id");
    let seen = made["content_sha256"].as_str().expect("a digest");
    let ada = app.ada().await;
    let (one, two) = tokio::join!(by_form(&ada, id, seen, "approve"), by_form(&ada, id, seen, "approve"));
    let won = [&one, &two].into_iter().filter(|heard| matches!(heard, Heard::Won)).count();
    assert_eq!(won, 1);
    assert_eq!(app.events(id).await.len(), 2);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn decisions_about_different_actions_do_not_stand_in_each_others_way(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let mut ids = Vec::new();
    for number in 0..32 {
        ids.push(app.agent().proposed(&mail_with(json!({"title": format!("{number}")}))).await);
    }
    let decisions = ids.iter().enumerate().map(|(number, id)| {
        let server = if number % 2 == 0 { &app } else { &other };
        async move { matches!(by_key(server, id, "approve").await, Heard::Won) }
    });
    assert!(futures::future::join_all(decisions).await.into_iter().all(|won| won));
    assert_eq!(app.count("select count(*) from audit_event where kind = 'action.approved'").await, 32);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn of_many_set_ups_at_once_one_wins(db: PgPool) {
    let app = TestApp::empty(&db);
    let other = app.beside();
    let link = app.on_server(|services| async move { services.new_setup_link().await }).await;
    let link = link.expect("a database").expect("a link");
    let token = link.split_once("token=").expect("a token").1;
    let racers = (0..8).map(|number| {
        let browser = if number % 2 == 0 { app.browser() } else { other.browser() };
        async move {
            let email = format!("p{number}@example.org");
            let fields = [
                ("token", token),
                ("name", "P"),
                ("email", &email),
                ("password", crate::support::PASSWORD),
                ("project", "Ours"),
            ];
            browser.submit("/rpc/set_up", &fields).await.location().to_owned()
        }
    });
    let led = futures::future::join_all(racers).await;
    assert_eq!(led.iter().filter(|location| *location == "/inbox").count(), 1, "{led:?}");
    let refused = format!("/setup?token={token}&refused=setup-closed");
    assert_eq!(led.iter().filter(|location| **location == refused).count(), 7, "{led:?}");
    for sql in
        ["select count(*) from reviewer", "select count(*) from project", "select count(*) from api_key"]
    {
        assert_eq!(app.count(sql).await, 1, "{sql}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_decision_at_the_deadline_and_the_sweep_make_one_end(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let mut ids = Vec::new();
    for number in 0..20 {
        let proposal = mail_with(json!({"title": format!("{number}"), "expires_in": 300}));
        ids.push(app.agent().proposed(&proposal).await);
    }
    app.advance(299);
    let left = std::time::Duration::from_micros(1_000_000 - u64::from(app.clock.now().microsecond()) - 1);
    app.clock.advance(left);
    let tick = async { app.clock.advance(std::time::Duration::from_micros(1)) };
    let sweep = other.on_server(|services| async move { services.expire_due().await.expect("a database") });
    let decisions = futures::future::join_all(ids.iter().map(|id| by_key_or_late(&app, id)));
    tokio::join!(decisions, tick, sweep);
    app.on_server(|services| async move { services.expire_due().await.expect("a database") }).await;
    for id in &ids {
        let events = app.events(id).await;
        let status: Value = app.agent().read(id).await["status"].clone();
        assert_eq!(events.len(), 2, "one proposal and one end: {events:?}");
        assert_eq!(events[1].0, format!("action.{}", status.as_str().expect("a status")));
    }
}

async fn by_key_or_late(app: &TestApp, id: &str) {
    let answer = app.decider().decide(id, &json!({"decision": "approve"})).await;
    assert!(answer.status == 200 || answer.json["current_status"] == "expired", "{}", answer.text);
}

/// Waits until so many statements wait for locks of others.
async fn waiting(db: &PgPool, count: i64) {
    eventually("statements wait", async || {
        let now = sqlx::query_scalar(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        now.fetch_one(db).await.is_ok_and(|now: i64| now == count)
    })
    .await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_may_decide_no_more_is_told_so_after_what_they_decided(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person_as("Vic", "vic@example.org", Role::Reviewer).await;
    let vic = app.signed_in("vic@example.org").await;
    let key = app.key("console", &[Scope::Decide], None).await;
    let project = app.project();
    for by_person in [true, false] {
        let id = app.agent().proposed(&mail()).await;
        let uuid = id.parse::<ActionId>().expect("an id").uuid();
        let mut held = db.begin().await.expect("a transaction");
        let lock = sqlx::query("select 1 from action where action_id = $1 for update").bind(uuid);
        lock.execute(&mut *held).await.expect("a lock");

        let deciding = async {
            if by_person {
                return vic.submit_decide_form(&id, "approve", &[]).await.location().to_owned();
            }
            app.with_key(&key.key).approve(&id).await;
            format!("/inbox/{id}?done=1")
        };
        let ending = async {
            waiting(&db, 1).await;
            if by_person {
                let off = app.on_server(move |services| async move {
                    let vic = services.person_behind(project, "vic@example.org").await.expect("Vic");
                    services.disable_person(project, vic.id, Actor::Operator, Channel::cli()).await
                });
                off.await.expect("somebody to disable");
            } else {
                app.revoke(&key).await;
            }
        };
        let freeing = async {
            waiting(&db, 2).await;
            held.rollback().await.expect("let go");
        };
        let (location, (), ()) = futures::join!(deciding, ending, freeing);
        assert_eq!(location, format!("/inbox/{id}?done=1"));
        let first = app.count(
            "select count(*) from audit_event where kind = 'action.approved' and event_id < (
                 select max(event_id) from audit_event where kind in ('person.disabled', 'key.revoked'))",
        );
        assert_eq!(first.await, if by_person { 1 } else { 2 });
    }
}
