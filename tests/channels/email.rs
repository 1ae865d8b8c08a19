//! E-mail: what arrives, over which connection, and what comes of it when the server refuses.

use impri::domain::audit::Actor;
use impri::domain::decision::{Channel, Verdict};
use impri::domain::proposal::RawProposal;
use impri::server::config::{SmtpSource, SmtpTls};
use impri::server::error::ServiceError;
use impri::server::notify::{PlatformSettings, notice};
use impri::server::service::NewChannel;
use mail_parser::MessageParser;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::fake_smtp::{FakeSmtp, Protection, Taken, Whim};
use super::wish;
use crate::delivery::{Desk, OPEN};

fn to_ops() -> Value {
    json!({"address": "ops@acme.example"})
}

async fn desk(pool: PgPool, smtp: Option<impri::server::config::Smtp>) -> Desk {
    let mut desk = super::desk(pool).await;
    desk.services =
        desk.services.with_platforms(PlatformSettings { policy: OPEN, smtp, ..PlatformSettings::default() });
    desk
}

/// A desk with a mail server that wants STARTTLS.
async fn post(pool: PgPool) -> (Desk, FakeSmtp) {
    let smtp = FakeSmtp::start(Protection::StartTls).await;
    (desk(pool, Some(smtp.settings())).await, smtp)
}

fn only_one(smtp: &FakeSmtp) -> Taken {
    let mut taken = smtp.taken();
    assert_eq!(taken.len(), 1);
    taken.remove(0)
}

