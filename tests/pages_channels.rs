//! Channels as an administrator manages them in the browser, and chat accounts as their owner does.

use impri::domain::scope::Scope;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{TestApp, api::mail};

fn hook<'a>(url: &'a str, name: &'a str) -> [(&'a str, &'a str); 7] {
    [
        ("kind", "webhook"),
        ("name", name),
        ("settings[url]", url),
        ("settings[hmac_secret]", "a secret of sixteen"),
        ("kinds", "mail.*, deploy"),
        ("agents", ""),
        ("window", "60"),
    ]
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_channel_is_made_tried_edited_paused_and_deleted(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let empty = ada.open("/channels").await;
    assert!(empty.text(".nothing").contains("There is no channel yet"));
    assert_eq!(empty.texts(".page h1, .page h2"), ["Channels", "Where people are told", "New channel"]);
    let kinds = ["Telegram", "Slack", "Discord", "E-mail", "ntfy", "Webhook"];
    assert_eq!(empty.texts(".channel-kinds a"), kinds);
    let mail = [("kind", "email"), ("name", "mails"), ("settings[address]", "ops@acme.example")];
    let refused = ada.submit("/rpc/create_channel", &mail).await;
    assert!(refused.location().contains("refused=no-mail-server"), "{}", refused.location());
    assert!(ada.follow(&refused).await.text("[role=alert]").contains("IMPRI_SMTP_HOST"));
    let guide = ada.open("/channels?new=telegram").await;
    assert!(guide.text(".channel-steps").contains("@BotFather"));
    assert!(
        guide.has("input[name='settings[bot_token]'][required]") && !guide.has("input[name='settings[url]']")
    );
    let guide = ada.open("/channels?new=discord").await;
    assert!(
        guide.text(".channel-steps").contains("Embed Links")
            && guide.has("input[name='settings[channel_id]']")
    );

    let url = format!("{}/nowhere", app.url);
    let made = ada.submit("/rpc/create_channel", &hook(&url, "hook <b>")).await;
    assert_eq!(made.location(), "/channels?done=made");
    let page = ada.follow(&made).await;
    let entry = page.text("ul[aria-label=Channels] .channel");
    assert!(entry.contains("hook <b>") && entry.contains("hears about mail.*, deploy"), "{entry}");
    assert!(entry.contains("Not used yet") && entry.contains("It is ****teen now."), "{entry}");
    assert!(!page.html.contains("a secret of sixteen"));
    let id = page.attributes("form[action='/rpc/test_channel'] input", "value").remove(0);

    let tested = ada.submit("/rpc/test_channel", &[("id", &id)]).await;
    let page = ada.follow(&tested).await;
    assert!(
        page.text(".channel-said[role=status]").contains("The test message was not taken: HTTP 4"),
        "{}",
        page.html
    );
    assert!(!ada.follow(&tested).await.has(".channel-said[role=status]"), "shown once");

    let edit =
        [("id", id.as_str()), ("name", "renamed"), ("settings[url]", ""), ("settings[hmac_secret]", "")];
    assert_eq!(ada.submit("/rpc/update_channel", &edit).await.location(), "/channels?done=saved");
    let page = ada.open("/channels").await;
    assert!(
        page.text("ul[aria-label=Channels] .channel").contains("It is ****teen now."),
        "empty keeps a secret"
    );
    let paused = ada.submit("/rpc/switch_channel", &[("id", &id)]).await;
    assert!(ada.follow(&paused).await.text(".notice").contains("is paused"));
    let resumed = ada.submit("/rpc/switch_channel", &[("id", &id), ("on", "on")]).await;
    assert!(ada.follow(&resumed).await.text(".notice").contains("is resumed"));
    assert_eq!(ada.submit("/rpc/delete_channel", &[("id", &id)]).await.location(), "/channels?done=deleted");
    assert!(ada.open("/channels").await.has(".nothing"));
    let sql = "select count(*) from audit_event where kind like 'channel.%' and actor_kind = 'reviewer'";
    assert_eq!(app.count(sql).await, 6);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_does_not_fit_is_said_beside_the_form(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    for (field, value, sentence) in [
        ("settings[url]", "ftp://x", "The address must be an http or https address."),
        ("name", " ", "A channel's name has 1 to 200 characters."),
        ("settings[hmac_secret]", "short", "16 to 256 characters"),
    ] {
        let mut fields = hook("https://hook.example", "hook");
        fields.iter_mut().find(|(name, _)| *name == field).expect("a field").1 = value;
        let refused = ada.submit("/rpc/create_channel", &fields).await;
        assert!(refused.location().starts_with("/channels?new=webhook&refused="), "{}", refused.location());
        let page = ada.follow(&refused).await;
        assert!(page.text("[role=alert]").contains(sentence), "{field}: {}", page.text("[role=alert]"));
        assert!(page.has("form[action='/rpc/create_channel']"));
    }
    let phone = [
        ("kind", "ntfy"),
        ("name", "phone"),
        ("settings[url]", "https://ntfy.example"),
        ("settings[topic]", "ops"),
        ("window", "5"),
    ];
    let refused = ada.submit("/rpc/create_channel", &phone).await;
    assert!(refused.location().starts_with("/channels?new=ntfy&refused="), "{}", refused.location());
    assert!(ada.follow(&refused).await.text("[role=alert]").contains("10 to 3600 seconds"));
    assert_eq!(app.count("select count(*) from notification_channel").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_webhook_says_whether_it_is_signed_and_asks_for_no_burst(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let guide = ada.open("/channels?new=webhook").await;
    assert!(!guide.has("input[name=window]") && guide.text(".channel-steps").contains("triggered_at"));
    assert!(ada.open("/channels?new=ntfy").await.has("input[name=window]"));
    let admin = app.program(&[Scope::Admin]).await;
    let config = json!({"url": "https://hook.example"});
    let channel = json!({"name": "hook", "type": "webhook", "config": config, "digest_window_sec": 90});
    admin.post("/v1/notification-channels", &channel).await.expect(201);
    let page = ada.open("/channels").await;
    assert!(page.text(".channel .facts").contains("not signed"), "{}", page.html);
    assert!(!page.has(".channel input[name=window]"));
    let id = page.attributes("form[action='/rpc/test_channel'] input", "value").remove(0);
    let edit = [("id", id.as_str()), ("name", "hook"), ("settings[hmac_secret]", "a secret of sixteen")];
    assert_eq!(ada.submit("/rpc/update_channel", &edit).await.location(), "/channels?done=saved");
    assert!(!ada.open("/channels").await.text(".channel .facts").contains("not signed"));
    let kept = "select digest_window_secs::bigint from notification_channel";
    assert_eq!(app.count(kept).await, 90, "what the API set stays");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_channel_whose_test_arrived_works(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let receiver = axum::Router::new().route("/hook", axum::routing::post(|| async { "thanks" }));
    tokio::spawn(async move { axum::serve(listener, receiver).await });
    ada.submit("/rpc/create_channel", &hook(&url, "hook")).await;
    let page = ada.open("/channels").await;
    assert_eq!(page.text(".channel-health"), "Not used yet");
    let id = page.attributes("form[action='/rpc/test_channel'] input", "value").remove(0);
    let page = ada.follow(&ada.submit("/rpc/test_channel", &[("id", &id)]).await).await;
    assert!(page.text(".channel-said").contains("The test message was taken"), "{}", page.html);
    assert_eq!(page.text(".channel-health"), "Works");
    assert!(
        page.text(".channel .facts").contains("last message just now"),
        "{}",
        page.text(".channel .facts")
    );
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_failure_is_on_the_inbox_and_on_the_card(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    ada.submit("/rpc/create_channel", &hook("https://hook.example", "hook")).await;
    let id = app.agent().proposed(&mail()).await;
    // As the worker writes it down; kinds that the channel does not hear about leave no row.
    let rows = "update outbox set channel_id = (select channel_id from notification_channel)";
    sqlx::query(rows).execute(&db).await.expect("none");
    let fail = "insert into outbox (event_id, project_id, action_id, channel, channel_id, target, target_host, body, state,
                  last_error, created_at, due_at)
                select gen_random_uuid(), project_id, action_id, 'notice', (select channel_id from notification_channel), '',
                  'channel:x', '', 'dlq', 'chat not found', created_at, created_at from action";
    sqlx::query(fail).execute(&db).await.expect("one");
    let health = "update notification_channel set fail_count = 1, last_error = 'chat not found', last_failed_at = updated_at";
    sqlx::query(health).execute(&db).await.expect("one");
    let inbox = ada.open("/inbox").await;
    assert!(
        inbox.texts(".not-delivered")[0].contains("Webhook “hook” did not deliver: chat not found."),
        "{}",
        inbox.html
    );
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.text(".not-delivered"), "Webhook “hook”: not delivered, chat not found.");
    let retry = "update outbox set state = 'retry', attempt = 1 where state = 'dlq'";
    assert_eq!(sqlx::query(retry).execute(&db).await.expect("one").rows_affected(), 1);
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert!(card.text(".not-delivered").contains("chat not found. It is tried again."), "{}", card.html);
    app.decider().decide(&id, &json!({"decision": "reject"})).await.expect(200);
    let card = ada.open(&format!("/inbox/{id}")).await;
    assert_eq!(card.text(".not-delivered"), "Webhook “hook”: not delivered, chat not found.");
    let page = ada.open("/channels").await;
    let entry = page.text("ul[aria-label=Channels] .channel");
    assert!(entry.contains("Fails") && entry.contains("Last failure: chat not found"), "{entry}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_code_is_shown_once_to_whoever_could_decide_from_a_chat(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    assert!(!ada.open("/account").await.has("#chats"), "there is no chat to decide from");
    let admin = app.program(&[Scope::Admin]).await;
    let config = json!({"bot_token": "12:Ab", "chat_id": "-100123", "approval_mode": true});
    let channel = json!({"name": "ops", "type": "telegram", "config": config});
    admin.post("/v1/notification-channels", &channel).await.expect(201);
    assert!(ada.open("/account").await.has("#chats"));
    let made = ada.submit("/rpc/make_chat_code", &[("platform", "telegram")]).await;
    let code = ada.follow(&made).await.text(".secret code");
    assert!(code.starts_with("/link ") && code.len() == 17, "{code}");
    assert!(!ada.follow(&made).await.has(".secret"), "shown once");
    sqlx::query(
        "insert into chat_account (platform, platform_user, reviewer_id, name, linked_at)
         select 'telegram', '777', reviewer_id, '@ada', now() from reviewer",
    )
    .execute(&db)
    .await
    .expect("linked");
    let page = ada.open("/account").await;
    assert!(page.text("ul[aria-label='Chat accounts']").contains("Telegram 777"), "{}", page.html);
    let unlinked = ada.submit("/rpc/unlink_chat", &[("platform", "telegram"), ("user", "777")]).await;
    assert_eq!(unlinked.location(), "/account?done=unlinked");
    assert_eq!(app.count("select count(*) from chat_account").await, 0);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn slack_is_set_up_step_by_step_and_its_accounts_are_linked_with_a_code(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let guide = ada.open("/channels?new=slack").await;
    let steps = guide.text(".channel-steps");
    assert!(steps.contains("connections:write") && steps.contains("/invite @Impri"), "{steps}");
    assert!(guide.text(".command code").contains("socket_mode_enabled: true"), "{}", guide.html);
    let fields = [("kind", "slack"), ("name", "ops"), ("settings[approval_mode]", "on")];
    let refused = ada.submit("/rpc/create_channel", &fields).await;
    assert!(ada.follow(&refused).await.text("[role=alert]").contains("begins with xoxb-"));
    let token = "settings[bot_token]";
    let telegrams = [fields[0], fields[1], fields[2], (token, "12:Ab")];
    let refused = ada.submit("/rpc/create_channel", &telegrams).await;
    assert!(
        ada.follow(&refused).await.text("[role=alert]").contains("begins with xoxb-"),
        "not Telegram's rule"
    );
    let mut all = vec![(token, "xoxb-1-a"), ("settings[channel_id]", "C0123ABCD")];
    all.extend(fields);
    let refused = ada.submit("/rpc/create_channel", &all).await;
    assert!(ada.follow(&refused).await.text("[role=alert]").contains("begins with xapp-"));
    all.push(("settings[app_token]", "xapp-1-A0-2-c"));
    all.push(("settings[allowed_approver_slack_user_ids]", "U012AB3CD W012AB3CD"));
    let made = ada.submit("/rpc/create_channel", &all).await;
    assert!(made.location().contains("done=made"), "{}", made.location());
    let page = ada.follow(&made).await;
    assert!(page.html.contains("value=\"U012AB3CD W012AB3CD\""), "{}", page.html);
    let code = ada.submit("/rpc/make_chat_code", &[("platform", "slack")]).await;
    let account = ada.follow(&code).await;
    assert!(account.text(".secret").contains("Link my account"), "{}", account.html);
    let offered = account.texts("form[action='/rpc/make_chat_code'] button");
    assert_eq!(offered, ["Link a Slack account"], "there is a channel to decide from in Slack alone");
    let nowhere = ada.submit("/rpc/make_chat_code", &[("platform", "pager")]).await;
    assert!(nowhere.location().contains("refused="), "{}", nowhere.location());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_discord_channel_is_made_with_its_accounts_as_they_are_written(db: PgPool) {
    let app = TestApp::start(&db).await;
    let ada = app.ada().await;
    let mut form = vec![
        ("kind", "discord"),
        ("name", "ops"),
        ("settings[approval_mode]", "on"),
        ("settings[channel_id]", "1199700000000000001"),
        ("settings[allowed_approver_discord_user_ids]", "80351110224678912, 80351110224678913"),
        ("window", "60"),
    ];
    let refused = ada.submit("/rpc/create_channel", &form).await;
    assert!(refused.location().contains("refused="), "{}", refused.location());
    form.push(("settings[bot_token]", "MTE5.a.b"));
    assert_eq!(ada.submit("/rpc/create_channel", &form).await.location(), "/channels?done=made");
    let page = ada.open("/channels").await;
    let name = "input[name='settings[allowed_approver_discord_user_ids]']";
    assert_eq!(page.attributes(name, "value"), ["80351110224678912 80351110224678913"]);
    assert!(!page.html.contains("MTE5.a.b"));
}
