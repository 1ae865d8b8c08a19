//! Whose a subscription is: of the browser that has its secret, and never of a program if a person switched it on.

use impri::domain::audit::Actor;
use impri::domain::decision::Channel;
use impri::domain::role::Role;
use impri::domain::scope::Scope;
use impri::server::db::people::Member;
use impri::server::error::ServiceError;
use impri::server::notify::PlatformSettings;
use impri::server::service::{Caller, NewKey, SentSubscription};
use serde_json::Value;
use sqlx::PgPool;

use super::desk;
use super::fake_push::FakePush;
use crate::delivery::Desk;

async fn key(desk: &Desk, name: &str) -> Caller {
    let new = NewKey { name: name.to_owned(), scopes: vec![Scope::Decide], lasts: None };
    let made = desk.services.create_key(desk.project(), new, Actor::Operator, Channel::cli()).await;
    (*desk.services.caller(&made.expect("a key").key).await.expect("a key")).clone()
}

async fn people(desk: &Desk) -> Vec<Member> {
    desk.services.list_people(desk.project()).await.expect("people")
}

/// The events about devices, the oldest first: kind, who, and the device's name.
async fn events(desk: &Desk) -> Vec<(String, String, String)> {
    let rows: Vec<(String, Option<String>, Value)> = sqlx::query_as(
        "select kind, actor_name, data from audit_event where kind like 'device.%' order by event_id",
    )
    .fetch_all(desk.services.pool())
    .await
    .expect("events");
    let name = |data: &Value| data["name"].as_str().expect("a name").to_owned();
    rows.into_iter().map(|(kind, who, data)| (kind, who.unwrap_or_default(), name(&data))).collect()
}

