//! Slack: cards in a channel, and what people press there, where Slack calls this server.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use impri::domain::action::{Action, Status};
use impri::domain::audit::EventKind;
use impri::domain::channel::ChannelKind;
use impri::domain::decision::Verdict;
use impri::domain::ids::ChannelId;
use impri::server::config::RateSettings;
use impri::server::http::limit::Limits;
use impri::server::http::{HttpState, v1};
use impri::server::notify::PlatformSettings;
use impri::server::service::chat::ChatUser;
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::desk;
use super::fake_slack::{ADA, APP, BOT, CHANNEL, FakeSlack, Message, SIGNING, STRANGER};
use super::fake_slack_people::signed;
use crate::delivery::{Desk, OPEN, soon};

/// A desk with a channel in Slack, and Ada's account there.
pub(super) struct Chat {
    pub(super) desk: Desk,
    pub(super) slack: FakeSlack,
    pub(super) channel: ChannelId,
}

impl Chat {
    /// Where Ada's account is linked.
    pub(super) async fn open(pool: PgPool) -> Self {
        let chat = Self::unlinked(pool, json!({})).await;
        let code = chat.code().await;
        let ada = ChatUser { id: ADA.to_owned(), name: "@ada".to_owned() };
        let linked = chat.desk.services.link_chat(ChannelKind::Slack, &ada, &code).await.expect("a database");
        assert_eq!(linked.expect("linked").name, "Ada");
        chat
    }

    pub(super) async fn unlinked(pool: PgPool, more: Value) -> Self {
        let mut desk = desk(pool).await;
        let slack = FakeSlack::start().await;
        let settings =
            PlatformSettings { policy: OPEN, slack_api: Some(slack.url()), ..PlatformSettings::default() };
        desk.services = desk.services.with_platforms(settings);
        let mut config = json!({"approval_mode": true, "bot_token": BOT, "channel_id": CHANNEL, "app_token": APP,
            "signing_secret": SIGNING});
        config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let channel = desk.channel("ops", "slack", config).await;
        Self { desk, slack, channel }
    }

    pub(super) async fn code(&self) -> String {
        let members = self.desk.services.list_people(self.desk.project()).await.expect("people");
        self.desk.services.make_chat_code(&members[0], ChannelKind::Slack).await.expect("a code")
    }

    pub(super) async fn told(&self, title: &str, body: &str) -> (Action, Message) {
        let action = self.desk.wish(title, body).await;
        assert_eq!(self.desk.send_due().await, 1);
        (action, self.slack.last())
    }

    pub(super) async fn status(&self, action: &Action) -> Status {
        let viewed = self.desk.services.action(self.desk.project(), action.id).await.expect("an action");
        viewed.action.status(self.desk.services.clock().now())
    }

    pub(super) fn now(&self) -> i64 {
        self.desk.services.clock().now().unix_timestamp()
    }

