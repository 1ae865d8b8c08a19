//! Telegram: the whole way from a proposal to a message, to a button, to a decision, and back into the message.

use impri::domain::action::{Action, Status};
use impri::domain::audit::EventKind;
use impri::domain::channel::ChannelKind;
use impri::domain::decision::Verdict;
use impri::domain::ids::ChannelId;
use impri::domain::proposal::RawProposal;
use impri::domain::role::Role;
use impri::server::notify::PlatformSettings;
use impri::server::notify::telegram::listen;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::fake_telegram::{ADA, FakeTelegram, GROUP, Message, STRANGER, TOKEN};
use super::{desk, wish};
use crate::delivery::{Desk, OPEN};

pub(super) struct Chat {
    pub(super) desk: Desk,
    pub(super) telegram: FakeTelegram,
    pub(super) channel: ChannelId,
    holder: Uuid,
}

impl Chat {
    /// A chat with a channel, and Ada's account linked.
    pub(super) async fn open(pool: PgPool) -> Self {
        let chat = Self::unlinked(pool, json!({})).await;
        chat.link(ADA).await;
        chat
    }

    pub(super) async fn unlinked(pool: PgPool, more: Value) -> Self {
        let mut desk = desk(pool).await;
        let telegram = FakeTelegram::start().await;
        let settings = PlatformSettings {
            policy: OPEN,
            telegram_api: Some(telegram.url()),
            ..PlatformSettings::default()
        };
        desk.services = desk.services.with_platforms(settings);
        let mut config = json!({"bot_token": TOKEN, "chat_id": GROUP, "approval_mode": true});
        config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let channel = desk.channel("ops", "telegram", config).await;
        Self { desk, telegram, channel, holder: Uuid::from_u128(1) }
    }

    pub(super) async fn code(&self) -> String {
        let members = self.desk.services.list_people(self.desk.project()).await.expect("people");
        self.desk.services.make_chat_code(&members[0], ChannelKind::Telegram).await.expect("a code")
    }

    pub(super) async fn link(&self, user: i64) {
        let code = self.code().await;
        self.telegram.whisper(user, &format!("/link {code}"));
        self.hear().await;
    }

    pub(super) async fn hear(&self) -> usize {
        let heard = listen::catch_up(&self.desk.services, self.holder).await.expect("a database");
        let answers = self.desk.services.platforms().tasks();
        answers.close();
        crate::delivery::soon(answers.wait()).await;
        answers.reopen();
        heard
    }

    pub(super) async fn told(&self, title: &str, body: &str) -> (Action, Message) {
        let action = self.desk.wish(title, body).await;
        assert_eq!(self.desk.send_due().await, 1);
        (action, self.last())
    }

    pub(super) fn last(&self) -> Message {
        self.telegram.chat(GROUP).last().expect("a message").clone()
    }

