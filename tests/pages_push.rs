//! The devices that a person is told on, as their account page shows them.

use impri::domain::role::Role;
use sqlx::PgPool;

use crate::support::{Page, TestApp};

/// What a browser says after it subscribed; nothing listens there.
const SENT: [(&str, &str); 3] = [
    ("endpoint", "http://127.0.0.1:9/push/one"),
    ("p256dh", "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    ("auth", "BTBZMqHH6r4Tts7J_aSIgg"),
];

fn device(page: &Page) -> String {
    page.attributes("ul[aria-label=Devices] input[name=id]", "value")[0].clone()
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_device_is_added_listed_tried_and_removed(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let page = ada.open("/account").await;
    assert_eq!(page.attributes("[data-push]", "data-push-key")[0].len(), 87);
    assert!(page.has("[data-push][hidden]"), "until the script is there");
    assert!(!page.has("ul[aria-label=Devices]"));
    let nothing = ada.submit("/rpc/add_push_device", &[]).await;
    assert_eq!(nothing.location(), "/account?refused=bad-subscription");
    let added = ada.submit("/rpc/add_push_device", &SENT).await;
    assert_eq!(added.location(), "/account?done=device");
    let page = ada.follow(&added).await;
    assert!(page.text(".notice").contains("This device is told from now on"));
    assert!(page.text("ul[aria-label=Devices] .facts").contains("shows content"));
    let id = device(&page);

    let saved = ada.submit("/rpc/save_push_device", &[("id", &id), ("hides", "on")]).await;
    assert!(ada.follow(&saved).await.text("ul[aria-label=Devices] .facts").contains("shows no content"));
    let tried = ada.submit("/rpc/test_push_device", &[("id", &id)]).await;
    assert_eq!(tried.location(), "/account?refused=push-failed");
    assert!(
        ada.follow(&tried).await.text("ul[aria-label=Devices] .facts").contains("not told: no connection")
    );

    app.person_as("Bob", "bob@example.org", Role::Reviewer).await;
    let bob = app.signed_in("bob@example.org").await;
    assert!(!bob.open("/account").await.has("ul[aria-label=Devices]"), "that is hers alone");
    for function in ["/rpc/save_push_device", "/rpc/test_push_device", "/rpc/remove_push_device"] {
        assert_eq!(bob.submit(function, &[("id", &id)]).await.location(), "/account?refused=not-found");
    }
    let removed = ada.submit("/rpc/remove_push_device", &[("id", &id)]).await;
    assert!(!ada.follow(&removed).await.has("ul[aria-label=Devices]"));
    let what = ada.open("/history?event=device.added").await.texts(".history-what");
    assert_eq!(what, ["Ada is told on the device Another browser, in the browser."]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_decides_nothing_is_offered_nothing(db: PgPool) {
    let app = TestApp::start(&db).await;
    app.person_as("Vera", "vera@example.org", Role::Viewer).await;
    let vera = app.signed_in("vera@example.org").await;
    assert!(!vera.open("/account").await.has("[data-push]"));
    assert_eq!(vera.submit("/rpc/add_push_device", &SENT).await.location(), "/account?refused=forbidden");
}