fn text(taken: &Taken) -> String {
    let mail = MessageParser::default().parse(&taken.data).expect("a mail");
    mail.body_text(0).expect("a text").replace("\r\n", "\n")
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_whole_card_arrives_in_two_forms(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    desk.channel("ops", "email", to_ops()).await;
    let wish = RawProposal {
        payload: Some(json!({"to": "sarah@acme.example"})),
        target_url: Some("https://mail.acme.example/send".to_owned()),
        idempotent: Some(false),
        undo: Some("Ask Sarah to delete it.".to_owned()),
        ..wish("Grüße an Ачме 🚢", ".\nDear Sarah,\n\npay\u{200b}ment <b>&amp;</b>\nFrom here on\n.\n| all")
    };
    let action = desk.wants(wish).await;
    assert_eq!(desk.send_due().await, 1);
    let taken = only_one(&smtp);
    assert_eq!(
        (taken.from.as_str(), taken.to.as_slice()),
        ("impri@mail.example", &["ops@acme.example".to_owned()][..])
    );
    assert!(taken.was_encrypted);
    let mail = MessageParser::default().parse(&taken.data).expect("a mail");
    assert_eq!(mail.subject(), Some("[Impri] Grüße an Ачме 🚢"));
    assert_eq!(mail.from().and_then(|from| from.first()).and_then(|from| from.name()), Some("Impri"));
    assert_eq!(mail.header_raw("Auto-Submitted").map(str::trim), Some("auto-generated"));
    assert!(mail.date().is_some());
    let link = format!("http://127.0.0.1:8484/inbox/{}", action.id);
    let text = text(&taken);
    let head =
        "| Grüße an Ачме 🚢\n\nKind and agent: mail.send, proposed by agent\n\nDecide within 3 d, until ";
    assert!(text.starts_with(head), "{text}");
    let preview =
        "\n\n| .\n| Dear Sarah,\n| \n| pay⟨U+200B⟩ment <b>&amp;</b>\n| From here on\n| .\n| | all\n\n";
    assert!(text.contains(preview), "{text}");
    for part in [
        "\n\nNot idempotent: each run has its own effect.\n\n",
        "Target: https://mail.acme.example/send",
        "Payload:\n| {\n|   \"to\": \"sarah@acme.example\"\n| }",
        "The agent says on undoing it: Ask Sarah to delete it.",
        &format!("Open: {link}"),
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let html = mail.body_html(0).expect("the other form");
    assert!(html.contains("pay⟨U+200B⟩ment &lt;b&gt;&amp;amp;&lt;/b&gt;") && !html.contains("<b>"), "{html}");
    assert_eq!(html.matches("href=").count(), 1, "one link, to the card: {html}");
    assert!(html.contains(&format!("href=\"{link}\"")) && !html.contains("<form"), "{html}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_came_of_it_follows_in_the_same_thread_where_that_is_wanted(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    let quiet = desk.channel("quiet", "email", json!({"address": "quiet@acme.example"})).await;
    desk.channel("ops", "email", json!({"address": "ops@acme.example", "outcomes": true})).await;
    let action = desk.wish("Write to Acme", "body").await;
    assert_eq!(desk.send_due().await, 2);
    desk.decide(action.id, Verdict::Reject, json!({})).await;
    assert_eq!(desk.send_due().await, 1);
    let taken = smtp.taken();
    assert_eq!(taken.iter().filter(|mail| mail.to == ["quiet@acme.example"]).count(), 1);
    let to_ops: Vec<&Taken> = taken.iter().filter(|mail| mail.to == ["ops@acme.example"]).collect();
    let parsed: Vec<_> =
        to_ops.iter().map(|mail| MessageParser::default().parse(&mail.data).expect("a mail")).collect();
    assert_eq!(parsed.len(), 2);
    let first = parsed[0].message_id().expect("an id");
    assert!(first.starts_with(&format!("{}.", action.id)) && first.ends_with("@mail.example"), "{first}");
    assert_eq!(parsed[1].in_reply_to().as_text(), Some(first));
    assert_eq!(parsed[1].references().as_text(), Some(first));
    assert_eq!(parsed[1].subject(), Some("Re: [Impri] Write to Acme"));
    assert!(text(to_ops[1]).contains("Rejected by Ada through Web"), "{}", text(to_ops[1]));
    assert_eq!(desk.seen(quiet).await.pending, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_list_is_not_answered_for_each_of_it(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    desk.channel("ops", "email", json!({"address": "ops@acme.example", "outcomes": true})).await;
    let mut last = None;
    for number in 0..8 {
        last = Some(desk.wish(&format!("Mail {number}"), "body").await);
    }
    desk.send_due().await;
    desk.advance(60);
    desk.send_due().await;
    let taken = smtp.taken();
    assert_eq!(taken.len(), 6, "five, and a list of three");
    let list = MessageParser::default().parse(&taken[5].data).expect("a mail").subject().map(str::to_owned);
    assert_eq!(list.as_deref(), Some("[Impri] 3 actions waiting for a decision"));
    assert!(text(&taken[5]).contains("waits: Mail 7"));
    desk.decide(last.expect("eight").id, Verdict::Approve, json!({})).await;
    desk.send_due().await;
    assert_eq!(smtp.taken().len(), 6);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_may_pass_is_tried_again(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    let id = desk.channel("ops", "email", to_ops()).await;
    for whim in [
        Whim::Says("RCPT", "451 4.7.1 Greylisted, try again"),
        Whim::Drops("DATA"),
        Whim::Says("MAIL", "421 4.3.2 closing"),
    ] {
        smtp.will(whim);
    }
    let action = desk.wish("Write to Acme", "body").await;
    for (pause, error) in [
        (5, "SMTP 421: 4.3.2 closing"),
        (30, "SMTP 451: 4.7.1 Greylisted, try again"),
        (120, "no connection to the mail server: the connection was cut off"),
    ] {
        assert_eq!(desk.send_due().await, 1);
        let (state, said) = desk.notices(action.id).await.remove(0);
        assert!(state == "retry" && said.as_deref().is_some_and(|said| said.starts_with(error)), "{said:?}");
        desk.advance(pause);
    }
    assert_eq!(desk.seen(id).await.stored.health.failures, 3);
    assert_eq!(desk.send_due().await, 1);
    assert_eq!(desk.notices(action.id).await[0].0, "delivered");
    assert_eq!(desk.seen(id).await.stored.health.failures, 0);
    only_one(&smtp);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_will_not_pass_is_given_up_and_said(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    let id = desk.channel("ops", "email", to_ops()).await;
    smtp.will(Whim::Says("RCPT", "550 5.1.1 No such user here"));
    let action = desk.wish("Write to Acme", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let error = "SMTP 550: 5.1.1 No such user here".to_owned();
    assert_eq!(desk.notices(action.id).await, [("dlq".to_owned(), Some(error.clone()))]);
    assert_eq!(desk.seen(id).await.stored.health.error, Some(error));
    assert!(smtp.taken().is_empty());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_wrong_password_is_said_to_be_one_and_tried_once(pool: PgPool) {
    let smtp = FakeSmtp::start(Protection::Tls).await;
    let wrong = smtp.settings_with(|given| SmtpSource { password: Some("wrong"), ..given });
    let desk = desk(pool, Some(wrong)).await;
    let id = desk.channel("ops", "email", to_ops()).await;
    let action = desk.wish("Write to Acme", "body").await;
    assert_eq!(desk.send_due().await, 1);
    let (state, error) = desk.notices(action.id).await.remove(0);
    let error = error.expect("a reason");
    assert!(
        state == "dlq" && error.starts_with("SMTP 535: 5.7.8 Authentication credentials invalid"),
        "{error}"
    );
    assert!(error.ends_with("IMPRI_SMTP_USER and IMPRI_SMTP_PASSWORD"), "{error}");
    let platform = notice::open(&desk.services, &desk.seen(id).await.stored).expect("a platform");
    assert_eq!(platform.check().await.expect_err("refused").reason, error);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_look_signs_in_and_sends_nothing(pool: PgPool) {
    let (desk, smtp) = post(pool).await;
    let id = desk.channel("ops", "email", to_ops()).await;
    let platform = notice::open(&desk.services, &desk.seen(id).await.stored).expect("a platform");
    assert!(platform.check().await.is_ok());
    assert_eq!(smtp.commands(), ["EHLO", "STARTTLS", "EHLO", "AUTH", "NOOP", "QUIT"]);
    let tested = desk
        .services
        .test_channel(desk.project(), id, Actor::Operator, Channel::cli())
        .await
        .expect("an answer");
    assert_eq!((tested.ok, tested.answer.as_str()), (true, "250 2.0.0 queued as 4XyZ"));
    assert!(text(&only_one(&smtp)).starts_with("Test message from Impri\n\nThe channel ops works."));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn nothing_is_said_to_a_server_that_is_not_the_one(pool: PgPool) {
    let own = FakeSmtp::start(Protection::StartTls).await;
    let stranger = FakeSmtp::start(Protection::StartTls).await;
    let open = FakeSmtp::start(Protection::Nothing).await;
    // One certificate is nobody's that we trust; the other server speaks in the clear only.
    let untrusted = stranger.settings_with(|given| SmtpSource { ca_file: None, ..given });
    let clear = open.settings_with(|given| SmtpSource { tls: Some(SmtpTls::StartTls), ..given });
    let desk = desk(pool, Some(own.settings())).await;
    let id = desk.channel("ops", "email", to_ops()).await;
    for (settings, said) in [
        (untrusted, "no safe connection to the mail server: the host's TLS certificate is from nobody"),
        (clear, "the mail server can't be used: "),
    ] {
        let settings = PlatformSettings { policy: OPEN, smtp: Some(settings), ..PlatformSettings::default() };
        let services = desk.services.clone().with_platforms(settings);
        let tested = services
            .test_channel(desk.project(), id, Actor::Operator, Channel::cli())
            .await
            .expect("an answer");
        assert!(!tested.ok && tested.answer.starts_with(said), "{}", tested.answer);
    }
    for server in [stranger, open] {
        assert!(
            !server.commands().iter().any(|verb| verb == "AUTH" || verb == "MAIL"),
            "{:?}",
            server.commands()
        );
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn without_a_mail_server_there_are_no_such_channels(pool: PgPool) {
    let desk = desk(pool, None).await;
    let Value::Object(config) = to_ops() else { panic!("an object") };
    let new =
        NewChannel { name: "ops".to_owned(), kind: "email".to_owned(), config, ..NewChannel::default() };
    let refused = desk.services.create_channel(desk.project(), new, Actor::Operator, Channel::cli()).await;
    let Err(ServiceError::Invalid(errors)) = refused else { panic!("{refused:?}") };
    assert_eq!((errors.len(), errors[0].field.as_str()), (1, "type"));
    let said = errors[0].to_string();
    assert!(said.contains("IMPRI_SMTP_HOST") && said.contains("IMPRI_SMTP_FROM"), "{said}");
    assert!(desk.services.list_channels(desk.project()).await.expect("a database").is_empty());
}