fn event(kind: &str, who: &str, name: &str) -> (String, String, String) {
    (kind.to_owned(), who.to_owned(), name.to_owned())
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_program_takes_and_removes_nothing_that_a_person_switched_on(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let (ada, console) = (people(&desk).await.remove(0), key(&desk, "console").await);
    let phone = push.subscribe("phone");
    desk.services.add_push_device(&ada, &phone, false, "Firefox").await.expect("added");
    // With all that the browser knows, or with the address alone.
    let other = SentSubscription { endpoint: phone.endpoint.clone(), ..push.subscribe("console") };
    for sent in [&phone, &other] {
        let refused = desk.services.subscribe_key(&console, sent).await;
        assert!(matches!(refused, Err(ServiceError::EndpointTaken)), "{refused:?}");
    }
    // The answer is the same as if there were nothing.
    desk.services.unsubscribe_key(&console, &phone.endpoint).await.expect("nothing of its own is there");
    desk.services.unsubscribe_key(&console, "https://push.example/x").await.expect("nor here");
    desk.wish("One", "body").await;
    assert_eq!((desk.send_due().await, push.titles()), (1, vec!["One".to_owned()]));
    assert_eq!(push.told()[0].browser, "phone");
    assert_eq!(events(&desk).await, [event("device.added", "Ada", "Firefox")]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_a_program_registered_moves_with_its_secret_alone_and_the_history_says_so(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let (before, after) = (key(&desk, "before").await, key(&desk, "after").await);
    let sent = push.subscribe("console");
    desk.services.subscribe_key(&before, &sent).await.expect("subscribed");
    let guessed = SentSubscription { endpoint: sent.endpoint.clone(), ..push.subscribe("another") };
    let refused = desk.services.subscribe_key(&after, &guessed).await;
    assert!(matches!(refused, Err(ServiceError::EndpointTaken)), "{refused:?}");
    desk.services.unsubscribe_key(&after, &sent.endpoint).await.expect("nothing of its own is there");
    // The same browser with a key that took the place of the other.
    for _ in 0..2 {
        desk.services.subscribe_key(&after, &sent).await.expect("subscribed");
    }
    desk.wish("One", "body").await;
    assert_eq!((desk.send_due().await, push.told().len()), (1, 1));
    desk.services.unsubscribe_key(&before, &sent.endpoint).await.expect("it is not its own any more");
    desk.services.unsubscribe_key(&after, &sent.endpoint).await.expect("ended");
    desk.services.unsubscribe_key(&after, &sent.endpoint).await.expect("there is none");
    desk.wish("Two", "body").await;
    assert_eq!((desk.send_due().await, push.told().len()), (0, 1));
    assert_eq!(
        events(&desk).await,
        [
            event("device.added", "before", "Key before"),
            event("device.removed", "after", "Key before"),
            event("device.added", "after", "Key after"),
            event("device.removed", "after", "Key after"),
        ]
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_browser_is_told_for_whoever_switched_it_on_last(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let new = impri::server::service::NewPerson {
        name: "Grace".to_owned(),
        email: "grace@example.org".to_owned(),
        password: "correct horse battery".to_owned(),
        role: Role::Reviewer,
    };
    let project = desk.services.first_project().await.expect("a database").expect("a project");
    desk.services.create_person(&project, new, Actor::Operator, Channel::cli()).await.expect("Grace");
    let people = people(&desk).await;
    let find = |name: &str| people.iter().find(|person| person.name == name).expect("somebody").clone();
    let (ada, grace) = (find("Ada"), find("Grace"));
    let phone = push.subscribe("phone");
    desk.services.add_push_device(&ada, &phone, true, "Firefox").await.expect("added");
    let guessed = SentSubscription { endpoint: phone.endpoint.clone(), ..push.subscribe("another") };
    let refused = desk.services.add_push_device(&grace, &guessed, false, "Chrome").await;
    assert!(matches!(refused, Err(ServiceError::EndpointTaken)), "{refused:?}");
    desk.wish("For Ada", "body").await;
    desk.services.add_push_device(&grace, &phone, false, "Firefox").await.expect("the same browser");
    assert!(desk.services.push_devices(&ada).await.expect("a database").is_empty());
    desk.wish("For Grace", "body").await;
    desk.send_due().await;
    assert_eq!(push.titles(), ["For Grace"], "what was meant for Ada is told to nobody else");
    assert_eq!(
        events(&desk).await,
        [
            event("device.added", "Ada", "Firefox"),
            event("device.removed", "Grace", "Firefox"),
            event("device.added", "Grace", "Firefox"),
        ]
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_endpoint_is_an_address_and_nothing_else(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let (ada, good) = (people(&desk).await.remove(0), push.subscribe("phone"));
    let guarded = desk.services.clone().with_platforms(PlatformSettings::default());
    for endpoint in [
        "https://user@push.example/x",
        "https://user:secret@push.example/x",
        "https://:secret@push.example/x",
        "https://push.example/x#part",
        "https://push.example/x#",
        "https://push.example/x\r\nHost: inner",
        "https://push.example/\nx",
        "https://push.example/x\r",
        "https://push.example/\tx",
        "https://push.example/x\0",
        "https://push.example/x\u{7f}",
        "https://push.example/x\u{85}",
        " https://push.example/x",
        "https://push.example/x y",
        "http://push.example/x",
        "//push.example/x",
        "https:///",
        "https://10.0.0.1/x",
        "https://[fd00::1]/x",
        "https://0x7f.1/x",
        "https://169.254.169.254/latest",
        "javascript:alert(1)",
        "data:text/plain,x",
    ] {
        let sent = SentSubscription { endpoint: endpoint.to_owned(), ..good.clone() };
        let refused = guarded.add_push_device(&ada, &sent, false, "Firefox").await;
        let Err(ServiceError::Invalid(errors)) = refused else { panic!("{endpoint:?}: {refused:?}") };
        assert_eq!((errors.len(), errors[0].field.as_str()), (1, "endpoint"), "{endpoint:?}");
    }
    let sent = SentSubscription { endpoint: "https://push.example/x?y=1".to_owned(), ..good };
    guarded.add_push_device(&ada, &sent, false, "Firefox").await.expect("that is one");
    assert_eq!(guarded.push_devices(&ada).await.expect("a database").len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn however_many_come_at_once_there_are_no_more_than_twenty(pool: PgPool) {
    let (desk, push) = (desk(pool).await, FakePush::start().await);
    let console = key(&desk, "console").await;
    let sent: Vec<SentSubscription> = (0..30).map(|n| push.subscribe(&format!("browser-{n}"))).collect();
    let outcomes =
        futures::future::join_all(sent.iter().map(|sent| desk.services.subscribe_key(&console, sent))).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 20);
    assert!(matches!(outcomes.into_iter().find_map(Result::err), Some(ServiceError::Invalid(_))));
    let stored = sqlx::query_scalar("select count(*) from push_device where gone_at is null");
    let stored: i64 = stored.fetch_one(desk.services.pool()).await.expect("a count");
    assert_eq!(stored, 20);
}
