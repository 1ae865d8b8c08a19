//! Discord: the whole way from a proposal to a message, to a button, by the gateway to a decision, and back into the message.

use impri::domain::action::{Action, Status};
use impri::domain::audit::EventKind;
use impri::domain::channel::ChannelKind;
use impri::domain::decision::Verdict;
use impri::domain::ids::ChannelId;
use impri::domain::proposal::RawProposal;
use impri::server::notify::PlatformSettings;
use impri::server::notify::discord::listen;
use impri::server::service::Services;
use impri::server::service::chat::ChatUser;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::fake_discord::{ADA, CHANNEL, FakeDiscord, Message, STRANGER, TOKEN, public_key};
use super::{desk, wish};
use crate::delivery::{Desk, OPEN};

pub(super) struct Chat {
    pub(super) desk: Desk,
    pub(super) discord: FakeDiscord,
    pub(super) channel: ChannelId,
}

/// A server that hears the gateway, until it is dropped.
pub(super) fn hear(services: &Services) -> DropGuard {
    let (services, stop) = (services.clone(), CancellationToken::new());
    let token = stop.clone();
    tokio::spawn(async move { listen::run(&services, &token).await });
    stop.drop_guard()
}

impl Chat {
    /// A channel, Ada's account linked, and a server that hears the gateway.
    pub(super) async fn open(pool: PgPool) -> (Self, DropGuard) {
        let chat = Self::deaf(pool, json!({})).await;
        chat.link(ADA).await;
        let hears = chat.hear().await;
        (chat, hears)
    }

    pub(super) async fn deaf(pool: PgPool, more: Value) -> Self {
        let mut desk = desk(pool).await;
        let discord = FakeDiscord::start().await;
        let settings = PlatformSettings {
            policy: OPEN,
            discord_api: Some(discord.url()),
            ..PlatformSettings::default()
        };
        desk.services = desk.services.with_platforms(settings);
        let mut config = json!({"bot_token": TOKEN, "channel_id": CHANNEL, "approval_mode": true,
            "public_key": public_key()});
        config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let channel = desk.channel("ops", "discord", config).await;
        Self { desk, discord, channel }
    }

    pub(super) async fn hear(&self) -> DropGuard {
        let hears = hear(&self.desk.services);
        self.discord.entries(1).await;
        hears
    }

    pub(super) async fn code(&self) -> String {
        let members = self.desk.services.list_people(self.desk.project()).await.expect("people");
        self.desk.services.make_chat_code(&members[0], ChannelKind::Discord).await.expect("a code")
    }

    pub(super) async fn link(&self, user: &str) {
        let (user, code) = (ChatUser { id: user.to_owned(), name: "@ada_l".to_owned() }, self.code().await);
        let linked = self.desk.services.link_chat(ChannelKind::Discord, &user, &code).await;
        linked.expect("a database").expect("a good code");
    }

    pub(super) async fn proposed(&self, title: &str, body: &str) -> (Action, Message) {
        let action = self.desk.wish(title, body).await;
        assert_eq!(self.desk.send_due().await, 1);
        (action, self.last())
    }

    pub(super) fn last(&self) -> Message {
        self.discord.messages().last().expect("a message").clone()
    }

    pub(super) async fn status(&self, action: &Action) -> Status {
        let viewed = self.desk.services.action(self.desk.project(), action.id).await.expect("an action");
        viewed.action.status(self.desk.services.clock().now())
    }

