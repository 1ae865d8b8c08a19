//! Signing in and out, guessing, and accounts that end.

use impri::{
    domain::{audit::Actor, decision::Channel, role::Role},
    server::{error::ServiceError, service::NewPerson},
};
use sqlx::PgPool;

use crate::support::{ADA, PASSWORD, Page, Settings, TestApp, api::mail};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn signing_in_gives_a_new_session_id_and_signing_out_ends_it(db: PgPool) {
    let app = TestApp::start(&db).await;
    let browser = app.browser();
    browser.sign_in(ADA, PASSWORD, "").await;
    let first = browser.cookie("impri_session").expect("a session");
    browser.sign_in(ADA, PASSWORD, "").await;
    let second = browser.cookie("impri_session").expect("a session");
    assert_ne!(first, second, "a session id that was known before a sign-in is worth nothing after it");
    let thief = app.browser();
    thief.set_cookie("impri_session", &first);
    assert_eq!(thief.open("/inbox").await.location(), "/sign-in?next=%2Finbox");
    thief.set_cookie("impri_session", &second);
    assert_eq!(thief.open("/inbox").await.status, 200);

    let answer = browser.submit("/rpc/sign_out", &[]).await;
    assert_eq!((answer.status, answer.location()), (302, "/sign-in"));
    assert_eq!(browser.cookie("impri_session"), None, "the cookie goes");
    assert_eq!(thief.open("/inbox").await.location(), "/sign-in?next=%2Finbox", "and so does what it named");
    assert_eq!(app.count("select count(*) from session").await, 0);
    let events: Vec<String> =
        sqlx::query_scalar("select kind from audit_event where kind like 'person.sign%' order by event_id")
            .fetch_all(&db)
            .await
            .expect("events");
    assert_eq!(events, ["person.signed_in", "person.signed_in", "person.signed_out"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_planted_session_id_is_not_the_one_that_gets_signed_in(db: PgPool) {
    let app = TestApp::start(&db).await;
    let victim = app.browser();
    victim.set_cookie("impri_session", "AAAAAAAAAAAAAAAAAAAAAA");
    victim.sign_in(ADA, PASSWORD, "").await;
    assert_ne!(victim.cookie("impri_session").as_deref(), Some("AAAAAAAAAAAAAAAAAAAAAA"));
    let planter = app.browser();
    planter.set_cookie("impri_session", "AAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(planter.open("/inbox").await.status, 302);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_session_cookie_is_for_http_only_lax_and_secure_behind_https(db: PgPool) {
    let app = TestApp::start(&db).await;
    let flags = |page: &Page| -> Vec<String> {
        page.header("set-cookie").split("; ").skip(1).map(str::to_owned).collect()
    };
    let plain = flags(&app.browser().sign_in(ADA, PASSWORD, "").await);
    for flag in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(plain.iter().any(|found| found == flag), "{flag} in {plain:?}");
    }
    assert!(!plain.iter().any(|flag| flag == "Secure"), "http://127.0.0.1 has none: {plain:?}");
    let house = app.house().clone();
    drop(app);
    let settings = Settings { public_url: Some("https://impri.example".into()), ..Settings::default() };
    let app = TestApp::again_with(&db, house, settings);
    let answer = app.browser().sign_in(ADA, PASSWORD, "").await;
    assert!(flags(&answer).iter().any(|flag| flag == "Secure"), "{:?}", flags(&answer));
    assert!(answer.header("strict-transport-security").starts_with("max-age="));
}

/// What somebody sees who tries an address and a password.
async fn guess(app: &TestApp, email: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let fields = [("email", email), ("password", "wrong password"), ("next", "")];
    let headers = [headers, &[("sec-fetch-site", "same-origin"), ("accept", "application/json")]].concat();
    let answer = app.browser().post("/rpc/sign_in", &fields, &headers).await;
    assert_eq!(answer.header("set-cookie"), "", "no session for a stranger");
    (answer.status, answer.html)
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_password_and_an_unknown_account_look_the_same(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Off", "off@example.org", false).await;
    disable(&app, "off@example.org").await.expect("a person");
    let known = guess(&app, ADA, &[]).await;
    assert_eq!(known.0, 401);
    for email in ["nobody@example.org", "off@example.org", "not an address", "", "ADA@EXAMPLE.ORG"] {
        assert_eq!(guess(&app, email, &[]).await, known, "{email}");
    }
    for email in [ADA, "nobody@example.org"] {
        let form = app.browser().sign_in(email, "wrong password", "/inbox/x").await;
        assert_eq!(form.location(), "/sign-in?refused=wrong-credentials&next=%2Finbox%2Fx");
    }
    let off = app.browser().sign_in("off@example.org", PASSWORD, "").await;
    assert!(
        off.location().contains("wrong-credentials"),
        "the right password of a disabled account is wrong too"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn guessing_one_account_is_slowed_down_and_looks_the_same_for_unknown_ones(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    for email in [ADA, "nobody@example.org"] {
        for number in 0..5 {
            let server = if number % 2 == 0 { &app } else { &other };
            assert_eq!(guess(server, email, &[]).await.0, 401, "{email}");
        }
        let (status, body) = guess(&app, email, &[]).await;
        assert_eq!(status, 429, "{email}: {body}");
        assert!(body.contains("900"), "it says how long: {body}");
        assert_eq!(guess(&other, email, &[]).await, (status, body), "on every server, and the same for both");
    }
    let right = app.browser().sign_in(ADA, PASSWORD, "").await;
    assert!(right.location().starts_with("/sign-in?refused=throttled"), "the right password has to wait too");
    let page = app.browser().follow(&right).await;
    assert!(page.text("[role=alert]").contains("Too many failed sign-ins"), "{}", page.html);
    app.advance(15 * 60);
    assert_eq!(app.browser().sign_in(ADA, PASSWORD, "").await.location(), "/inbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn guesses_made_at_once_count_like_those_made_in_turn(db: PgPool) {
    let app = TestApp::start(&db).await;
    let guesses = futures::future::join_all((0..12).map(|_| guess(&app, ADA, &[]))).await;
    let answered = guesses.iter().filter(|(status, _)| *status != 429).count();
    assert_eq!(answered, 5, "{guesses:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn guessing_from_one_address_is_slowed_down_whatever_the_account(db: PgPool) {
    let settings = Settings { behind_proxy: true, ..Settings::default() };
    let app = TestApp::start_with(&db, settings).await;
    let from = |address: &'static str| [("x-forwarded-for", address)];
    for number in 0..30 {
        assert_eq!(guess(&app, &format!("p{number}@example.org"), &from("203.0.113.5")).await.0, 401);
    }
    assert_eq!(guess(&app, "fresh@example.org", &from("203.0.113.5")).await.0, 429);
    assert_eq!(
        guess(&app, "fresh@example.org", &from("9.9.9.9, 203.0.113.5")).await.0,
        429,
        "what is before the proxy's own word is the caller's"
    );
    assert_eq!(guess(&app, "fresh@example.org", &from("203.0.113.6")).await.0, 401);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_proxy_nobody_chooses_their_own_address(db: PgPool) {
    let app = TestApp::start(&db).await;
    for number in 0..5 {
        let address = format!("203.0.113.{number}");
        assert_eq!(guess(&app, ADA, &[("x-forwarded-for", &address)]).await.0, 401);
    }
    assert_eq!(guess(&app, ADA, &[("x-forwarded-for", "203.0.113.99")]).await.0, 429);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_few_mistakes_are_forgiven_by_a_success(db: PgPool) {
    let app = TestApp::start(&db).await;
    for _ in 0..3 {
        for _ in 0..4 {
            assert_eq!(guess(&app, ADA, &[]).await.0, 401);
        }
        app.ada().await;
    }
    let failed =
        "select count(*) from audit_event where kind = 'person.sign_in_failed' and actor_kind = 'anonymous'";
    assert_eq!(app.count(failed).await, 12, "the history tells of every guess at a real account");
}

async fn disable(app: &TestApp, email: &'static str) -> Result<(), ServiceError> {
    let project = app.project();
    app.on_server(move |services| async move {
        let id = services.person_behind(project, email).await?.id;
        services.disable_person(project, id, Actor::Operator, Channel::cli()).await
    })
    .await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_disabled_person_is_out_at_the_next_request(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let made = app.agent().propose(&mail()).await.expect(201);
    let (id, seen) =
        (made["id"].as_str().expect("an id"), made["content_sha256"].as_str().expect("a digest"));
    let bob = app.signed_in("bob@example.org").await;
    assert_eq!(bob.open("/inbox").await.status, 200);
    disable(&app, "bob@example.org").await.expect("a person");
    assert_eq!(bob.open("/inbox").await.location(), "/sign-in?next=%2Finbox");
    let fields = [("id", id), ("seen", seen), ("verdict", "approve")];
    assert_eq!(bob.call("decide_action", &fields).await.status, 401);
    assert_eq!(bob.open("/events").await.status, 401);
    assert_eq!(app.agent().read(id).await["status"], "pending");
    assert!(app.browser().sign_in("bob@example.org", PASSWORD, "").await.location().contains("refused"));
    assert!(matches!(disable(&app, "bob@example.org").await, Err(ServiceError::NotFound)), "twice is once");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_last_administrator_cannot_be_locked_out(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let refused = disable(&app, "ada@example.org").await;
    assert!(matches!(refused, Err(ServiceError::LastAdmin)), "a reviewer is no replacement: {refused:?}");
    app.person("Cleo", "cleo@example.org", true).await;
    disable(&app, "ada@example.org").await.expect("there is another one");
    assert!(disable(&app, "cleo@example.org").await.is_err());
    disable(&app, "bob@example.org").await.expect("a reviewer may always go");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_administrators_who_disable_each_other_leave_one(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    for number in 0..10 {
        sqlx::query("update reviewer set disabled_at = null").execute(&db).await.expect("rows");
        if number == 0 {
            app.person("Cleo", "cleo@example.org", true).await;
        }
        let both = tokio::join!(disable(&app, "ada@example.org"), disable(&other, "cleo@example.org"));
        assert_eq!(app.count("select count(*) from reviewer where disabled_at is null").await, 1, "{both:?}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_address_has_one_account_whatever_its_case(db: PgPool) {
    let app = TestApp::start(&db).await;
    let project = app.house().project.clone();
    let twin = NewPerson {
        name: "A".into(),
        email: "ADA@example.ORG".into(),
        password: PASSWORD.into(),
        role: Role::Reviewer,
    };
    let made = app
        .on_server(move |services| async move {
            services.create_person(&project, twin, Actor::Operator, Channel::cli()).await
        })
        .await;
    assert!(matches!(made, Err(ServiceError::Invalid(errors)) if errors[0].field == "email"));
    app.signed_in(" Ada@Example.Org ").await;
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn passwords_are_stored_as_argon2id_and_nowhere_else(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.ada().await;
    let hash: String =
        sqlx::query_scalar("select password_hash from reviewer").fetch_one(&db).await.expect("Ada");
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let events: Vec<String> =
        sqlx::query_scalar("select e::text from audit_event e").fetch_all(&db).await.expect("events");
    assert!(events.iter().all(|event| !event.contains(PASSWORD) && !event.contains(ADA)), "{events:?}");
}
