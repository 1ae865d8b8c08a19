//! The people of a project as an administrator manages them, and joining with a link.

use impri::domain::{ids::ReviewerId, role::Role};
use sqlx::PgPool;

use crate::support::{ADA, Browser, PASSWORD, Page, TestApp};

const EVE: &str = "eve@example.org";

/// The path of the link that the page shows.
fn shown_link(app: &TestApp, page: &Page) -> String {
    let link = page.text(".secret code");
    let path = link.strip_prefix(&app.url).expect("a link to this server").to_owned();
    assert_eq!(path.strip_prefix("/join?token=").expect("a token").len(), 43, "256 random bits: {path}");
    path
}

/// Somebody fills in the form of a link.
async fn join(browser: &Browser, path: &str, email: &str, password: &str) -> Page {
    let form = browser.open(path).await;
    assert_eq!(form.status, 200, "{}", form.html);
    let token = form.attributes("form input[name=token]", "value").remove(0);
    let fields = [("token", token.as_str()), ("name", "Eve"), ("email", email), ("password", password)];
    browser.submit("/rpc/join", &fields).await
}

/// How the page names a person.
async fn id_of(app: &TestApp, email: &'static str) -> String {
    let project = app.project();
    app.on_server(move |services| async move {
        services.person_behind(project, email).await.expect("a person").id.to_string()
    })
    .await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_link_is_shown_once_works_once_and_makes_an_account_with_its_role(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let made = ada.submit("/rpc/invite_person", &[("role", "viewer"), ("email", "")]).await;
    assert_eq!((made.status, made.location()), (302, "/people?done=invited"));
    let page = ada.follow(&made).await;
    let path = shown_link(&app, &page);
    assert!(page.text(".secret").contains("works once"), "{}", page.text(".secret"));
    let again = ada.open("/people").await;
    assert!(!again.has(".secret"), "shown once");
    assert!(again.text("ul[aria-label='Open invitations']").contains("as viewer"));
    let stored: Vec<String> =
        sqlx::query_scalar("select i::text from invite i").fetch_all(&db).await.expect("invites");
    assert!(!stored[0].contains(path.rsplit('=').next().expect("a token")), "only its digest is kept");

    let eve = app.browser();
    let form = eve.open(&path).await;
    assert!(form.text("main").contains("Ada invites you as viewer"), "{}", form.text("main"));
    let short = join(&eve, &path, EVE, "short").await;
    assert!(short.location().ends_with("&refused=bad-password"), "{}", short.location());
    assert!(eve.follow(&short).await.text("[role=alert]").contains("10 to 200 characters"));
    let taken = join(&eve, &path, " ADA@example.org", PASSWORD).await;
    assert!(
        eve.follow(&taken).await.text("[role=alert]").contains("account with that e-mail address already")
    );
    let joined = join(&eve, &path, EVE, PASSWORD).await;
    assert_eq!((joined.status, joined.location()), (302, "/inbox"));
    assert_eq!(eve.open("/inbox").await.text(".person-name"), "Eve", "and she is signed in");
    assert_eq!(eve.open("/keys").await.status, 403, "as what the link said");
    app.signed_in(EVE).await;

    let late = app.browser().open(&path).await;
    assert_eq!(late.status, 410);
    assert!(late.text("[role=alert]").contains("Ask whoever sent it for a new link"), "{}", late.html);
    let token = path.rsplit('=').next().expect("a token");
    let fields = [("token", token), ("name", "E"), ("email", "x@example.org"), ("password", PASSWORD)];
    let late = app.browser().submit("/rpc/join", &fields).await;
    assert!(late.location().ends_with("&refused=invite-closed"), "{}", late.location());
    assert_eq!(app.count("select count(*) from reviewer").await, 2);

    let history = ada.open("/history?event=person.").await;
    let what = history.texts(".history-what");
    assert!(what.iter().any(|what| what.starts_with("Eve joined as viewer, invited by Ada")), "{what:?}");
    assert!(what.iter().any(|what| what.starts_with("Ada invited somebody as viewer")), "{what:?}");
    let events: Vec<String> =
        sqlx::query_scalar("select e::text from audit_event e").fetch_all(&db).await.expect("events");
    assert!(events.iter().all(|event| !event.contains(token) && !event.contains(EVE)), "{events:?}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_link_for_an_address_makes_that_account_only(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for (email, refusal) in [(ADA, "email-taken"), ("eve", "bad-email")] {
        let refused = ada.submit("/rpc/invite_person", &[("role", "reviewer"), ("email", email)]).await;
        assert_eq!(refused.location(), format!("/people?refused={refusal}"));
        assert!(ada.follow(&refused).await.has("[role=alert]"));
    }
    let wrong = ada.submit("/rpc/invite_person", &[("role", "owner"), ("email", "")]).await;
    assert_eq!(wrong.location(), "/people?refused=bad-role");
    let made = ada.submit("/rpc/invite_person", &[("role", "reviewer"), ("email", EVE)]).await;
    let path = shown_link(&app, &ada.follow(&made).await);
    let mallory = app.browser();
    let form = mallory.open(&path).await;
    assert_eq!(form.attributes("input#email[readonly]", "value"), [EVE]);
    join(&mallory, &path, "mallory@example.org", PASSWORD).await;
    assert_eq!(app.count("select count(*) from reviewer where email = 'eve@example.org'").await, 1);
    assert_eq!(app.count("select count(*) from reviewer where email = 'mallory@example.org'").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_link_ends_by_time_by_withdrawal_and_with_its_makers_role(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Cleo", "cleo@example.org", true).await;
    let (ada, cleo) = (app.ada().await, app.signed_in("cleo@example.org").await);
    let make = async |who: &Browser| {
        let made = who.submit("/rpc/invite_person", &[("role", "admin"), ("email", "")]).await;
        shown_link(&app, &who.follow(&made).await)
    };
    let closed = async |path: &str| app.browser().open(path).await.status == 410;

    let withdrawn = make(&ada).await;
    let id =
        ada.open("/people").await.attributes("form[action='/rpc/withdraw_invite'] input[name=id]", "value");
    let answer = ada.submit("/rpc/withdraw_invite", &[("id", &id[0])]).await;
    assert_eq!(answer.location(), "/people?done=withdrawn");
    assert!(closed(&withdrawn).await);
    let twice = ada.submit("/rpc/withdraw_invite", &[("id", &id[0])]).await;
    assert_eq!(twice.location(), "/people?refused=not-found");

    let demoted = make(&cleo).await;
    let cleo_id = id_of(&app, "cleo@example.org").await;
    assert!(!closed(&demoted).await);
    ada.submit("/rpc/change_role", &[("id", &cleo_id), ("role", "reviewer")]).await;
    assert!(closed(&demoted).await, "a link is worth what its maker is");
    ada.submit("/rpc/change_role", &[("id", &cleo_id), ("role", "admin")]).await;
    assert!(closed(&demoted).await, "and does not come back");
    let disabled = make(&cleo).await;
    ada.submit("/rpc/disable_account", &[("id", &cleo_id)]).await;
    assert!(closed(&disabled).await);

    let old = make(&ada).await;
    app.advance(7 * 86_400 - 1);
    assert!(!closed(&old).await);
    app.advance(1);
    assert!(closed(&old).await);
    for path in ["/join", "/join?token=", "/join?token=x"] {
        assert!(closed(path).await, "{path}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn of_two_who_use_a_link_at_once_one_gets_the_account(db: PgPool) {
    let app = TestApp::start(&db).await;
    let other = app.beside();
    let ada = app.ada().await;
    for round in 0..5 {
        let made = ada.submit("/rpc/invite_person", &[("role", "reviewer"), ("email", "")]).await;
        let path = shown_link(&app, &ada.follow(&made).await);
        let emails = [format!("a{round}@example.org"), format!("b{round}@example.org")];
        let (a, b) = (app.browser(), other.browser());
        let (a, b) =
            tokio::join!(join(&a, &path, &emails[0], PASSWORD), join(&b, &path, &emails[1], PASSWORD));
        let inside = [&a, &b].into_iter().filter(|page| page.location() == "/inbox").count();
        assert_eq!(inside, 1, "{} {}", a.location(), b.location());
    }
    assert_eq!(app.count("select count(*) from reviewer").await, 6);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn roles_are_changed_and_accounts_disabled_from_the_page(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.advance(1);
    app.person_as("Bob", "bob@example.org", Role::Reviewer).await;
    let ada = app.ada().await;
    let bob = id_of(&app, "bob@example.org").await;
    let page = ada.open("/people").await;
    assert_eq!(page.texts("ul[aria-label=People] .entry-name"), ["Ada You", "Bob"]);
    assert_eq!(page.texts("ul[aria-label=People] .entry-word"), ["Admin", "Reviewer"]);
    assert_eq!(page.attributes(&format!("#role-{bob} option[selected]"), "value"), ["reviewer"]);
    assert!(page.text("ul[aria-label=People] .entry:nth-child(2)").contains("has not signed in yet"));
    assert_eq!(page.attributes("form[action='/rpc/change_role'] input[name=id]", "value"), [bob.as_str()]);

    let changed = ada.submit("/rpc/change_role", &[("id", &bob), ("role", "viewer")]).await;
    let page = ada.follow(&changed).await;
    assert!(page.text("[role=status].notice").contains("The role is changed"), "{}", page.html);
    assert_eq!(page.texts("ul[aria-label=People] .entry-word"), ["Admin", "Viewer"]);
    ada.submit("/rpc/disable_account", &[("id", &bob)]).await;
    let page = ada.open("/people").await;
    assert!(
        page.text(".entry[data-over]").contains("disabled just now"),
        "{}",
        page.text(".entry[data-over]")
    );
    assert!(page.has(".entry[data-over] form[action='/rpc/enable_account']"));
    let twice = ada.submit("/rpc/disable_account", &[("id", &bob)]).await;
    assert_eq!(twice.location(), "/people?refused=not-found");
    ada.submit("/rpc/enable_account", &[("id", &bob)]).await;
    assert!(!ada.open("/people").await.has(".entry[data-over]"));
    for id in ["", "x", &ReviewerId::from_uuid(uuid::Uuid::nil()).to_string()] {
        let nobody = ada.submit("/rpc/change_role", &[("id", id), ("role", "viewer")]).await;
        assert_eq!(nobody.location(), "/people?refused=not-found", "{id}");
    }
    let what = ada.open("/history?event=person.role_changed").await.texts(".history-what");
    assert_eq!(what, ["Ada changed the role of Bob, from reviewer to viewer, in the browser."]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nobody_locks_themselves_out_and_somebody_stays_who_manages(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let me = id_of(&app, ADA).await;
    for (path, fields) in [
        ("/rpc/change_role", vec![("id", me.as_str()), ("role", "viewer")]),
        ("/rpc/disable_account", vec![("id", me.as_str())]),
    ] {
        let refused = ada.submit(path, &fields).await;
        assert_eq!(refused.location(), "/people?refused=own-account", "{path}");
        assert!(ada.follow(&refused).await.text("[role=alert]").contains("your own account"), "{path}");
    }
    app.person("Cleo", "cleo@example.org", true).await;
    let other = app.beside();
    let (cleo, her) = (other.signed_in("cleo@example.org").await, id_of(&app, "cleo@example.org").await);
    for _ in 0..5 {
        let (ada_role, cleo_role) =
            ([("id", her.as_str()), ("role", "reviewer")], [("id", me.as_str()), ("role", "reviewer")]);
        let both = tokio::join!(
            ada.submit("/rpc/change_role", &ada_role),
            cleo.submit("/rpc/change_role", &cleo_role)
        );
        let admins = app.count("select count(*) from membership where role = 'admin'").await;
        assert_eq!(admins, 1, "{} {}", both.0.location(), both.1.location());
        sqlx::query("update membership set role = 'admin'").execute(&db).await.expect("rows");
    }
}
