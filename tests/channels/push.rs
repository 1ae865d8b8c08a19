//! Web push: what browsers show, to whom, and what comes of it when a push service refuses.

use axum::http::StatusCode;
use impri::domain::audit::EventKind;
use impri::domain::decision::{Channel, Verdict};
use impri::domain::ids::PushDeviceId;
use impri::domain::role::Role;
use impri::domain::scope::Scope;
use impri::server::db::people::Member;
use impri::server::db::push::also_waiting;
use impri::server::error::ServiceError;
use impri::server::notify::PlatformSettings;
use impri::server::secrets::Vault;
use impri::server::service::{NewKey, SentSubscription};
use serde_json::json;
use sqlx::PgPool;

use super::desk;
use super::fake_push::FakePush;
use crate::delivery::Desk;

async fn ada(desk: &Desk) -> Member {
    desk.services.list_people(desk.project()).await.expect("people").remove(0)
}

async fn add(desk: &Desk, member: &Member, sent: &SentSubscription, hides: bool) {
    desk.services.add_push_device(member, sent, hides, "Firefox on Android").await.expect("added");
}

/// A desk with a browser of the administrator's.
async fn open(pool: PgPool) -> (Desk, FakePush, Member) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let ada = ada(&desk).await;
    add(&desk, &ada, &push.subscribe("phone"), false).await;
    (desk, push, ada)
}

