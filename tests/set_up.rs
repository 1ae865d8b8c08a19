//! The first account: by the one-time link, or unattended.

use impri::{domain::role::Role, server::service::NewPerson};
use sqlx::PgPool;

use crate::support::{Browser, PASSWORD, Page, TestApp};

/// The token of a new set-up link.
async fn setup_token(app: &TestApp) -> String {
    let link = app.on_server(|services| async move { services.new_setup_link().await }).await;
    let link = link.expect("a database").expect("nobody has an account");
    let token = link.strip_prefix(&format!("{}/setup?token=", app.url)).expect("a link to this server");
    assert_eq!(token.len(), 43, "256 random bits");
    token.to_owned()
}

async fn set_up(browser: &Browser, token: &str, email: &str, password: &str) -> Page {
    let fields = [
        ("token", token),
        ("name", "Grace"),
        ("email", email),
        ("password", password),
        ("project", "Anvils"),
    ];
    browser.submit("/rpc/set_up", &fields).await
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_set_up_link_makes_the_first_account_once_and_leads_to_a_first_action(db: PgPool) {
    let app = TestApp::empty(&db);
    let browser = app.browser();
    let door = browser.open("/inbox").await;
    assert_eq!(door.location(), "/sign-in?next=%2Finbox");
    assert!(browser.follow(&door).await.text("h1").contains("Not set up yet"));
    let token = setup_token(&app).await;
    let form = browser.open(&format!("/setup?token={token}")).await;
    assert_eq!(form.attributes("form input[name=token]", "value"), std::slice::from_ref(&token));

    let answer = set_up(&browser, &token, "grace@example.org", PASSWORD).await;
    assert_eq!((answer.status, answer.location()), (302, "/inbox"));
    let inbox = browser.follow(&answer).await;
    let command = inbox.text(".command code");
    let key = command.split("Bearer ").nth(1).and_then(|rest| rest.split('"').next()).expect("a key");
    assert!(command.contains(&format!("{}/v1/actions", app.url)) && key.len() == 46, "{command}");
    let output = std::process::Command::new("bash")
        .args([
            "-c",
            &inbox
                .document()
                .select(&scraper::Selector::parse(".command code").expect("a selector"))
                .next()
                .expect("a command")
                .text()
                .collect::<String>(),
        ])
        .output()
        .expect("bash runs what is pasted");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"pending\""), "{output:?}");
    let inbox = browser.open("/inbox").await;
    assert_eq!(inbox.texts(".row-title"), ["Welcome mail to Sarah"]);
    assert!(!inbox.html.contains(key), "once there is an action, the key is shown no more");

    let second = set_up(&app.browser(), &token, "eve@example.org", PASSWORD).await;
    assert_eq!(second.location(), format!("/setup?token={token}&refused=setup-closed"));
    assert!(app.browser().follow(&second).await.text("[role=alert]").contains("The first account exists"));
    let no_more = app.on_server(|services| async move { services.new_setup_link().await }).await;
    assert_eq!(no_more.expect("a database"), None);
    assert_eq!(app.count("select count(*) from reviewer").await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_newer_link_replaces_the_older_and_a_wrong_one_opens_nothing(db: PgPool) {
    let app = TestApp::empty(&db);
    let (older, newer) = (setup_token(&app).await, setup_token(&app).await);
    for token in [older.as_str(), "", "x", &newer[..42]] {
        let answer = set_up(&app.browser(), token, "eve@example.org", PASSWORD).await;
        assert!(answer.location().ends_with("&refused=setup-closed"), "{}", answer.location());
    }
    assert_eq!(app.count("select count(*) from reviewer").await, 0);
    assert_eq!(set_up(&app.browser(), &newer, "grace@example.org", PASSWORD).await.location(), "/inbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_field_that_does_not_fit_leaves_the_link_valid(db: PgPool) {
    let app = TestApp::empty(&db);
    let token = setup_token(&app).await;
    let browser = app.browser();
    for (email, password, code) in [
        ("grace", PASSWORD, "bad-email"),
        ("grace@example.org", "short", "bad-password"),
        ("grace@example.org", &"x".repeat(201), "bad-password"),
    ] {
        let answer = set_up(&browser, &token, email, password).await;
        assert_eq!(answer.location(), format!("/setup?token={token}&refused={code}"));
        assert!(browser.follow(&answer).await.has("[role=alert]"));
    }
    assert_eq!(set_up(&browser, &token, "grace@example.org", PASSWORD).await.location(), "/inbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_unattended_set_up_happens_once(db: PgPool) {
    let app = TestApp::start(&db).await;
    let again = NewPerson {
        name: "Eve".into(),
        email: "eve@example.org".into(),
        password: PASSWORD.into(),
        role: Role::Admin,
    };
    let made = app.on_server(|services| async move { services.set_up_unattended(again).await }).await;
    assert!(matches!(made, Ok(None)));
    assert_eq!(app.count("select count(*) from reviewer").await, 1);
    assert_eq!(app.ada().await.open("/inbox").await.status, 200);
}