    /// Slack calls, with a body and a signature; what is answered at once.
    pub(super) async fn post(&self, channel: &str, at: i64, body: &str, signature: &str) -> StatusCode {
        let services = self.desk.services.clone();
        let limits = Arc::new(Limits::new(&RateSettings::default(), services.clock()));
        let state = HttpState { services, stop: CancellationToken::new(), limits };
        let request = Request::post(format!("/v1/integrations/slack/interactions/{channel}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-slack-request-timestamp", at.to_string())
            .header("x-slack-signature", signature)
            .body(Body::from(body.to_owned()))
            .expect("a request");
        soon(v1::router().with_state(state).oneshot(request)).await.expect("an answer").status()
    }

    /// The same, signed as it should be.
    pub(super) async fn begin(&self, payload: &Value) -> StatusCode {
        let (body, signature) = signed(payload, self.now(), SIGNING);
        self.post(&self.channel.to_string(), self.now(), &body, &signature).await
    }

    /// The same, and all of it is done.
    pub(super) async fn call(&self, payload: &Value) {
        assert_eq!(self.begin(payload).await, StatusCode::OK);
        self.settle().await;
    }

    pub(super) async fn settle(&self) {
        let tasks = self.desk.services.platforms().tasks();
        tasks.close();
        soon(tasks.wait()).await;
        tasks.reopen();
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_message_with_the_whole_preview_is_approved_from_slack(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) =
        chat.told("Pay <!channel> & Co", "```\nTransfer *500* €\n<@U1> &amp;\u{200b}").await;
    assert!(message.text().contains("Pay <!channel> & Co"), "{}", message.text());
    assert!(message.text().contains("```\nTransfer *500* €\n<@U1> &amp;⟨U+200B⟩"), "{}", message.text());
    assert_eq!(message.line, "Pay &lt;!channel&gt; &amp; Co");
    assert_eq!(message.labels(), ["Approve", "Reject", "Open"]);
    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    let (who, said) = chat.slack.whisper();
    assert!(who == ADA && said.starts_with("Approved by Ada through Slack"), "{who}: {said}");
    assert_eq!(chat.desk.send_due().await, 1);
    let now = chat.slack.last();
    assert_eq!((&now.ts, now.labels()), (&message.ts, vec!["Open".to_owned()]), "the same message");
    assert!(now.text().contains("Approved by Ada through Slack"), "{}", now.text());
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_rejection_asks_for_its_reason_in_a_form(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.call(&chat.slack.press(ADA, &message, "Reject")).await;
    assert_eq!(chat.status(&action).await, Status::Pending, "not before the reason");
    let form = chat.slack.view();
    assert!(form["blocks"].to_string().contains("Pay Acme"), "{form}");
    chat.call(&chat.slack.submit(STRANGER, "reason", Some("because I say so"))).await;
    assert_eq!(chat.status(&action).await, Status::Pending, "who sends it has to be somebody");
    assert!(chat.slack.whisper().1.contains("stands for nobody here"));
    let sent = chat.slack.submit(ADA, "reason", Some("The invoice is <wrong>."));
    chat.call(&sent).await;
    assert_eq!(chat.status(&action).await, Status::Rejected);
    chat.call(&sent).await;
    assert!(chat.slack.whisper().1.starts_with("Rejected by Ada"), "once more does no harm");
    chat.desk.send_due().await;
    let text = chat.slack.last().text();
    assert!(text.contains("Rejected by Ada through Slack"), "{text}");
    assert!(text.contains("Reason:\nThe invoice is <wrong>."), "{text}");

    let (action, message) = chat.told("Pay others", "500 €").await;
    chat.call(&chat.slack.press(ADA, &message, "Reject")).await;
    let kept = chat.slack.view()["private_metadata"].as_str().expect("a text").to_owned();
    chat.slack.lock().views_last()["private_metadata"] = kept.replace("r:", "a:").into();
    chat.call(&chat.slack.submit(ADA, "reason", None)).await;
    assert_eq!(chat.status(&action).await, Status::Pending, "the form rejects and does nothing else");
    chat.slack.lock().views_last()["private_metadata"] = kept.into();
    chat.call(&chat.slack.submit(ADA, "reason", None)).await;
    assert_eq!(chat.status(&action).await, Status::Rejected, "no reason is needed");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_stranger_is_told_alone_and_links_their_account_with_a_code(pool: PgPool) {
    let chat = Chat::unlinked(pool, json!({})).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    for label in ["Approve", "Reject"] {
        chat.call(&chat.slack.press(STRANGER, &message, label)).await;
        let (who, said) = chat.slack.whisper();
        assert!(who == STRANGER && said.contains("stands for nobody here"), "{who}: {said}");
    }
    assert_eq!((chat.status(&action).await, chat.slack.views()), (Status::Pending, 0));
    let noted = chat.desk.events(action.id, EventKind::ChatRefused).await;
    assert_eq!((noted.len(), &noted[0]["platform_user"]), (2, &json!(STRANGER)));

    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    chat.call(&chat.slack.press_whisper(ADA, "Link my account")).await;
    assert!(chat.slack.view()["blocks"].to_string().contains("/account"));
    chat.call(&chat.slack.submit(ADA, "code", Some("ABCDE-FGHJK"))).await;
    assert!(chat.slack.whisper().1.contains("Nothing was linked"));
    let code = chat.code().await.to_lowercase();
    chat.call(&chat.slack.submit(ADA, "code", Some(&code))).await;
    let said = chat.slack.whisper().1;
    assert!(said.contains("@ada stands for Ada (ada@example.org)"), "{said}");
    chat.call(&chat.slack.submit(ADA, "code", Some(&code))).await;
    assert!(chat.slack.whisper().1.contains("Nothing was linked"), "a code links once");
    assert_eq!(chat.status(&action).await, Status::Pending);
    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_list_names_for_whom_a_member_stands_and_keeps_others_out(pool: PgPool) {
    let more = json!({"allowed_approver_slack_user_ids": [ADA], "approvers": {ADA: "ada@example.org"}});
    let chat = Chat::unlinked(pool, more).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.call(&chat.slack.press(STRANGER, &message, "Approve")).await;
    assert!(chat.slack.whisper().1.contains("not on the list"));
    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_slack_did_not_sign_just_now_is_refused(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let payload = chat.slack.press(ADA, &message, "Approve");
    let (channel, now) = (chat.channel.to_string(), chat.now());
    let (body, signature) = signed(&payload, now, SIGNING);
    let (_, other) = signed(&payload, now, "another secret....");
    assert_eq!(chat.post(&channel, now, &body, &other).await, StatusCode::UNAUTHORIZED);
    assert_eq!(chat.post(&channel, now, &body, "").await, StatusCode::UNAUTHORIZED);
    assert_eq!(chat.post(&channel, now, &format!("{body}&x=1"), &signature).await, StatusCode::UNAUTHORIZED);
    assert_eq!(chat.post(&channel, now + 1, &body, &signature).await, StatusCode::UNAUTHORIZED);
    let (old, old_signature) = signed(&payload, now - 301, SIGNING);
    assert_eq!(chat.post(&channel, now - 301, &old, &old_signature).await, StatusCode::UNAUTHORIZED);
    for unknown in ["nchan_AAAAAAAAAAAAAAAAAAAAAA", "x", "%00"] {
        assert_eq!(chat.post(unknown, now, &body, &signature).await, StatusCode::UNAUTHORIZED, "{unknown}");
    }
    let large = "x".repeat(1024 * 1024 + 1);
    assert_eq!(chat.post(&channel, now, &large, &signature).await, StatusCode::PAYLOAD_TOO_LARGE);
    let (bare, bare_signature) = signed(&json!({}), now, SIGNING);
    assert_eq!(
        chat.post(&channel, now, &bare.replace("payload", "other"), &bare_signature).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        chat.post(&channel, now, &bare, &bare_signature).await,
        StatusCode::OK,
        "nothing that is known"
    );
    chat.settle().await;
    assert_eq!((chat.status(&action).await, chat.slack.whispers()), (Status::Pending, 0));

    for _ in 0..2 {
        assert_eq!(chat.post(&channel, now, &body, &signature).await, StatusCode::OK);
        chat.settle().await;
    }
    assert_eq!(chat.status(&action).await, Status::Approved);
    assert_eq!(chat.desk.events(action.id, EventKind::ActionApproved).await.len(), 1);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_call_that_was_refused_stays_refused_when_it_is_sent_again(pool: PgPool) {
    let chat = Chat::open(pool.clone()).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let role = async |role: &str| {
        sqlx::query("update membership set role = $1").bind(role).execute(&pool).await.expect("a role");
    };
    let refused = || chat.desk.events(action.id, EventKind::ChatRefused);
    let payload = chat.slack.press(ADA, &message, "Approve");
    let (channel, now) = (chat.channel.to_string(), chat.now());
    let (body, signature) = signed(&payload, now, SIGNING);
    role("viewer").await;
    assert_eq!(chat.post(&channel, now, &body, &signature).await, StatusCode::OK);
    chat.settle().await;
    assert_eq!(refused().await.len(), 1);
    role("reviewer").await;
    let shouted = signature.replace("v0=", "").to_uppercase();
    for again in [signature.clone(), format!("v0={shouted}")] {
        chat.post(&channel, now, &body, &again).await;
        chat.settle().await;
    }
    assert_eq!((chat.status(&action).await, refused().await.len()), (Status::Pending, 1));
    // What she presses now is another call.
    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_forged_button_decides_nothing(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    let mut payload = chat.slack.press(ADA, &message, "Reject");
    let value = payload["actions"][0]["value"].as_str().expect("a value").replacen('r', "a", 1);
    payload["actions"][0]["value"] = value.into();
    chat.call(&payload).await;
    assert!(chat.slack.whisper().1.contains("not valid"));
    let mut elsewhere = chat.slack.press(ADA, &message, "Approve");
    elsewhere["channel"]["id"] = "C9999999999".into();
    chat.call(&elsewhere).await;
    assert!(chat.slack.whisper().1.contains("No channel of this server speaks here"));
    assert_eq!(chat.status(&action).await, Status::Pending);
    let mut away = chat.slack.press(ADA, &message, "Approve");
    away["response_url"] = "http://127.0.0.1:1/elsewhere".into();
    chat.call(&away).await;
    assert_eq!(chat.status(&action).await, Status::Approved);
    assert_eq!(chat.slack.whisper().0, ADA, "an answer to an address that is not Slack's goes by the bot");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_was_decided_in_the_web_is_seen_in_slack_and_old_buttons_do_nothing(pool: PgPool) {
    let chat = Chat::open(pool).await;
    let (action, message) = chat.told("Pay Acme", "500 €").await;
    chat.desk.decide(action.id, Verdict::Reject, json!({})).await;
    // Pressed before the message was changed.
    chat.call(&chat.slack.press(ADA, &message, "Approve")).await;
    assert!(chat.slack.whisper().1.starts_with("Rejected by Ada through Web"), "{}", chat.slack.whisper().1);
    assert_eq!(chat.status(&action).await, Status::Rejected);
    assert_eq!(chat.slack.last().labels(), ["Open"], "a copy that nobody knows of is made true");
    assert_eq!(chat.desk.send_due().await, 1);
    let (other, _) = chat.told("Pay others", "500 €").await;
    chat.desk.decide(other.id, Verdict::Approve, json!({})).await;
    chat.desk.send_due().await;
    let now = chat.slack.last();
    assert!(now.text().contains("Approved by Ada through Web"), "{}", now.text());
    assert_eq!(now.labels(), ["Open"]);
}