async fn set_role(desk: &Desk, member: &Member, change: &str) {
    sqlx::query(change).bind(member.id.uuid()).execute(desk.services.pool()).await.expect("a database");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_browser_shows_what_waits_and_nobody_between_can_read_it(pool: PgPool) {
    let (desk, push, ada) = open(pool).await;
    let action = desk.wish("Grüße an p\u{430}ypal\u{200b} 🚢", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let told = push.told().remove(0);
    let said = &told.said;
    assert_eq!(said["title"], "Grüße an p\u{430}⟨U+0430⟩ypal⟨U+200B⟩ 🚢");
    assert_eq!(said["body"], "mail.send, proposed by agent. Decide within 3 d.");
    assert_eq!(said["url"], format!("http://127.0.0.1:8484/inbox/{}", action.id));
    assert_eq!(said["tag"], action.id.to_string());
    let now = desk.services.clock().now().unix_timestamp();
    let ends = told.claims["exp"].as_i64().expect("a time");
    assert!(ends > now && ends <= now + 86_400, "RFC 8292 §2: within a day");
    assert_eq!(told.claims["sub"], "http://127.0.0.1:8484");
    let key = desk.services.push_key().await.expect("a database").expect("a key");
    assert_eq!(told.key, key.public());
    assert_eq!(told.headers["ttl"], "259199", "until it ends");
    assert_eq!(told.headers["urgency"], "normal");
    let device = desk.services.push_devices(&ada).await.expect("a database").remove(0);
    assert!(device.last_told_at.is_some() && device.last_error.is_none());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_lock_screen_learns_nothing_where_that_is_chosen(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let ada = ada(&desk).await;
    add(&desk, &ada, &push.subscribe("phone"), true).await;
    desk.wish("Pay Acme", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let said = push.told().remove(0).said;
    assert_eq!((&said["title"], &said["body"]), (&json!("Impri"), &json!("An action waits for a decision.")));
    let id = desk.services.push_devices(&ada).await.expect("a database")[0].id.to_string();
    desk.services.hide_push_content(&ada, &id, false).await.expect("changed");
    desk.wish("Pay Bolt", "body").await;
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(push.titles(), ["Impri", "Pay Bolt"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_comes_at_once_is_one_notification(pool: PgPool) {
    let (desk, push, _) = open(pool).await;
    let decided = desk.wish("Decided at once", "body").await;
    desk.decide(decided.id, Verdict::Approve, json!({})).await;
    for number in 0..5 {
        desk.wish(&format!("Mail {number}"), "body").await;
    }
    desk.send_due().await;
    assert_eq!(push.titles(), ["5 actions wait for a decision"]);
    let said = push.told().remove(0).said;
    assert_eq!(said["body"], "Mail 0\nMail 1\nMail 2\nAnd 2 more.");
    assert_eq!(said["url"], "http://127.0.0.1:8484/inbox");
    for number in 5..10 {
        desk.wish(&format!("Mail {number}"), "body").await;
        desk.send_due().await;
    }
    assert_eq!(push.titles()[1..], ["Mail 5", "Mail 6"], "three a minute");
    desk.advance(60);
    desk.send_due().await;
    assert_eq!(push.titles()[3..], ["3 actions wait for a decision"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_browser_that_is_gone_is_forgotten_and_others_are_told(pool: PgPool) {
    let (desk, push, ada) = open(pool).await;
    add(&desk, &ada, &push.subscribe("desktop"), false).await;
    push.forget("phone");
    desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 2);
    let left = desk.services.push_devices(&ada).await.expect("a database");
    assert_eq!(left.len(), 1);
    assert!(left[0].endpoint.ends_with("/push/desktop"));
    desk.wish("Two", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let told: Vec<String> = push.told().into_iter().map(|told| told.browser).collect();
    assert_eq!(told, ["desktop", "desktop"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_push_service_that_asks_for_patience_gets_it_and_failures_are_said(pool: PgPool) {
    let (desk, push, ada) = open(pool).await;
    push.refuse(StatusCode::TOO_MANY_REQUESTS);
    desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 1);
    desk.advance(20);
    assert_eq!(desk.send_due().await, 0, "Retry-After was 21 s");
    desk.advance(1);
    push.refuse(StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(desk.send_due().await, 1);
    let device = desk.services.push_devices(&ada).await.expect("a database").remove(0);
    assert_eq!(device.last_error.as_deref(), Some("HTTP 500 from the push service"));
    desk.advance(5);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(push.titles(), ["One"]);
    assert_eq!(desk.services.push_devices(&ada).await.expect("a database")[0].last_error, None);
    push.refuse(StatusCode::PAYLOAD_TOO_LARGE);
    let id = device.id.to_string();
    let refused = desk.services.test_push_device(&ada, &id).await.expect_err("it is said");
    assert!(
        matches!(&refused, ServiceError::Invalid(errors) if errors[0].to_string().contains("HTTP 413")),
        "{refused:?}"
    );
    desk.services.test_push_device(&ada, &id).await.expect("taken");
    assert_eq!(push.titles()[1..], ["Test from Impri"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn only_who_may_decide_at_that_moment_is_told(pool: PgPool) {
    let (desk, push, ada) = open(pool).await;
    for (change, is_told) in [
        ("update membership set role = 'viewer' where reviewer_id = $1", false),
        ("update membership set role = 'reviewer' where reviewer_id = $1", true),
        ("update reviewer set disabled_at = now() where reviewer_id = $1", false),
        ("update reviewer set disabled_at = null where reviewer_id = $1", true),
    ] {
        let before = push.told().len();
        desk.wish(change, "body").await;
        set_role(&desk, &ada, change).await;
        desk.send_due().await;
        assert_eq!(push.told().len() - before, usize::from(is_told), "{change}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nobody_else_sees_or_removes_a_device(pool: PgPool) {
    let (desk, push, ada) = open(pool).await;
    let id = desk.services.push_devices(&ada).await.expect("a database")[0].id.to_string();
    let mut other = ada.clone();
    other.id =
        impri::domain::ids::ReviewerId::from_uuid(impri::server::random::uuid(desk.services.clock().now()));
    other.role = Role::Admin;
    assert!(desk.services.push_devices(&other).await.expect("a database").is_empty());
    for refused in [
        desk.services.remove_push_device(&other, &id).await,
        desk.services.hide_push_content(&other, &id, true).await,
        desk.services.test_push_device(&other, &id).await,
        desk.services.remove_push_device(&ada, "dev_x").await,
    ] {
        assert!(matches!(refused, Err(ServiceError::NotFound)), "{refused:?}");
    }
    desk.services.remove_push_device(&ada, &id).await.expect("hers");
    desk.wish("One", "body").await;
    assert_eq!((desk.send_due().await, push.told().len()), (0, 0));
    let kinds: Vec<(String,)> =
        sqlx::query_as("select kind from audit_event where kind like 'device.%' order by event_id")
            .fetch_all(desk.services.pool())
            .await
            .expect("events");
    let kinds: Vec<&str> = kinds.iter().map(|(kind,)| kind.as_str()).collect();
    assert_eq!(kinds, [EventKind::DeviceAdded.as_str(), EventKind::DeviceRemoved.as_str()]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_program_that_decides_is_told_until_its_key_ends(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let new = NewKey { name: "console".to_owned(), scopes: vec![Scope::Decide], lasts: None };
    let made =
        desk.services.create_key(desk.project(), new, impri::domain::audit::Actor::Operator, Channel::cli());
    let made = made.await.expect("a key");
    let caller = desk.services.caller(&made.key).await.expect("a key");
    let sent = push.subscribe("console");
    desk.services.subscribe_key(&caller, &sent).await.expect("subscribed");
    desk.services.subscribe_key(&caller, &sent).await.expect("the same again");
    desk.wish("One", "body").await;
    assert_eq!(desk.send_due().await, 1);
    desk.services.unsubscribe_key(&caller, &sent.endpoint).await.expect("ended");
    desk.wish("Two", "body").await;
    assert_eq!(desk.send_due().await, 0);
    desk.services.subscribe_key(&caller, &sent).await.expect("subscribed");
    sqlx::query("update api_key set revoked_at = now() where name = 'console'")
        .execute(desk.services.pool())
        .await
        .expect("a database");
    desk.wish("Three", "body").await;
    desk.send_due().await;
    assert_eq!(push.titles(), ["One"]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_subscription_leads_outside_and_has_whole_keys(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let ada = ada(&desk).await;
    let good = push.subscribe("phone");
    let guarded = desk.services.clone().with_platforms(PlatformSettings::default());
    for endpoint in
        ["", "http://push.example/x", "https://127.0.0.1/x", "https://[::1]/x", "ftp://push.example/x", "x"]
    {
        let sent = SentSubscription { endpoint: endpoint.to_owned(), ..good.clone() };
        let refused = guarded.add_push_device(&ada, &sent, false, "Firefox").await;
        let Err(ServiceError::Invalid(errors)) = refused else { panic!("{endpoint}: {refused:?}") };
        assert_eq!(errors[0].field, "endpoint", "{endpoint}");
    }
    for (sent, field) in [
        (SentSubscription { p256dh: good.p256dh[1..].to_owned(), ..good.clone() }, "keys.p256dh"),
        (SentSubscription { p256dh: "BA".repeat(43) + "A", ..good.clone() }, "keys.p256dh"),
        (SentSubscription { auth: String::new(), ..good.clone() }, "keys.auth"),
    ] {
        let refused = desk.services.add_push_device(&ada, &sent, false, "Firefox").await;
        let Err(ServiceError::Invalid(errors)) = refused else { panic!("{field}: {refused:?}") };
        assert_eq!((errors.len(), errors[0].field.as_str()), (1, field));
    }
    let closed = desk.services.clone().with_vault(Vault::closed("the file is on the moon"));
    assert!(closed.push_key().await.expect("a database").is_err());
    assert!(closed.add_push_device(&ada, &good, false, "Firefox").await.is_err());
    assert!(desk.services.push_devices(&ada).await.expect("a database").is_empty());
    let padded = SentSubscription { auth: format!("{}==", good.auth), ..good };
    desk.services.add_push_device(&ada, &padded, false, "Firefox").await.expect("padding is no matter");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_key_is_sealed_stays_and_is_sealed_anew_with_the_others(pool: PgPool) {
    let desk = desk(pool).await;
    let public = desk.services.push_key().await.expect("a database").expect("a key").public();
    let (sealed,): (String,) =
        sqlx::query_as("select sealed from push_key").fetch_one(desk.services.pool()).await.expect("one");
    assert!(sealed.starts_with("x1."), "{sealed}");
    let both = format!("{},{}", "ab".repeat(32), super::VAULT_KEY);
    let rotated = desk.services.clone().with_vault(Vault::from_setting(&both).expect("keys"));
    assert_eq!(rotated.secrets_state().await.expect("a database").older, 2, "the project's, too");
    let actor = impri::domain::audit::Actor::Operator;
    assert_eq!(rotated.reseal_secrets(desk.project(), actor, Channel::cli()).await.expect("resealed"), 2);
    let only = Vault::from_setting(&"ab".repeat(32)).expect("a key");
    let after = desk.services.clone().with_vault(only).push_key().await.expect("a database").expect("opened");
    assert_eq!(after.public(), public);
}

/// What a device had is not looked through to find what it is to have.
#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_devices_past_costs_nothing(pool: PgPool) {
    let (desk, _push, _) = open(pool.clone()).await;
    let action = desk.wish("Pay Acme", "500 €").await;
    desk.wish("Pay others", "500 €").await;
    let device =
        sqlx::query_scalar("select push_device_id from push_device").fetch_one(&pool).await.expect("one");
    let device = PushDeviceId::from_uuid(device);
    // Others wait; this device was told of them, and something else was not told yet.
    for seed in [
        "insert into action (action_id, project_id, proposed_by, proposed_by_name, kind, title, preview_format, preview_body,
           editable, content_sha256, created_at, expires_at, status, updated_at)
         select gen_random_uuid(), project_id, proposed_by, proposed_by_name, kind, title, preview_format, preview_body,
           editable, content_sha256, created_at, expires_at, status, updated_at
         from action, generate_series(1, 5000) where title = 'Pay others'",
        "insert into outbox (event_id, project_id, action_id, channel, push_device_id, target, target_host, body, state,
           created_at, due_at, done_at)
         select gen_random_uuid(), a.project_id, a.action_id, 'push', d.push_device_id, '', 'push', '', 'delivered',
           a.created_at, a.created_at, a.created_at
         from action a, push_device d where not exists (select from outbox o where o.action_id = a.action_id)",
        "insert into outbox (event_id, project_id, action_id, channel, target, target_host, body, state, created_at, due_at)
         select gen_random_uuid(), project_id, action_id, 'callback', 'http://x.example', 'x.example', '', 'pending',
           created_at, created_at from action, generate_series(1, 2)",
        "analyze",
    ] {
        sqlx::query(seed).execute(&pool).await.expect("stored");
    }
    let mut tx = pool.begin().await.expect("a database");
    let now = desk.services.clock().now();
    let others = also_waiting(&mut tx, device, action.id, now).await.expect("rows");
    assert_eq!(others.len(), 1);
    let read = "select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables
                where relname = 'outbox'";
    let read: i64 = sqlx::query_scalar(read).fetch_one(&mut *tx).await.expect("statistics");
    assert!(read < 100, "{read} rows were read");
}