    /// Presses, and reads what is answered.
    pub(super) async fn press(&self, user: &str, message: &Message, label: &str) -> Message {
        let token = self.discord.press(user, message, label);
        self.discord.told(&token).await
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_with_the_whole_preview_is_approved_from_the_channel(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    let (action, message) =
        chat.proposed("Pay **Acme** & Co", "Transfer 500 €\n```to``` @everyone\u{200b}").await;
    assert!(
        message.sent["content"].as_str().expect("a text").contains("Pay \\*\\*Acme\\*\\* & Co"),
        "{message:?}"
    );
    let text = message.text();
    assert!(text.contains("Transfer 500 €\n```to``` @everyone⟨U+200B⟩"), "{text}");
    assert!(text.contains("mail.send, proposed by agent"), "{text}");
    assert_eq!(
        message.labels(),
        ["Approve", "Reject"],
        "the address is one of this machine, so it is written out"
    );
    let answer = chat.press(ADA, &message, "Approve").await;
    assert!(answer.text().starts_with("Approved by Ada through Discord"), "{answer:?}");
    assert_eq!((chat.status(&action).await, answer.labels()), (Status::Approved, vec![]));
    assert_eq!(chat.desk.send_due().await, 1);
    let now = chat.last();
    assert_eq!((now.id, now.labels()), (message.id, vec![]), "the same message, without buttons");
    assert!(now.text().contains("Approved by Ada through Discord"), "{}", now.text());
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_asks_for_its_reason_in_a_form(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    for (reason, expected) in [("The invoice is *wrong*.", Some("Reason:")), ("", None)] {
        let (action, message) = chat.proposed(&format!("Pay Acme {reason}"), "500 €").await;
        let token = chat.discord.press(ADA, &message, "Reject");
        let form = chat.discord.first(&token).await;
        assert_eq!(form["data"]["custom_id"], message.custom_id("Reject").as_str());
        assert_eq!(chat.status(&action).await, Status::Pending, "not before the form is sent");
        let token = chat.discord.send(chat.discord.filled_in(ADA, &form, reason));
        let answer = chat.discord.told(&token).await;
        assert!(answer.text().starts_with("Rejected by Ada through Discord"), "{answer:?}");
        assert_eq!(chat.status(&action).await, Status::Rejected);
        chat.desk.send_due().await;
        let text = chat.last().text();
        assert!(text.contains("Rejected by Ada through Discord") && text.contains(reason), "{text}");
        assert_eq!(text.contains("Reason:"), expected.is_some(), "{text}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_form_decides_for_nobody_but_who_may_and_only_what_was_offered(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let form = chat.discord.first(&chat.discord.press(STRANGER, &message, "Reject")).await;
    let told = chat.discord.told(&chat.discord.send(chat.discord.filled_in(STRANGER, &form, "no"))).await;
    assert!(told.text().contains("stands for nobody here"), "{told:?}");
    // A no does not prove a yes, and a form says no only.
    let forged = message.custom_id("Reject").replacen('r', "a", 1);
    let told = chat.discord.told(&chat.discord.send(chat.discord.pressed(ADA, &message, &forged))).await;
    assert!(told.text().contains("not valid"), "{told:?}");
    let mut yes = form.clone();
    yes["data"]["custom_id"] = json!(message.custom_id("Approve"));
    let told = chat.discord.told(&chat.discord.send(chat.discord.filled_in(ADA, &yes, ""))).await;
    assert!(told.text().contains("not valid"), "{told:?}");
    for id in ["x", "a:b:c"] {
        let told = chat.discord.told(&chat.discord.send(chat.discord.pressed(ADA, &message, id))).await;
        assert!(told.text().contains("does nothing"), "{told:?}");
    }
    assert_eq!(chat.status(&action).await, Status::Pending);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stranger_is_told_alone_how_to_link_and_links(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    let _hears = chat.hear().await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let told = chat.press(ADA, &message, "Approve").await;
    assert!(told.text().contains("stands for nobody here"), "{told:?}");
    assert_eq!(told.labels(), ["Link my account"]);
    let noted = chat.desk.events(action.id, EventKind::ChatRefused).await;
    assert_eq!((noted.len(), &noted[0]["platform_user"]), (1, &json!(ADA)));
    let code = chat.code().await;
    for (code, said) in [
        ("ABCDE-FGHJK", "Nothing was linked"),
        (code.to_lowercase().as_str(), "@ada_l stands for Ada (ada@example.org)"),
        (code.as_str(), "Nothing was linked"),
    ] {
        let token = chat.discord.press(ADA, &told, "Link my account");
        let form = chat.discord.first(&token).await;
        let answer = chat.discord.told(&chat.discord.send(chat.discord.filled_in(ADA, &form, code))).await;
        assert!(answer.text().contains(said), "{answer:?}");
    }
    assert_eq!(chat.status(&action).await, Status::Pending, "linking decides nothing");
    chat.press(ADA, &message, "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_list_names_for_whom_an_account_stands_and_keeps_others_out(pool: PgPool) {
    let more = json!({"allowed_approver_discord_user_ids": [ADA], "approvers": {ADA: "ada@example.org"}});
    let chat = Chat::deaf(pool, more).await;
    let _hears = chat.hear().await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    let told = chat.press(STRANGER, &message, "Approve").await;
    assert!(told.text().contains("not on the list") && told.labels().is_empty(), "{told:?}");
    chat.press(ADA, &message, "Approve").await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_decided_in_the_web_is_seen_in_the_channel_and_old_buttons_do_nothing(pool: PgPool) {
    let (chat, _hears) = Chat::open(pool).await;
    let (action, message) = chat.proposed("Pay Acme", "500 €").await;
    chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
    let told = chat.press(ADA, &message, "Approve").await;
    assert!(told.text().starts_with("Rejected by Ada through Web"), "{told:?}");
    assert_eq!(chat.status(&action).await, Status::Rejected);
    assert!(chat.last().text().contains("Rejected by Ada through Web"), "it was made true at once");
    assert_eq!(chat.last().labels(), Vec::<String>::new());
    chat.desk.send_due().await;
    assert!(chat.last().text().contains("Rejected by Ada through Web"));
    let counts = (chat.discord.messages().len(), chat.discord.edits());
    assert_eq!(counts, (1, 2), "when it was pressed, and by the outbox");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn too_long_a_preview_and_what_is_not_idempotent_are_not_approved_from_here(pool: PgPool) {
    let chat = Chat::deaf(pool, json!({})).await;
    let (_, message) = chat.proposed("Long", &"word `*` ".repeat(1_000)).await;
    assert_eq!(message.labels(), ["Reject"]);
    assert!(message.text().contains("more characters of the preview"), "{}", message.text());
    let (_, message) = chat.proposed("Less", &"word ".repeat(1_000)).await;
    assert_eq!(message.labels(), ["Approve", "Reject"], "it has room in two embeds");
    chat.desk.wants(RawProposal { idempotent: Some(false), ..wish("Pay", "5 EUR") }).await;
    assert_eq!(chat.desk.send_due().await, 1);
    assert_eq!(chat.last().labels(), ["Reject"]);
}
