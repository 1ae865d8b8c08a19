//! The page that connects an agent: what it shows works when it is pasted, and a key is shown once.

use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::process::Command;

use crate::support::{Browser, Page, Settings, TestApp};

async fn make_key(browser: &Browser, name: &str) -> Page {
    let answer = browser.submit("/rpc/make_agent_key", &[("name", name)]).await;
    assert_eq!(answer.status, 302, "{}", answer.html);
    assert!(answer.location().starts_with("/connect?key=key_"), "{}", answer.location());
    browser.follow(&answer).await
}

/// What the page says to paste: the texts as they are, line breaks and all.
fn snippets(page: &Page) -> Vec<String> {
    let code = scraper::Selector::parse("[data-copy]").expect("a selector");
    page.document().select(&code).map(|element| element.text().collect()).collect()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_key_is_shown_once_in_everything_there_is_to_paste(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let page = ada.open("/connect").await;
    assert_eq!((page.status, page.text("h1").as_str()), (200, "Connect an agent"));
    assert!(!page.has(".fresh-key") && snippets(&page).iter().any(|text| text.contains("im_…")));
    assert!(!page.html.contains("type=\"password\""));

    let page = make_key(&ada, "  night shift ").await;
    assert_eq!(page.text(".fresh-key h2"), "The key of night shift");
    let texts = snippets(&page);
    let key = texts[0].clone();
    assert!(key.starts_with("im_") && key.len() == 46, "{key}");
    assert!(texts.iter().filter(|text| text.contains(&key)).count() >= 7, "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("im_…")), "{texts:?}");
    assert_eq!(page.header("cache-control"), "no-store");

    let id = app.with_key(&key).proposed(&crate::support::api::mail()).await;
    assert_eq!(app.agent().read(&id).await["agent"], "night shift");
    let decision = json!({"decision": "approve"});
    app.with_key(&key).decide(&id, &decision).await.refusal(403);
    assert!(!ada.open("/connect").await.html.contains(&key), "once");
    let made = "select count(*) from audit_event where kind = 'key.created' and actor_kind = 'reviewer'
                  and actor_name = 'Ada' and channel = 'web' and data->>'name' = 'night shift'";
    assert_eq!(app.count(made).await, 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_an_admin_makes_keys(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person("Bob", "bob@example.org", false).await;
    let bob = app.signed_in("bob@example.org").await;
    let page = bob.open("/connect").await;
    assert!(
        page.status == 200 && !page.has("form.make-key") && page.html.contains("Only an admin makes keys")
    );
    let answer = bob.submit("/rpc/make_agent_key", &[("name", "bot")]).await;
    assert_eq!(answer.location(), "/connect?refused=forbidden");
    assert!(bob.follow(&answer).await.text("[role=alert]").contains("does not allow that"));
    assert_eq!(bob.call("make_agent_key", &[("name", "bot")]).await.status, 403);
    assert_eq!(app.count("select count(*) from api_key").await, 2, "those of the house");
    let stranger = app.browser().open("/connect").await;
    assert_eq!(stranger.location(), "/sign-in?next=%2Fconnect");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_name_that_does_not_fit_is_said_to_be_so(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for name in ["", "   ", &"x".repeat(101), "two\nlines"] {
        let answer = ada.submit("/rpc/make_agent_key", &[("name", name)]).await;
        assert_eq!(answer.location(), "/connect?refused=bad-name", "{name:?}");
        let page = ada.follow(&answer).await;
        assert!(page.text("[role=alert]").contains("1 to 100 characters"), "{name:?}");
        assert!(!page.has(".fresh-key"));
    }
    let page = make_key(&ada, "<b>\"bold\" & co</b>").await;
    assert_eq!(page.text(".fresh-key h2"), "The key of <b>\"bold\" & co</b>");
    assert!(!page.has(".fresh-key h2 b"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_there_is_to_paste_works(db: PgPool) {
    let app = TestApp::start(&db).await;
    let texts = snippets(&make_key(&app.ada().await, "pasted").await);
    let with = |start: &str| texts.iter().find(|text| text.starts_with(start)).expect(start).clone();

    // Into a shell.
    let bash = async |script: String| {
        let ended = Command::new("bash").args(["-euc", &script]).env("no_proxy", "127.0.0.1").output().await;
        let ended = ended.expect("bash");
        assert!(ended.status.success(), "{script}\n{}", String::from_utf8_lossy(&ended.stderr));
        serde_json::from_slice::<Value>(&ended.stdout).expect("JSON")
    };
    let propose = with("export IMPRI_API_KEY");
    let made = bash(propose.clone()).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    app.decider().approve(&id).await;
    let export = propose.lines().next().expect("the first line").to_owned();
    let waited = bash(format!("{export}\n{}", with("ID=act_").replace("act_…", &id))).await;
    assert_eq!(waited["status"], "approved");
    let report = texts.last().expect("the last one");
    bash(format!("{export}\nID={id}\n{report}")).await;
    assert_eq!(app.agent().read(&id).await["status"], "executed");

    // Into the file of a host.
    let servers: Vec<Value> = texts
        .iter()
        .filter(|text| text.starts_with('{'))
        .map(|text| serde_json::from_str::<Value>(text).expect("JSON")["mcpServers"]["impri"].clone())
        .collect();
    let beside =
        servers.iter().find(|server| server["command"] == "impri").expect("one that starts a program");
    assert_eq!((&beside["args"], &beside["env"]["IMPRI_BASE_URL"]), (&json!(["mcp"]), &json!(app.url)));
    let remote = servers.iter().find(|server| server["url"].is_string()).expect("one that calls the server");
    let answer = reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
        .post(remote["url"].as_str().expect("an address"))
        .header("authorization", remote["headers"]["Authorization"].as_str().expect("a header"))
        .header("accept", "application/json, text/event-stream")
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}))
        .send()
        .await
        .expect("an answer");
    let listed = answer.text().await.expect("text");
    assert!(listed.contains("impri_push_action"), "{listed}");

    // Into a shell that has Claude Code: one that only says what it was given.
    let claude = "claude() { printf '%s\\n' \"$@\" | jq -R . | jq -s .; }\n";
    let over_http = bash(format!("{claude}{}", with("claude mcp add --transport http"))).await;
    assert_eq!(over_http[7], json!(format!("{}/mcp", app.url)));
    assert_eq!(
        over_http[9].as_str().map(str::to_owned),
        remote["headers"]["Authorization"].as_str().map(|key| format!("Authorization: {key}"))
    );
    let with_env = bash(format!("{claude}{}", with("claude mcp add --env"))).await;
    let given: Vec<&str> = with_env.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(given[given.len() - 4..], ["impri", "--", "impri", "mcp"]);
    assert_eq!(
        given[3],
        format!("IMPRI_API_KEY={}", beside["env"]["IMPRI_API_KEY"].as_str().expect("a key"))
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_public_address_is_the_one_that_is_shown(db: PgPool) {
    let public = "https://impri.example.org".to_owned();
    let app = TestApp::start_with(&db, Settings { public_url: Some(public), ..Settings::default() }).await;
    let ada = app.ada().await;
    let page = ada.open("/connect").await;
    assert!(page.html.contains("https://impri.example.org/mcp") && !page.html.contains("127.0.0.1"));
    let inbox = ada.open("/inbox").await;
    assert!(inbox.has("a[href='/connect']"), "an empty inbox leads there");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_line_turns_green_when_the_new_agents_first_action_is_there(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let arrival = |page: &Page| (page.attributes("[data-arrival]", "data-arrival"), page.text("#arrival"));
    let (state, words) = arrival(&ada.open("/connect").await);
    assert_eq!(
        (state[0].as_str(), words.contains("Waiting for the first action.")),
        ("waiting", true),
        "{words}"
    );

    let other = app.agent().proposed(&crate::support::api::mail()).await;
    let (state, words) = arrival(&ada.open("/connect").await);
    assert_eq!((state[0].as_str(), words.contains("came from first-agent")), ("arrived", true), "{words}");

    let made = ada.submit("/rpc/make_agent_key", &[("name", "night shift")]).await;
    let address = made.location().to_owned();
    let page = ada.follow(&made).await;
    let key = snippets(&page)[0].clone();
    let (state, words) = arrival(&page);
    assert_eq!(
        (state[0].as_str(), words.contains("first action of night shift")),
        ("waiting", true),
        "{words}"
    );
    let id = app.with_key(&key).proposed(&crate::support::api::mail()).await;
    let page = ada.open(&address).await;
    let (state, words) = arrival(&page);
    assert_eq!((state[0].as_str(), words.starts_with("It works.")), ("arrived", true), "{words}");
    assert_eq!(page.attributes("#arrival a", "href"), [format!("/inbox/{id}")]);
    assert!(id != other);
    for odd in ["key_x", "", "%00", "key_BwcHBwcHBwcHBwcHBwcHBw"] {
        assert_eq!(ada.open(&format!("/connect?key={odd}")).await.status, 200, "{odd}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_test_action_is_a_card_like_any_other(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let sent = ada.submit("/rpc/send_test_action", &[]).await;
    let page = ada.follow(&sent).await;
    assert_eq!(
        (page.status, page.text("#card-title")),
        (200, "A test: approve, edit or reject it".to_owned())
    );
    let again = ada.submit("/rpc/send_test_action", &[]).await;
    assert_eq!(again.location(), sent.location(), "one that waits is shown again");
    let id = sent.location().trim_start_matches("/inbox/").to_owned();
    assert_eq!(ada.submit_decide_form(&id, "approve", &[]).await.location(), format!("/inbox/{id}?done=1"));
    let next = ada.submit("/rpc/send_test_action", &[]).await;
    assert!(next.location() != sent.location() && next.location().starts_with("/inbox/act_"));
    assert_eq!(
        app.count("select count(*) from api_key where name = 'Test action'").await,
        1,
        "one key for all"
    );
    let told = "select count(*) from audit_event where kind = 'key.created' and actor_name = 'Ada' and data->>'name' = 'Test action'";
    assert_eq!(app.count(told).await, 1);

    app.person_as("Vera", "vera@example.org", impri::domain::role::Role::Viewer).await;
    let vera = app.signed_in("vera@example.org").await;
    assert!(!vera.open("/connect").await.has("form.try-it"));
    assert_eq!(vera.submit("/rpc/send_test_action", &[]).await.location(), "/connect?refused=forbidden");
    assert_eq!(
        app.browser().submit("/rpc/send_test_action", &[]).await.location(),
        "/connect?refused=signed-out"
    );
}
