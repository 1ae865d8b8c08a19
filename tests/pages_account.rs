//! What people change about themselves: name, password, sessions and how the pages are.

use impri::{
    domain::{audit::Actor, decision::Channel},
    server::error::ServiceError,
};
use sqlx::PgPool;

use crate::support::{ADA, PASSWORD, Settings, TestApp, api::mail, eventually};

const NEW: &str = "another horse battery";

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_name_is_changed_and_the_past_keeps_the_old_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let id = app.agent().proposed(&mail()).await;
    ada.submit_decide_form(&id, "approve", &[]).await;
    let saved = ada.submit("/rpc/rename_account", &[("name", "  Ada Lovelace ")]).await;
    assert_eq!((saved.status, saved.location()), (302, "/account?done=name"));
    let page = ada.follow(&saved).await;
    assert_eq!(page.attributes("input#name", "value"), ["Ada Lovelace"]);
    assert!(page.text(".notice").contains("Your name is saved"));
    assert_eq!(page.text(".person-name"), "Ada Lovelace");
    assert_eq!(app.agent().read(&id).await["decision"]["decided_by"]["name"], "Ada");
    let what = ada.open("/history?event=person.renamed").await.texts(".history-what");
    assert_eq!(what, ["Ada changed their name from Ada to Ada Lovelace, in the browser."]);
    for name in ["", "   ", "two\nlines", &"x".repeat(101)] {
        let refused = ada.submit("/rpc/rename_account", &[("name", name)]).await;
        assert_eq!(refused.location(), "/account?refused=bad-name", "{name:?}");
    }
    assert!(ada.open("/account?refused=bad-name").await.text("[role=alert]").contains("1 to 100 characters"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_new_password_ends_every_other_session(db: PgPool) {
    let app = TestApp::start(&db).await;
    let (ada, phone) = (app.ada().await, app.ada().await);
    let before = ada.cookie("impri_session").expect("a session");
    let wrong = ada.submit("/rpc/change_password", &[("current", "not it"), ("password", NEW)]).await;
    assert_eq!(wrong.location(), "/account?refused=wrong-password");
    assert!(ada.follow(&wrong).await.text("[role=alert]").contains("current password is not that one"));
    let short = ada.submit("/rpc/change_password", &[("current", PASSWORD), ("password", "short")]).await;
    assert_eq!(short.location(), "/account?refused=bad-password");
    assert_eq!(phone.open("/account").await.status, 200, "a refusal ends nothing");

    let changed = ada.submit("/rpc/change_password", &[("current", PASSWORD), ("password", NEW)]).await;
    assert_eq!(changed.location(), "/account?done=password");
    assert_eq!(ada.follow(&changed).await.status, 200, "who changes it stays in");
    assert_ne!(ada.cookie("impri_session").expect("a session"), before, "under another session id");
    assert_eq!(phone.open("/account").await.location(), "/sign-in?next=%2Faccount");
    assert_eq!(phone.open("/events").await.status, 401);
    assert!(app.browser().sign_in(ADA, PASSWORD, "").await.location().contains("wrong-credentials"));
    assert_eq!(app.browser().sign_in(ADA, NEW, "").await.location(), "/inbox");
    let events: Vec<String> =
        sqlx::query_scalar("select e::text from audit_event e").fetch_all(&db).await.expect("events");
    assert!(events.iter().all(|event| !event.contains(NEW) && !event.contains(PASSWORD)));
    assert_eq!(
        app.count("select count(*) from audit_event where kind = 'person.password_changed' and actor_kind = 'reviewer'").await,
        1
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn guessing_the_password_in_an_open_session_is_slowed_down_as_at_the_door(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for _ in 0..5 {
        let wrong = ada.submit("/rpc/change_password", &[("current", "a guess"), ("password", NEW)]).await;
        assert_eq!(wrong.location(), "/account?refused=wrong-password");
    }
    let right = ada.submit("/rpc/change_password", &[("current", PASSWORD), ("password", NEW)]).await;
    assert_eq!(right.location(), "/account?refused=throttled", "the right one has to wait too");
    let door = app.browser().sign_in(ADA, PASSWORD, "").await;
    assert!(door.location().contains("throttled"), "and they count together: {}", door.location());
    app.advance(15 * 60);
    let right = ada.submit("/rpc/change_password", &[("current", PASSWORD), ("password", NEW)]).await;
    assert_eq!(right.location(), "/account?done=password");
    let told = "select count(*) from audit_event where kind = 'person.sign_in_failed'";
    assert_eq!(app.count(told).await, 5, "the history tells of every guess");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn sessions_are_listed_and_ended_one_by_one(db: PgPool) {
    let settings = Settings { behind_proxy: true, ..Settings::default() };
    let app = TestApp::start_with(&db, settings).await;
    app.person("Bob", "bob@example.org", false).await;
    let ada = app.ada().await;
    app.advance(120);
    let phone = app.browser();
    let headers = [
        (
            "user-agent",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Safari/604.1 <script>",
        ),
        ("x-forwarded-for", "203.0.113.7"),
        ("sec-fetch-site", "same-origin"),
        ("accept", "text/html"),
    ];
    phone.post("/rpc/sign_in", &[("email", ADA), ("password", PASSWORD)], &headers).await;
    let bob = app.signed_in("bob@example.org").await;

    let page = ada.open("/account").await;
    let names = page.texts("ul[aria-label=Sessions] .entry-name");
    assert_eq!(names, ["Another browser This browser", "Safari on iPhone"], "this one first");
    let facts = page.texts("ul[aria-label=Sessions] .facts");
    assert!(facts[1].contains("203.0.113.7"), "{facts:?}");
    assert!(facts[0].contains("signed in 2 min ago"), "{facts:?}");
    let ids = page.attributes("form[action='/rpc/end_session'] input[name=id]", "value");

    let stolen = bob.submit("/rpc/end_session", &[("id", &ids[1])]).await;
    assert_eq!(stolen.location(), "/account?refused=not-found", "nobody ends somebody else's");
    assert_eq!(phone.open("/inbox").await.status, 200);
    let ended = ada.submit("/rpc/end_session", &[("id", &ids[1])]).await;
    assert_eq!(ended.location(), "/account?done=session");
    assert_eq!(phone.open("/inbox").await.location(), "/sign-in?next=%2Finbox");
    assert_eq!(ada.open("/account").await.texts("ul[aria-label=Sessions] .entry-name").len(), 1);
    assert!(!ada.open("/account").await.has("form[action='/rpc/end_other_sessions']"));

    let (one, two) = (app.ada().await, app.ada().await);
    let others = ada.submit("/rpc/end_other_sessions", &[]).await;
    assert_eq!(others.location(), "/account?done=sessions");
    for gone in [&one, &two] {
        assert_eq!(gone.open("/inbox").await.status, 302);
    }
    assert_eq!(bob.open("/inbox").await.status, 200);
    let what = ada.open("/history?event=person.sessions_ended").await.texts(".history-what");
    assert_eq!(what, ["Ada signed out elsewhere in 2 browsers.", "Ada signed out elsewhere in 1 browser."]);

    ada.submit("/rpc/end_session", &[("id", &ids[0])]).await;
    assert_eq!(ada.open("/inbox").await.status, 302, "one's own as well");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_session_lasts_thirty_days_and_notes_when_it_was_used(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    app.advance(3_600);
    ada.open("/inbox").await;
    let noted =
        "select count(*) from reviewer_session where last_seen_at > created_at + interval '59 minutes'";
    eventually("the use is noted", async || app.count(noted).await == 1).await;
    assert!(ada.open("/account").await.text("ul[aria-label=Sessions] .facts").contains("last seen just now"));
    app.advance(30 * 86_400 - 3_601);
    assert_eq!(ada.open("/account").await.status, 200);
    app.advance(1);
    assert_eq!(ada.open("/account").await.status, 302);
    app.on_server(|services| async move { services.tidy_sessions().await.expect("a database") }).await;
    assert_eq!(app.count("select count(*) from reviewer_session").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn preferences_shape_every_page_of_theirs_and_nobody_elses(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let (ada, bob) = (app.ada().await, app.signed_in("bob@example.org").await);
    let page = ada.open("/inbox").await;
    assert!(!page.has("html[data-theme]") && page.has("html[data-shortcuts=on]"), "{}", page.html);
    let fields = [("theme", "dark"), ("time_zone", "Asia/Tokyo")];
    let saved = ada.submit("/rpc/save_preferences", &fields).await;
    assert_eq!(saved.location(), "/account?done=preferences");
    for path in ["/account", "/inbox", "/history", "/keys", "/nowhere"] {
        let page = ada.open(path).await;
        assert!(page.has("html[data-theme=dark][data-shortcuts=off]"), "{path}");
        assert_eq!(page.attributes("meta[name=theme-color]", "content")[0], "#1b1b16", "{path}");
    }
    let page = ada.open("/account").await;
    assert_eq!(page.attributes("#time_zone option[selected]", "value"), ["Asia/Tokyo"]);
    assert_eq!(page.attributes("input[name=theme][checked]", "value"), ["dark"]);
    assert!(!page.has("#shortcuts-on[checked]"));
    assert!(!bob.open("/inbox").await.has("html[data-theme]"));
    assert!(app.browser().open("/sign-in").await.has("html:not([data-theme])"));

    let id = app.agent().proposed(&mail()).await;
    let title = |page: &crate::support::Page| page.attributes(".card-head time.time", "title").remove(0);
    assert!(title(&ada.open(&format!("/inbox/{id}")).await).ends_with(" JST"));
    assert!(title(&bob.open(&format!("/inbox/{id}")).await).ends_with(" UTC"));

    for (field, value, refusal) in [
        ("theme", "sepia", "bad-theme"),
        ("time_zone", "Mars/Phobos", "bad-time-zone"),
        ("time_zone", "../x", "bad-time-zone"),
    ] {
        let mut fields = vec![("theme", "light"), ("time_zone", ""), ("shortcuts", "on")];
        fields.iter_mut().find(|(name, _)| *name == field).expect("a field").1 = value;
        let refused = ada.submit("/rpc/save_preferences", &fields).await;
        assert_eq!(refused.location(), format!("/account?refused={refusal}"));
    }
    assert!(ada.open("/inbox").await.has("html[data-theme=dark]"), "nothing was saved");
}

/// What was typed in a browser and not sent is kept there under this mark, and forgotten where the way out is taken.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_page_is_marked_as_made_for_its_reader(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let (ada, bob) = (app.ada().await, app.signed_in("bob@example.org").await);
    let mark = |page: &crate::support::Page| page.attributes("html", "data-who");
    let hers = mark(&ada.open("/inbox").await);
    assert_eq!(hers.len(), 1);
    assert_eq!(mark(&ada.open("/nowhere").await), hers);
    assert_ne!(mark(&bob.open("/inbox").await), hers);
    assert!(mark(&app.browser().open("/sign-in").await).is_empty());

    app.ada().await;
    let page = ada.open("/account").await;
    let ways = page.attributes("form[data-way-out]", "action");
    assert_eq!(ways, ["/rpc/sign_out", "/rpc/end_session"], "and no other session's");
    assert!(page.attributes("form[action='/rpc/end_session']", "action").len() > 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_days_of_the_history_begin_where_its_reader_is(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    // To the next 16:00 UTC, which is 01:00 of the next day in Tokyo.
    let now = app.clock.now();
    let there = now.replace_time(time::macros::time!(16:00)) + time::Duration::days(1);
    app.advance((there - now).whole_seconds().unsigned_abs());
    app.agent().proposed(&mail()).await;
    let (day, next) = (there.date().to_string(), (there.date() + time::Duration::days(1)).to_string());
    let found = async |day: &str| {
        let page = ada.open(&format!("/history?event=action.created&since={day}&until={day}")).await;
        page.texts(".history-what").len()
    };
    assert_eq!((found(&day).await, found(&next).await), (1, 0), "by universal time");
    ada.submit("/rpc/save_preferences", &[("theme", "system"), ("time_zone", "Asia/Tokyo")]).await;
    assert_eq!((found(&day).await, found(&next).await), (0, 1), "by the clocks of Tokyo");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn whoever_runs_the_server_helps_who_lost_their_password(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let project = app.project();
    let reset = async |email: &'static str, new: &'static str| {
        app.on_server(move |services| async move {
            services.reset_password(project, email, new.to_owned(), Actor::Operator, Channel::cli()).await
        })
        .await
    };
    assert!(matches!(reset(ADA, "short").await, Err(ServiceError::Invalid(_))));
    assert!(matches!(reset("nobody@example.org", NEW).await, Err(ServiceError::NotFound)));
    assert_eq!(ada.open("/inbox").await.status, 200);
    reset(" ADA@example.org", NEW).await.expect("an account");
    assert_eq!(ada.open("/inbox").await.status, 302, "every session is over");
    assert_eq!(app.browser().sign_in(ADA, NEW, "").await.location(), "/inbox");
    let told =
        "select count(*) from audit_event where kind = 'person.password_changed' and actor_kind = 'operator'";
    assert_eq!(app.count(told).await, 1);
}

/// Who knows the old password must not come in by being quick: what they began is over with the change.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_sign_in_that_was_under_way_when_the_password_changed_begins_no_session(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let mut change = db.begin().await.expect("a transaction");
    sqlx::query("update reviewer set password_hash = 'another' where email = 'bob@example.org'")
        .execute(&mut *change)
        .await
        .expect("a change");
    let browser = app.browser();
    let signing_in =
        tokio::spawn(
            async move { browser.sign_in("bob@example.org", PASSWORD, "").await.location().to_owned() },
        );
    // It has seen the old password as right, and waits for whoever changes it.
    let waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while app.count(waits).await == 0 {
        tokio::task::yield_now().await;
    }
    change.commit().await.expect("a commit");
    let answer = signing_in.await.expect("it does not panic");
    assert!(answer.contains("wrong-credentials"), "{answer}");
    assert_eq!(app.count("select count(*) from reviewer_session").await, 0);
}
