//! What each role may do, at every door that a person has.

use std::collections::BTreeSet;

use impri::{
    domain::{
        action::Intent,
        audit::Actor,
        decision::{Channel, Decider, Verdict},
        ids::ActionId,
        role::Role,
        scope::Scope,
    },
    server::{error::ServiceError, service::KeyForm},
};
use leptos::server_fn::axum::server_fn_paths;
use serde_json::Map;
use sqlx::PgPool;

use crate::support::{PATIENCE, Page, TestApp, api::mail};

/// Server functions that anybody may call who is signed in: they are about oneself, or only read.
const FOR_ALL: [&str; 15] = [
    "load_inbox",
    "load_next",
    "load_many_done",
    "load_card",
    "load_history",
    "load_report",
    "load_connect",
    "load_account",
    "load_admins",
    "rename_account",
    "change_password",
    "save_preferences",
    "end_session",
    "end_other_sessions",
    "make_chat_code",
];
/// For everybody too, but there is nothing to end unless something was linked or added.
const UNLINK: [&str; 2] = ["unlink_chat", "remove_push_device"];
const FOR_REVIEWERS: [&str; 8] = [
    "decide_action",
    "decide_many",
    "load_many",
    "replay_callback",
    "send_test_action",
    "add_push_device",
    "save_push_device",
    "test_push_device",
];
const FOR_ADMINS: [&str; 16] = [
    "load_keys",
    "create_key",
    "make_agent_key",
    "revoke_key",
    "load_people",
    "invite_person",
    "withdraw_invite",
    "change_role",
    "disable_account",
    "enable_account",
    "load_channels",
    "create_channel",
    "update_channel",
    "switch_channel",
    "delete_channel",
    "test_channel",
];
/// Server functions that ask for nobody, and the way out.
const OPEN: [&str; 7] =
    ["current_door", "join", "load_invitation", "load_set_up", "set_up", "sign_in", "sign_out"];

const VERA: &str = "vera@example.org";
const BOB: &str = "bob@example.org";

/// A house with a viewer and a reviewer beside Ada, and an action that waits.
async fn full_house(db: &PgPool) -> (TestApp, String, String) {
    let app = TestApp::start(db).await;
    app.person_as("Vera", VERA, Role::Viewer).await;
    app.person_as("Bob", BOB, Role::Reviewer).await;
    let made = app.agent().propose(&mail()).await.expect(201);
    let text = |name: &str| made[name].as_str().expect("a text").to_owned();
    (app, text("id"), text("content_sha256"))
}

