//! ntfy: what people read, and what comes of it when the server refuses.

use axum::http::StatusCode;
use impri::domain::audit::Actor;
use impri::domain::decision::Channel;
use serde_json::json;
use sqlx::PgPool;

use super::fake_ntfy::FakeNtfy;
use super::{desk, wish};

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn people_read_the_whole_preview_with_what_is_invisible_in_it(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    desk.channel("ops", "ntfy", ntfy.config()).await;
    let wish = impri::domain::proposal::RawProposal {
        payload: Some(json!({"to": "sarah@acme.example"})),
        target_url: Some("https://mail.acme.example/send".to_owned()),
        idempotent: Some(false),
        undo: Some("Ask Sarah to delete it.".to_owned()),
        ..wish("Grüße an Ачме 🚢", "Dear Sarah,\n\npay\u{200b}ment of 5\u{202e}000 <b>&amp;</b> _now_")
    };
    let action = desk.wants(wish).await;
    assert_eq!(desk.send_due().await, 1);
    let published = ntfy.published();
    assert_eq!(published.len(), 1);
    let message = published[0]["message"].as_str().expect("a text");
    for part in [
        "Kind and agent: mail.send, proposed by agent",
        "Decide within 3 d",
        "Not idempotent: each run has its own effect.",
        "Target: https://mail.acme.example/send",
        "Dear Sarah,\n\npay⟨U+200B⟩ment of 5⟨U+202E⟩000 <b>&amp;</b> _now_",
        "\"to\": \"sarah@acme.example\"",
        "The agent says on undoing it: Ask Sarah to delete it.",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(published[0]["title"].as_str().expect("a title").ends_with("🚢"), "any character");
    assert_eq!(published[0]["click"], format!("http://127.0.0.1:8484/inbox/{}", action.id));
    assert_eq!(published[0]["priority"], 3);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_has_no_room_is_said_to_be_missing(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    desk.channel("ops", "ntfy", ntfy.config()).await;
    desk.wish("Long", &"word ".repeat(2_000)).await;
    assert_eq!(desk.send_due().await, 1);
    let message = ntfy.published()[0]["message"].as_str().expect("a text").to_owned();
    assert!(message.contains("more characters of the preview. Open the card to see all of it."), "{message}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_refusal_is_kept_in_the_platforms_words(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let config = json!({"url": ntfy.url(), "topic": "impri-ops", "token": "tk_wrong"});
    let id = desk.channel("ops", "ntfy", config).await;
    let action = desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let stands = desk.notices(action.id).await;
    assert_eq!(stands, [("dlq".to_owned(), Some("HTTP 403: forbidden".to_owned()))]);
    let health = desk.seen(id).await.stored.health;
    assert_eq!((health.failures, health.error.as_deref()), (1, Some("HTTP 403: forbidden")));
    let events = desk.events(action.id, impri::domain::audit::EventKind::NoticeFailed).await;
    assert_eq!((events.len(), &events[0]["name"]), (1, &json!("ops")));
    let test = desk
        .services
        .test_channel(desk.project(), id, Actor::Operator, Channel::cli())
        .await
        .expect("an answer");
    assert_eq!((test.ok, test.answer.as_str()), (false, "HTTP 403: forbidden"));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_server_that_asks_for_patience_gets_it(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    ntfy.refuse(StatusCode::TOO_MANY_REQUESTS, r#"{"code": 42901, "http": 429, "error": "limit reached"}"#);
    let action = desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(
        desk.notices(action.id).await,
        [("retry".to_owned(), Some("HTTP 429: limit reached".to_owned()))]
    );
    assert_eq!(desk.seen(id).await.stored.health.failures, 0, "that is nobody's failure");
    desk.advance(16);
    assert_eq!(desk.send_due().await, 0, "Retry-After was 17 s");
    desk.advance(1);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(ntfy.titles(), ["One"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_agents_words_become_no_emoji(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    desk.channel("ops", "ntfy", ntfy.config()).await;
    // A short code of ntfy's (https://docs.ntfy.sh/emojis/): as a tag it would stand before the title as a green tick.
    let kind = "white_check_mark";
    desk.wants(impri::domain::proposal::RawProposal { kind: Some(kind.to_owned()), ..wish("Pay", "body") })
        .await;
    assert_eq!(desk.send_due().await, 1);
    let published = &ntfy.published()[0];
    assert_eq!((&published["tags"], &published["title"]), (&json!(["impri"]), &json!("Pay")));
    let message = published["message"].as_str().expect("a text");
    assert!(message.contains("white_check_mark, proposed by agent"), "{message}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn whatever_a_platform_answers_can_be_kept(pool: PgPool) {
    let (desk, ntfy) = (desk(pool).await, FakeNtfy::start().await);
    let id = desk.channel("ops", "ntfy", ntfy.config()).await;
    let answer = json!({"error": format!("no\u{0}\u{1b}[2J{}", "x".repeat(10_000))}).to_string();
    ntfy.refuse(StatusCode::BAD_REQUEST, answer.leak());
    let action = desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let (state, said) = desk.notices(action.id).await.remove(0);
    let said = said.expect("a reason");
    assert!(said.starts_with("HTTP 400: no  [2Jxxx") && said.chars().count() == 300, "{said}");
    assert_eq!((state.as_str(), desk.seen(id).await.stored.health.error), ("dlq", Some(said)));
}