    pub(super) async fn status(&self, action: &Action) -> Status {
        let viewed = self.desk.services.action(self.desk.project(), action.id).await.expect("an action");
        viewed.action.status(self.desk.services.clock().now())
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_with_the_whole_preview_is_approved_from_the_chat(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) =
        chat.told("Pay <b>Acme</b> & Co", "Transfer 500 €\n<i>to</i> &amp; Acme\u{200b}").await;
    assert!(message.text.contains("Pay <b>Acme</b> & Co"), "{}", message.text);
    assert!(message.text.contains("Transfer 500 €\n<i>to</i> &amp; Acme⟨U+200B⟩"), "{}", message.text);
    assert_eq!(message.labels(), ["Approve", "Reject"]);
    chat.telegram.press(ADA, &message, "Approve");
    assert_eq!(chat.hear().await, 1);
    assert_eq!(chat.status(&action).await, Status::Approved);
    let answer = chat.telegram.last_answer();
    assert!(
        answer["text"].as_str().expect("a text").starts_with("Approved by Ada through Telegram"),
        "{answer}"
    );
    assert_eq!(chat.desk.send_due().await, 1);
    let now = chat.last();
    assert_eq!((now.id, now.labels()), (message.id, vec![]), "the same message, without buttons");
    assert!(now.text.contains("Approved by Ada through Telegram"), "{}", now.text);
    let approved = chat.desk.events(action.id, EventKind::ActionApproved).await;
    assert_eq!(approved.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_asks_for_its_reason(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(ADA, &message, "Reject");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Pending, "not before the reason");
    let question = chat.last();
    assert!(question.text.contains("why do you reject Pay Acme?"), "{}", question.text);
    assert_eq!(question.markup["force_reply"], true);
    chat.telegram.reply(STRANGER, &question, "because I say so");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Pending, "whoever was asked answers");
    chat.telegram.reply(ADA, &question, "The invoice is <wrong>.");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Rejected);
    chat.desk.send_due().await;
    let messages = chat.telegram.chat(GROUP);
    assert!(messages[0].text.contains("Rejected by Ada through Telegram"), "{}", messages[0].text);
    assert!(messages[0].text.contains("Reason:\nThe invoice is <wrong>."), "{}", messages[0].text);
    assert!(messages[1].text.starts_with("Rejected by Ada"), "{}", messages[1].text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stranger_is_told_alone_and_noted(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(STRANGER, &message, "Approve");
    chat.hear().await;
    let answer = chat.telegram.last_answer();
    assert!(answer["text"].as_str().expect("a text").contains("stands for nobody here"), "{answer}");
    assert_eq!(answer["show_alert"], true);
    assert_eq!(chat.status(&action).await, Status::Pending);
    let noted = chat.desk.events(action.id, EventKind::ChatRefused).await;
    assert_eq!((noted.len(), &noted[0]["platform_user"]), (1, &json!(STRANGER.to_string())));
    let forged = message.data("Reject").replacen('r', "a", 1);
    chat.telegram.press_data(ADA, &message, &forged);
    chat.hear().await;
    assert!(chat.telegram.last_answer()["text"].as_str().expect("a text").contains("not valid"));
    assert_eq!(chat.status(&action).await, Status::Pending, "nor does a forged button decide");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn who_lost_the_role_decides_nothing(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    sqlx::query("update membership set role = 'viewer'")
        .execute(chat.desk.services.pool())
        .await
        .expect("a viewer");
    chat.telegram.press(ADA, &message, "Approve");
    chat.hear().await;
    assert!(chat.telegram.last_answer()["text"].as_str().expect("a text").contains(Role::Viewer.as_str()));
    assert_eq!(chat.status(&action).await, Status::Pending);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_list_names_for_whom_an_account_stands_and_keeps_others_out(pool: PgPool) {
    let more = json!({"allowed_approver_user_ids": [ADA], "approvers": {ADA.to_string(): "ada@example.org"}});
    let chat = Chat::unlinked(pool, more).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(STRANGER, &message, "Approve");
    chat.hear().await;
    assert!(chat.telegram.last_answer()["text"].as_str().expect("a text").contains("not on the list"));
    chat.telegram.press(ADA, &message, "Approve");
    chat.hear().await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_decided_in_the_web_is_seen_in_the_chat_and_old_buttons_do_nothing(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
    // Pressed before the message was changed, and the same once more.
    for _ in 0..2 {
        chat.telegram.press(ADA, &message, "Approve");
    }
    assert_eq!(chat.hear().await, 2);
    assert!(
        chat.telegram.last_answer()["text"]
            .as_str()
            .expect("a text")
            .starts_with("Rejected by Ada through Web")
    );
    assert_eq!(chat.status(&action).await, Status::Rejected);
    assert!(chat.last().text.contains("Rejected by Ada through Web"));
    let edits = chat.telegram.edits();
    assert_eq!(chat.desk.send_due().await, 1, "the outbox finds that it says so already");
    assert_eq!((chat.telegram.edits(), chat.last().labels()), (edits, vec![]));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn an_expired_card_loses_its_buttons_and_a_result_is_added(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (late, _) = chat.told("Pay late", "500 €").await;
    chat.desk.advance(4 * 24 * 3_600);
    chat.desk.services.expire_due().await.expect("a database");
    chat.desk.send_due().await;
    assert_eq!(chat.status(&late).await, Status::Expired);
    assert!(chat.last().text.contains("Expired: nobody decided within 3 d."), "{}", chat.last().text);
    assert_eq!(chat.last().labels(), Vec::<String>::new());

    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.telegram.press(ADA, &message, "Approve");
    chat.hear().await;
    let report = impri::server::service::Report {
        status: Some("executed".into()),
        detail: Some("paid".into()),
        payload: None,
    };
    chat.desk.services.report(&chat.desk.agent, action.id, report).await.expect("reported");
    chat.desk.send_due().await;
    let text = chat.last().text;
    assert!(text.contains("Approved by Ada") && text.contains("Executed") && text.contains("paid"), "{text}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn too_long_a_preview_can_only_be_rejected_or_opened(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (_, message) = chat.told("Long", &"word ".repeat(2_000)).await;
    assert_eq!(message.labels(), ["Reject"], "and the address of the card is written out");
    assert!(message.text.contains("more characters of the preview"), "{}", message.text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_not_idempotent_is_approved_on_its_card_alone(pool: PgPool) {
    let chat = Chat::open(pool).await;
    chat.desk.wants(RawProposal { idempotent: Some(false), ..wish("Pay", "5 EUR") }).await;
    assert_eq!(chat.desk.send_due().await, 1);
    let message = chat.last();
    assert_eq!(message.labels(), ["Reject"], "the card asks once more, and a chat does not");
    assert!(message.text.contains("Not idempotent"), "{}", message.text);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_burst_is_one_message_that_is_kept_true(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let mut last = None;
    for number in 0..12 {
        last = Some(chat.desk.wish(&format!("Mail {number}"), "body").await);
    }
    chat.desk.send_due().await;
    assert_eq!(chat.telegram.chat(GROUP).len(), 5);
    chat.desk.advance(60);
    chat.desk.send_due().await;
    let list = chat.last();
    assert_eq!(chat.telegram.chat(GROUP).len(), 6);
    assert!(list.text.starts_with("7 actions waiting for a decision"), "{}", list.text);
    assert_eq!(chat.telegram.calls("editMessageText"), 0, "it says so already, for all seven");
    chat.desk.decide(last.expect("some").id, Verdict::Approve, json!({})).await;
    chat.desk.send_due().await;
    let now = chat.last();
    assert!(now.id == list.id && now.text.starts_with("6 actions waiting"), "{}", now.text);
    assert!(now.text.contains("approved:\nMail 11"), "{}", now.text);
    assert_eq!(chat.telegram.calls("editMessageText"), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_telegram_refuses_is_said_in_its_words(pool: PgPool) {
    let chat = Chat::open(pool).await;
    chat.telegram.refuse("sendMessage", 429, json!({"retry_after": 9}), "Too Many Requests: retry after 9");
    let action = chat.desk.wish("Pay Acme", "500 €").await;
    chat.desk.send_due().await;
    assert_eq!(chat.desk.notices(action.id).await[0].0, "retry");
    chat.desk.advance(8);
    assert_eq!(chat.desk.send_due().await, 0);
    chat.desk.advance(1);
    assert_eq!(chat.desk.send_due().await, 1);
    assert!(chat.last().text.contains("Pay Acme"));
    chat.telegram.refuse("sendMessage", 403, json!({}), "Forbidden: bot was kicked from the supergroup chat");
    let action = chat.desk.wish("Pay others", "500 €").await;
    chat.desk.send_due().await;
    let kicked = "bot was kicked from the supergroup chat";
    assert_eq!(chat.desk.notices(action.id).await, [("dlq".to_owned(), Some(kicked.to_owned()))]);
    assert_eq!(chat.desk.seen(chat.channel).await.stored.health.error.as_deref(), Some(kicked));
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_that_was_sent_and_not_noted_is_made_true_when_somebody_presses_it(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, first) = chat.told("Pay Acme", "500 €").await;
    // As if the server had died between Telegram's answer and the note of it.
    for table in ["channel_message", "outbox"] {
        let sql = match table {
            "outbox" => "update outbox set state = 'pending', done_at = null where channel = 'notice'",
            _ => "update channel_message set state = 'sending', reference = null, sent_at = null",
        };
        sqlx::query(sql).execute(chat.desk.services.pool()).await.expect("changed");
    }
    assert_eq!(chat.desk.send_due().await, 1);
    assert_eq!(chat.telegram.chat(GROUP).len(), 2, "rather twice than never");
    chat.telegram.press(ADA, &chat.last(), "Approve");
    chat.telegram.press(ADA, &first, "Approve");
    chat.hear().await;
    chat.desk.send_due().await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    for message in chat.telegram.chat(GROUP) {
        assert!(message.text.contains("Approved by Ada") && message.labels().is_empty(), "{message:?}");
    }
}
