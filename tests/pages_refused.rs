//! A form that is refused comes back: filled with what was typed, what is wrong beside its field, the focus there. Nothing
//! secret comes back, and nothing of it is kept.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{ADA, Browser, PASSWORD, Page, TestApp, api::mail_with};

/// Posts a form that is refused, and the same fields to the page that it is sent on to, as a browser does.
async fn refused(browser: &Browser, action: &str, fields: &[(&str, &str)]) -> Page {
    let answer = browser.submit(action, fields).await;
    assert_eq!(answer.status, 307, "{}", answer.html);
    browser.submit(answer.location(), fields).await
}

/// What stands beside the field that has the focus, as its description says.
#[track_caller]
fn problem_of(page: &Page, field: &str) -> String {
    let wrong = format!("{field}[aria-invalid=true][autofocus]");
    let described = page.attributes(&wrong, "aria-describedby");
    assert_eq!(described.len(), 1, "one {wrong} in {}", page.html);
    let first = described[0].split(' ').next().expect("an id");
    page.text(&format!("[id='{first}']"))
}

fn value(page: &Page, field: &str) -> String {
    page.attributes(field, "value").pop().unwrap_or_default()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_new_channel_keeps_everything_but_its_secrets(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let token = "not a token but secret";
    let fields = [
        ("kind", "telegram"),
        ("name", "ops \"<b>\""),
        ("settings[bot_token]", token),
        ("settings[chat_id]", "-100123"),
        ("settings[approvers]", "7=ada@example.org\n8=</textarea>"),
        ("kinds", "mail.*, deploy"),
        ("agents", "Night shift"),
        ("window", "90"),
        ("fallback", ""),
    ];
    let page = refused(&ada, "/rpc/create_channel", &fields).await;
    assert_eq!(page.status, 200);
    assert!(page.text(".channel-title").contains("Telegram"));
    let problem = problem_of(&page, "input[name='settings[bot_token]']");
    assert!(problem.contains("digits, a colon, and letters"), "{problem}");
    assert!(page.text(".field-lost").contains("Put it in again"));
    assert!(!page.html.contains(token), "a secret is not shown again");
    assert!(!page.has(".page > .alert"), "what is wrong stands beside its field alone");
    for (name, typed) in
        [("name", "ops \"<b>\""), ("kinds", "mail.*, deploy"), ("agents", "Night shift"), ("window", "90")]
    {
        assert_eq!(value(&page, &format!("input[name='{name}']")), typed);
    }
    assert_eq!(value(&page, "input[name='settings[chat_id]']"), "-100123");
    assert!(page.text("textarea[name='settings[approvers]']").contains("8=</textarea>"));
    assert!(!page.has("input[name='settings[approval_mode]'][checked]"), "it was unticked");
    assert!(page.has("form[action='/rpc/create_channel']"));

    assert!(page.has("input[name='settings[bot_token]'][required]"));
    assert!(!page.has("input[name='settings[hmac_secret]'][required]"), "nothing was typed there");

    // The rule that is broken is the other setting's, though both are secrets.
    let fields = [
        ("kind", "slack"),
        ("name", "ops"),
        ("settings[signing_secret]", "a signing secret of Slack's"),
        ("settings[hmac_secret]", "short"),
        ("settings[bot_token]", "xoxb-1-a"),
        ("settings[channel_id]", "C0123ABCD"),
    ];
    let page = refused(&ada, "/rpc/create_channel", &fields).await;
    assert!(problem_of(&page, "input[name='settings[hmac_secret]']").contains("The button secret has 16"));
    assert_eq!(page.texts(".field-lost").len(), 3);

    let mails = [("kind", "email"), ("name", "mails"), ("settings[address]", "ops@acme.example")];
    let page = refused(&ada, "/rpc/create_channel", &mails).await;
    assert!(page.text("form [tabindex='-1'][autofocus]").contains("IMPRI_SMTP_HOST"), "it is about no field");
    assert_eq!(value(&page, "input[name='settings[address]']"), "ops@acme.example");

    // An address that somebody opened later says it at the top.
    let later = ada.open("/channels?new=telegram&refused=bad-bot-token").await;
    assert!(later.text(".page > .alert").contains("digits, a colon"));
    assert_eq!(app.count("select count(*) from notification_channel").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_address_is_shown_again_and_the_signing_secret_can_not_be_forgotten(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let (url, secret) = ("htps://hook.example/a", "a secret of sixteen");
    let fields =
        [("kind", "webhook"), ("name", "hook"), ("settings[url]", url), ("settings[hmac_secret]", secret)];
    let page = refused(&ada, "/rpc/create_channel", &fields).await;
    let (address, signing) = ("input[name='settings[url]']", "input[name='settings[hmac_secret]']");
    assert!(problem_of(&page, address).contains("http or https"), "{}", page.html);
    assert_eq!((value(&page, address).as_str(), value(&page, signing).as_str()), (url, ""));
    assert!(page.has(&format!("{signing}[required]")) && !page.html.contains(secret));
    assert_eq!(page.texts(".field-lost").len(), 1);
    assert!(!ada.open("/channels?new=webhook").await.has(&format!("{signing}[required]")));
    let page = refused(&ada, "/rpc/create_channel", &fields[..3]).await;
    assert!(!page.has(&format!("{signing}[required]")), "it may be left out");

    let fields = [
        ("kind", "ntfy"),
        ("name", "phone"),
        ("settings[url]", "https://ntfy.example"),
        ("settings[topic]", "a b"),
    ];
    let page = refused(&ada, "/rpc/create_channel", &fields).await;
    assert!(problem_of(&page, "input[name='settings[topic]']").contains("1 to 64"), "{}", page.html);
    assert_eq!(value(&page, address), "https://ntfy.example");
    assert!(!page.has(".field-lost"));

    // One that is there keeps its secret unless another is typed.
    let fields = [
        ("kind", "webhook"),
        ("name", "hook"),
        ("settings[url]", "https://hook.example"),
        ("settings[hmac_secret]", secret),
    ];
    assert_eq!(ada.submit("/rpc/create_channel", &fields).await.location(), "/channels?done=made");
    let page = ada.open("/channels").await;
    let edit = "form[action='/rpc/update_channel']";
    let id = page.attributes(&format!("{edit} input[name=id]"), "value").remove(0);
    assert_eq!(page.attributes(&format!("{edit} input[name=kind]"), "value"), ["webhook"]);
    for (typed, is_required) in [("", false), ("another secret of sixteen", true)] {
        let fields = [
            ("id", id.as_str()),
            ("kind", "webhook"),
            ("name", "hook"),
            ("settings[url]", url),
            ("settings[hmac_secret]", typed),
        ];
        let page = refused(&ada, "/rpc/update_channel", &fields).await;
        assert_eq!(value(&page, &format!("{edit} {address}")), url);
        assert_eq!(page.has(&format!("{edit} {signing}[required]")), is_required, "{typed}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_channel_that_is_edited_opens_where_it_was(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for name in ["first", "second"] {
        let fields = [
            ("kind", "ntfy"),
            ("name", name),
            ("settings[url]", "https://ntfy.example"),
            ("settings[topic]", "ops"),
            ("window", "60"),
        ];
        assert_eq!(ada.submit("/rpc/create_channel", &fields).await.location(), "/channels?done=made");
    }
    let page = ada.open("/channels").await;
    let ids = page.attributes("form[action='/rpc/update_channel'] input[name=id]", "value");
    let names = page.texts(".channel-name");
    let (at, other) = if names[0] == "second" { (0, 1) } else { (1, 0) };
    let edited = format!(".channel:nth-child({})", at + 1);
    let other = format!(".channel:nth-child({})", other + 1);
    let fields = [
        ("id", ids[at].as_str()),
        ("name", "renamed"),
        ("settings[url]", ""),
        ("settings[topic]", "ops"),
        ("window", "5"),
    ];
    let page = refused(&ada, "/rpc/update_channel", &fields).await;
    assert!(!page.has(&format!("{other} details[open]")));
    assert!(page.text(&format!("{edited} details[open] > summary")).contains("Edit"));
    assert!(problem_of(&page, &format!("{edited} input[name=window]")).contains("10 to 3600 seconds"));
    assert_eq!(value(&page, &format!("{edited} input[name=name]")), "renamed");
    assert_eq!(value(&page, &format!("{other} input[name=name]")), "first");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn keys_invitations_and_the_account_do_the_same(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let long = "x".repeat(101);
    let key = [("name", long.as_str()), ("audit", "on"), ("decide", "on"), ("days", "30")];
    let page = refused(&ada, "/rpc/create_key", &key).await;
    assert!(problem_of(&page, "input[name=name]").contains("1 to 100 characters"));
    assert_eq!(value(&page, "input[name=name]"), long);
    let ticked = page.attributes("form[action='/rpc/create_key'] input[checked]", "name");
    assert_eq!(
        (ticked, page.attributes("option[selected]", "value")),
        (vec!["decide".to_owned(), "audit".to_owned()], vec!["30".to_owned()])
    );
    let page = refused(&ada, "/rpc/create_key", &[("name", "janitor"), ("days", "7")]).await;
    assert!(problem_of(&page, "input[name=actions]").contains("at least one thing"));
    assert_eq!(value(&page, "input[name=name]"), "janitor");

    let page = refused(&ada, "/rpc/invite_person", &[("role", "viewer"), ("email", "eve")]).await;
    assert!(problem_of(&page, "input[name=email]").contains("not an e-mail address"));
    assert_eq!(value(&page, "input[name=email]"), "eve");
    assert_eq!(value(&page, "input[name=role][checked]"), "viewer");

    let page = refused(&ada, "/rpc/rename_account", &[("name", &long)]).await;
    assert!(problem_of(&page, "input[name=name]").contains("1 to 100 characters"));
    assert_eq!(value(&page, "input[name=name]"), long);
    let wrong = [("username", ADA), ("current", "a wrong password"), ("password", "another good password")];
    let page = refused(&ada, "/rpc/change_password", &wrong).await;
    assert!(problem_of(&page, "input[name=current]").contains("not that one"));
    assert!(!page.html.contains("a wrong password") && !page.html.contains("another good password"));

    let page = refused(&ada, "/rpc/make_agent_key", &[("name", &long)]).await;
    assert!(problem_of(&page, "input[name=name]").contains("1 to 100 characters"));
    assert_eq!(value(&page, "input[name=name]"), long);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_doors_keep_what_was_typed_and_no_password(db: PgPool) {
    let app = TestApp::start(&db).await;
    let stranger = app.browser();
    let fields = [("next", "/history"), ("email", ADA), ("password", "not her password")];
    let page = refused(&stranger, "/rpc/sign_in", &fields).await;
    assert_eq!(
        (value(&page, "input#email"), value(&page, "input[name=next]")),
        (ADA.to_owned(), "/history".to_owned())
    );
    assert!(page.has("input#password[autofocus]") && !page.has("input#email[autofocus]"));
    assert!(page.text("[role=alert]").contains("E-mail or password is wrong"));
    assert!(!page.html.contains("not her password") && page.header("set-cookie").is_empty());

    let ada = app.ada().await;
    let made = ada.submit("/rpc/invite_person", &[("role", "viewer"), ("email", "")]).await;
    let link = ada.follow(&made).await.text(".secret code");
    let token = link.rsplit('=').next().expect("a token");
    let fields = [("token", token), ("name", "Eve"), ("email", "eve"), ("password", "short")];
    let page = refused(&stranger, "/rpc/join", &fields).await;
    assert!(problem_of(&page, "input#email").contains("not an e-mail address"));
    assert_eq!(
        (value(&page, "input#name"), value(&page, "input[name=token]")),
        ("Eve".to_owned(), token.to_owned())
    );
    let fields = [("token", token), ("name", "Eve"), ("email", "eve@example.org"), ("password", "short")];
    let page = refused(&stranger, "/rpc/join", &fields).await;
    assert!(problem_of(&page, "input#password").contains("10 to 200 characters"));
    assert_eq!(value(&page, "input#email"), "eve@example.org");
    assert!(!page.has("input#password[value]"));

    let other_site = [("sec-fetch-site", "cross-site"), ("accept", "text/html")];
    let planted =
        stranger.post("/sign-in?refused=throttled", &[("email", "x@evil.example")], &other_site).await;
    assert_eq!(planted.status, 403, "nobody else fills in our forms");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_set_up_keeps_what_was_typed_and_says_at_once_that_it_is_over(db: PgPool) {
    let app = TestApp::empty(&db);
    let browser = app.browser();
    let link = app.on_server(|services| async move { services.new_setup_link().await });
    let link = link.await.expect("a database").expect("nobody has an account");
    let path = link.strip_prefix(&app.url).expect("ours");
    let token = path.rsplit('=').next().expect("a token");
    let mut fields = [
        ("token", token),
        ("name", "Grace"),
        ("email", "grace@example.org"),
        ("password", "short"),
        ("project", "Anvils"),
    ];
    let page = refused(&browser, "/rpc/set_up", &fields).await;
    assert!(problem_of(&page, "input#password").contains("10 to 200 characters"));
    let kept = ["name", "email", "project", "password"].map(|name| value(&page, &format!("input#{name}")));
    assert_eq!(kept, ["Grace", "grace@example.org", "Anvils", ""]);

    for wrong in ["/setup", "/setup?token=", "/setup?token=old"] {
        let page = browser.open(wrong).await;
        assert_eq!((page.status, page.has("form")), (410, false), "{wrong}");
        assert!(page.text("[role=alert]").contains("newest is in the server's log"), "{}", page.html);
    }
    fields[3].1 = PASSWORD;
    assert_eq!(browser.submit("/rpc/set_up", &fields).await.location(), "/inbox");
    let history = browser.open("/history").await.texts(".history-what");
    for told in ["Grace made their account, with the set-up link", "Somebody made the project"] {
        assert!(history.iter().any(|what| what.contains(told)), "{told}: {history:?}");
    }
    for used in [path, "/setup?token=old"] {
        let page = app.browser().open(used).await;
        assert_eq!((page.status, page.has("input")), (410, false), "{used}");
        assert!(page.text("[role=alert]").contains("The first account exists"));
        assert_eq!(page.attributes("[role=alert] a", "href"), ["/sign-in"]);
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_value_that_does_not_fit_comes_back_to_the_card(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let proposal = mail_with(
        json!({"payload": {"n": 1, "on": true}, "editable": ["preview.body", "payload.n", "payload.on"]}),
    );
    let id = app.agent().proposed(&proposal).await;
    let typed = [
        ("edits[0]", "Mine, not theirs"),
        ("edits[1]", "many"),
        ("edits[2]", "false"),
        ("comment", "why\nnot"),
    ];
    let sent = ada.decide_fields(&id, "approve", &typed).await;
    let sent: Vec<(&str, &str)> = sent.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let page = refused(&ada, "/rpc/decide_action", &sent).await;
    let again = page.decide_form();
    let text = |name: &str| again.iter().find(|field| field.0 == name).expect("a field").1.trim().to_owned();
    let kept = ["edits[0]", "edits[1]", "edits[2]", "comment"].map(text);
    assert_eq!(kept, ["Mine, not theirs", "many", "false", "why\nnot"]);
    assert!(page.has(".edit-fields[open]") && page.has(".reason[open]"));
    assert_eq!(
        page.attributes("[name='edits[1]']", "data-proposed"),
        ["1"],
        "the script still knows what was proposed"
    );
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}