/// Fields that satisfy every function.
fn fields<'a>(id: &'a str, seen: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("id", id),
        ("seen", seen),
        ("verdict", "approve"),
        ("name", "Mallory"),
        ("actions", "on"),
        ("role", "admin"),
        ("theme", "dark"),
        ("current", "x"),
        ("password", "not the password"),
        ("kind", "webhook"),
        ("settings[url]", "https://hook.example"),
        ("platform", "telegram"),
        ("user", "1"),
    ]
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn every_server_function_asks_for_its_role(db: PgPool) {
    let (app, id, seen) = full_house(&db).await;
    let all: BTreeSet<&str> = server_fn_paths().map(|(path, _)| path.trim_start_matches("/rpc/")).collect();
    let listed: BTreeSet<&str> =
        FOR_ALL.into_iter().chain(FOR_REVIEWERS).chain(FOR_ADMINS).chain(OPEN).chain(UNLINK).collect();
    assert_eq!(all, listed, "whoever adds a function says here whom it is for");

    let vera = app.signed_in(VERA).await;
    let bob = app.signed_in(BOB).await;
    for name in FOR_REVIEWERS.into_iter().chain(FOR_ADMINS) {
        let answer = vera.call(name, &fields(&id, &seen)).await;
        assert_eq!(answer.status, 403, "{name}: {}", answer.html);
        assert!(answer.html.contains("Forbidden"), "{name}: {}", answer.html);
        let plain = vera.submit(&format!("/rpc/{name}"), &fields(&id, &seen)).await;
        assert!(!plain.location().contains("done="), "{name}: {}", plain.location());
    }
    for name in FOR_ADMINS {
        assert_eq!(bob.call(name, &fields(&id, &seen)).await.status, 403, "{name}");
    }
    assert_eq!(app.agent().read(&id).await["status"], "pending");
    assert_eq!(app.count("select count(*) from api_key").await, 2);
    assert_eq!(app.count("select count(*) from invite").await, 0);
    assert_eq!(app.count("select count(*) from membership where role = 'admin'").await, 1);

    for name in FOR_ALL {
        if !["end_session", "change_password"].contains(&name) {
            let answer = vera.call(name, &fields(&id, &seen)).await;
            assert_eq!(answer.status, 200, "{name}: {}", answer.html);
        }
    }
    assert_eq!(bob.call("decide_action", &fields(&id, &seen)).await.status, 200);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_viewer_reads_everything_and_is_told_why_there_is_nothing_to_press(db: PgPool) {
    let (app, id, seen) = full_house(&db).await;
    let vera = app.signed_in(VERA).await;
    for path in ["/inbox".to_owned(), format!("/inbox/{id}")] {
        let page = vera.open(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text("#card-title").contains("Outreach: Acme"), "{path}");
        assert!(!page.has("#decide, .decision-bar, .edit-fields, button[name=verdict]"), "{path}");
        assert!(page.text(".read-only").contains("Your role is viewer"), "{path}");
    }
    let list = vera.open("/inbox").await;
    assert!(list.has("a.row") && !list.has(".row-pick, #bulk"), "nothing to select");
    let many = vera.open(&format!("/inbox/decide?verdict=approve&pick={id}")).await;
    assert_eq!((many.status, many.has("#decide-many")), (403, false));
    let pick = format!("sent[picks][{id}]");
    let forced = vera.submit("/rpc/decide_many", &[("sent[verdict]", "approve"), (&pick, &seen)]).await;
    let done = vera.follow(&forced).await;
    assert!(done.text("[role=alert]").contains("Your role does not allow that"), "{}", done.html);
    assert_eq!(vera.open("/history").await.status, 200);
    let decide = [("id", id.as_str()), ("seen", &seen), ("verdict", "approve")];
    let forced = vera.submit("/rpc/decide_action", &decide).await;
    let card = vera.follow(&forced).await;
    assert!(card.text("[role=alert]").contains("Your role does not allow that"), "{}", card.html);
    assert_eq!(app.agent().read(&id).await["status"], "pending");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_use_case_itself_refuses_a_person_without_the_role(db: PgPool) {
    let (app, id, _) = full_house(&db).await;
    let project = app.project();
    let id: ActionId = id.parse().expect("an id");
    for email in [VERA, BOB] {
        let outcome = app
            .on_server(move |services| async move {
                let person = services.person_behind(project, email).await.expect("a person");
                if email == BOB {
                    let off = services.disable_person(project, person.id, Actor::Operator, Channel::cli());
                    off.await.expect("a person to disable");
                }
                let decider = Decider::Reviewer { id: person.id, name: person.name };
                let intent = Intent {
                    verdict: Verdict::Approve,
                    seen: None,
                    edits: Map::new(),
                    comment: None,
                    channel: Channel::web(),
                };
                services.decide(project, decider, id, intent).await
            })
            .await;
        assert!(matches!(outcome, Err(ServiceError::Forbidden(Role::Reviewer))), "{email}: {outcome:?}");
    }
    assert_eq!(app.count("select count(*) from decision").await, 0);
}

/// Between the look at who asks and the change that they ask for, somebody else may take their role.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn whoever_was_an_administrator_a_moment_ago_changes_nothing(db: PgPool) {
    let (app, _, _) = full_house(&db).await;
    app.person_as("Cleo", "cleo@example.org", Role::Admin).await;
    let project = app.project();
    let before = app.count("select count(*) from audit_event").await;
    let outcomes = app
        .on_server(move |services| async move {
            let cleo = services.person_behind(project, "cleo@example.org").await.expect("a person");
            let bob = services.person_behind(project, BOB).await.expect("a person").id.to_string();
            let key = services.list_keys(project).await.expect("keys")[0].id.to_string();
            let off = services.disable_person(project, cleo.id, Actor::Operator, Channel::cli());
            off.await.expect("a person to disable");
            let form = KeyForm { name: "late".to_owned(), scopes: vec![Scope::Admin], days: String::new() };
            [
                services.invite(&cleo, "", "admin").await.map(drop),
                services.make_key(&cleo, form).await.map(drop),
                services.create_agent_key(&cleo, "late").await.map(drop),
                services.end_key(&cleo, &key).await,
                services.change_role(&cleo, &bob, "admin").await,
                services.disable_account(&cleo, &bob).await,
                services.enable_account(&cleo, &bob).await,
                services.withdraw_invite(&cleo, "inv_AAAAAAAAAAAAAAAAAAAAAA").await,
            ]
        })
        .await;
    for (index, outcome) in outcomes.iter().enumerate() {
        assert!(matches!(outcome, Err(ServiceError::Forbidden(Role::Admin))), "{index}: {outcome:?}");
    }
    assert_eq!(app.count("select count(*) from audit_event").await, before + 1, "only that Cleo is out");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn pages_for_administrators_say_whom_to_ask(db: PgPool) {
    let (app, _, _) = full_house(&db).await;
    app.advance(1); // They are named in the order of their joining.
    app.person("Cleo", "cleo@example.org", true).await;
    let (ada, bob) = (app.ada().await, app.signed_in(BOB).await);
    for path in ["/keys", "/people", "/channels"] {
        let page = bob.open(path).await;
        assert_eq!(page.status, 403, "{path}");
        assert_eq!(page.text("h1"), "Not allowed", "{path}");
        let text = page.text("main");
        assert!(text.contains("Only an administrator can"), "{path}: {text}");
        assert!(text.contains("Ada or Cleo"), "{path}: {text}");
        assert!(page.has("main a[href='/inbox']"), "{path}: and a way on");
        assert_eq!(ada.open(path).await.status, 200, "{path}");
        let door = format!("/sign-in?next=%2F{}", &path[1..]);
        assert_eq!(app.browser().open(path).await.location(), door, "{path}");
    }
    let menu = |page: &Page| page.attributes(".person-pages a", "href");
    assert_eq!(
        menu(&ada.open("/inbox").await),
        ["/account", "/people", "/keys", "/channels", "/connect", "/docs"]
    );
    assert_eq!(
        menu(&bob.open("/inbox").await),
        ["/account", "/connect", "/docs"],
        "no link to what is closed"
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_lost_role_and_a_disabled_account_end_at_once_in_open_pages_too(db: PgPool) {
    let (app, id, seen) = full_house(&db).await;
    let other = app.beside();
    let (ada, bob) = (app.ada().await, app.signed_in(BOB).await);
    let mut stream = listen(&other, &bob.cookie("impri_session").expect("a session")).await;
    let project = app.project();
    let person = app
        .on_server(move |services| async move {
            services.person_behind(project, BOB).await.expect("Bob").id.to_string()
        })
        .await;

    ada.submit("/rpc/change_role", &[("id", &person), ("role", "viewer")]).await;
    assert!(hears(&mut stream, "resync").await, "an open page is told to look again");
    let decide = [("id", id.as_str()), ("seen", &seen), ("verdict", "approve")];
    assert_eq!(bob.at(&other.url).call("decide_action", &decide).await.status, 403);

    let answer = ada.submit("/rpc/disable_account", &[("id", &person)]).await;
    assert_eq!(answer.location(), "/people?done=disabled");
    assert!(!hears(&mut stream, "never said").await, "the stream ends");
    assert_eq!(bob.open("/events").await.status, 401);
    assert_eq!(bob.at(&other.url).open("/inbox").await.location(), "/sign-in?next=%2Finbox");
    assert_eq!(app.count("select count(*) from reviewer_session").await, 1, "Ada's");

    ada.submit("/rpc/enable_account", &[("id", &person)]).await;
    assert_eq!(bob.open("/inbox").await.status, 302, "what ended does not come back");
    app.signed_in(BOB).await;
}

async fn listen(app: &TestApp, session: &str) -> reqwest::Response {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let stream = http
        .get(format!("{}/events", app.url))
        .header("cookie", format!("impri_session={session}"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(stream.status(), 200);
    stream
}

/// Whether the stream says a word before it ends.
async fn hears(stream: &mut reqwest::Response, word: &str) -> bool {
    let listening = async {
        while let Some(bytes) = stream.chunk().await.expect("bytes") {
            if String::from_utf8_lossy(&bytes).contains(word) {
                return true;
            }
        }
        false
    };
    tokio::time::timeout(PATIENCE, listening).await.expect("within a moment")
}
