//! `impri channels doctor` and `impri channels test`, as an operator's shell runs them beside a server.

use impri::server::notify::PlatformSettings;
use serde_json::json;
use sqlx::PgPool;

use super::everywhere::{Environment, Everywhere, mail, run};
use super::fake_ntfy::FakeNtfy;
use super::fake_smtp::{FakeSmtp, Protection};
use super::{VAULT_KEY, desk};

fn with_key(mut environment: Environment) -> Environment {
    environment.push(("IMPRI_SECRET_KEY", VAULT_KEY.to_owned()));
    environment
}

/// How a server is set up that has this mail server and nothing else.
fn reaching(smtp: &FakeSmtp) -> PlatformSettings {
    PlatformSettings { smtp: Some(smtp.settings()), ..PlatformSettings::default() }
}

/// The line about a channel.
#[track_caller]
fn line<'a>(said: &'a str, channel: &str) -> &'a str {
    let found = said.lines().find(|line| line.contains(&format!("“{channel}”")));
    found.unwrap_or_else(|| panic!("{channel}: {said}"))
}

#[track_caller]
fn assert_line(said: &str, channel: &str, verdict: &str, parts: &[&str]) {
    let line = line(said, channel);
    assert!(line.starts_with(verdict), "{line}");
    for part in parts {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn with_the_servers_settings_every_sort_is_looked_at_and_nobody_hears_of_it(pool: PgPool) {
    let all = Everywhere::open(desk(pool.clone()).await).await;
    let (code, said) = run(&pool, "channels doctor", &with_key(all.environment())).await;
    assert_eq!(code, 0, "{said}");
    for (channel, found) in [
        ("telegram", "@impri_bot sees the chat Ops"),
        ("slack", "sees the channel ops"),
        ("discord", "sees the channel #approvals"),
        ("email", "takes the sign-in"),
        ("ntfy", "the server is healthy"),
        ("webhook", "connections are taken at its address; only a test message shows"),
    ] {
        assert_line(&said, channel, "ok ", &[found]);
    }
    assert_eq!(said.lines().count(), 6, "{said}");
    assert_eq!(all.heard(), [0; 6]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_this_shell_lacks_is_said_and_not_laid_on_the_channel(pool: PgPool) {
    let (mut desk, ntfy) = (desk(pool.clone()).await, FakeNtfy::start().await);
    let smtp = FakeSmtp::start(Protection::Nothing).await;
    desk.services = desk.services.with_platforms(reaching(&smtp));
    desk.channel("ntfy", "ntfy", ntfy.config()).await;
    desk.channel("hook", "webhook", json!({"url": ntfy.url()})).await;
    desk.channel("named", "webhook", json!({"url": ntfy.url().replace("127.0.0.1", "localhost")})).await;
    desk.channel("mail", "email", json!({"address": "ops@acme.example"})).await;

    // A shell that has nothing but the database.
    let (code, said) = run(&pool, "channels doctor", &vec![]).await;
    assert_eq!(code, 3, "{said}");
    for channel in ["ntfy", "hook", "named"] {
        assert_line(&said, channel, "unknown", &["does not have the key", "IMPRI_SECRET_KEY", "--data-dir"]);
    }
    assert_line(&said, "mail", "unknown", &["this shell has no IMPRI_SMTP_HOST", "the server may have it"]);
    assert!(said.contains("This shell can't tell of 4 of 4 channels."), "{said}");

    // Another key than the server's is no key for these.
    let other = vec![("IMPRI_SECRET_KEY", "ab".repeat(32))];
    let (code, said) = run(&pool, "channels doctor", &other).await;
    assert_eq!(code, 3, "{said}");
    assert_line(&said, "hook", "unknown", &["does not have the key"]);

    let (code, said) = run(&pool, "channels doctor", &with_key(vec![])).await;
    assert_eq!(code, 3, "{said}");
    for channel in ["ntfy", "hook", "named"] {
        let hint = ["not public", "this shell has no IMPRI_ALLOW_PRIVATE_TARGETS", "--allow-private-targets"];
        assert_line(&said, channel, "unknown", &hint);
    }

    // What the hints name works where a person writes it.
    let port = smtp.settings().port;
    let flags = format!(
        "channels doctor --allow-private-targets --smtp-host localhost --smtp-port {port} --smtp-tls none \
         --smtp-from impri@mail.example"
    );
    let (code, said) = run(&pool, &flags, &with_key(vec![])).await;
    assert_eq!((code, said.lines().count()), (0, 4), "{said}");
    let before = flags.replace("channels doctor", "channels").replace(" --smtp-from", " doctor --smtp-from");
    assert_eq!(run(&pool, &before, &with_key(vec![])).await, (0, said));
    assert!(smtp.taken().is_empty() && ntfy.published().is_empty());
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn what_is_broken_is_said_to_be_and_ends_with_1(pool: PgPool) {
    let all = Everywhere::open(desk(pool.clone()).await).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let nobody = format!("http://{}/secret-path", closed.local_addr().expect("an address"));
    drop(closed);
    for (name, kind, config) in [
        ("no program", "webhook", json!({"url": nobody})),
        ("no TLS", "webhook", json!({"url": all.ntfy.url().replace("http:", "https:")})),
        ("no name", "webhook", json!({"url": "https://no-such-host.invalid/secret-path"})),
        ("no ntfy", "ntfy", json!({"url": format!("{}/v1/health", all.slack.url()), "topic": "x"})),
        ("no token", "telegram", json!({"bot_token": "1:wrong", "chat_id": "5"})),
        ("no channel", "discord", json!({"bot_token": "wrong", "channel_id": "5"})),
        ("no bot", "slack", json!({"bot_token": "xoxb-wrong", "channel_id": super::fake_slack::CHANNEL})),
    ] {
        all.desk.channel(name, kind, config).await;
    }
    let mut settings = with_key(all.environment());
    settings.retain(|(name, _)| *name != "IMPRI_SMTP_PASSWORD");
    settings.push(("IMPRI_SMTP_PASSWORD", "wrong".to_owned()));
    let (code, said) = run(&pool, "channels doctor", &settings).await;
    assert_eq!(code, 1, "{said}");
    for (channel, reason) in [
        ("no program", "no connection: nothing listens there"),
        ("no TLS", "no safe connection: the host speaks no TLS"),
        ("no name", "no connection: no address is known for the host's name"),
        ("no ntfy", "HTTP 404 from /v1/health"),
        ("no token", "Unauthorized"),
        ("no channel", "does not know the bot token"),
        ("no bot", "does not accept the token"),
        ("email", "SMTP 535"),
    ] {
        assert_line(&said, channel, "broken ", &[reason]);
    }
    for channel in ["telegram", "slack", "discord", "ntfy", "webhook"] {
        assert_line(&said, channel, "ok ", &[]);
    }
    assert!(said.contains("impri: 8 of 13 channels do not work"), "{said}");
    assert!(!said.contains("secret-path"), "an address may hold a secret: {said}");
    assert!(!said.contains("os error") && !said.contains("lookup"), "in plain words: {said}");

    // One that is broken counts more than one that can't be told.
    settings.retain(|(name, _)| !name.starts_with("IMPRI_SMTP"));
    let (code, said) = run(&pool, "channels doctor", &settings).await;
    assert_eq!(code, 1, "{said}");
    assert_line(&said, "email", "unknown", &["IMPRI_SMTP_HOST"]);
    assert_eq!(all.heard(), [0; 6]);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn the_link_of_a_test_leads_where_the_servers_links_lead(pool: PgPool) {
    let (desk, ntfy) = (desk(pool.clone()).await, FakeNtfy::start().await);
    desk.channel("ops", "ntfy", ntfy.config()).await;
    let shell = |more: &[(&'static str, &str)]| {
        let mut all = with_key(vec![("IMPRI_ALLOW_PRIVATE_TARGETS", "true".to_owned())]);
        all.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        all
    };
    let public = ("IMPRI_PUBLIC_URL", "https://impri.example.com");
    for (arguments, environment, origin) in [
        ("channels test ops", shell(&[]), "http://127.0.0.1:8484"),
        ("channels test ops", shell(&[("IMPRI_LISTEN", "0.0.0.0:9000")]), "http://localhost:9000"),
        ("channels test ops", shell(&[public]), "https://impri.example.com"),
        ("channels test ops --public-url https://other.example", shell(&[public]), "https://other.example"),
        ("channels --public-url https://other.example test ops", shell(&[]), "https://other.example"),
    ] {
        let (code, said) = run(&pool, arguments, &environment).await;
        assert_eq!(code, 0, "{said}");
        let message = ntfy.published().pop().expect("a message");
        assert_eq!(message["click"], format!("{origin}/inbox"), "{arguments}");
        let is_guessed = !said.contains("--public-url") && !said.contains(origin);
        assert_eq!(is_guessed, origin.starts_with("https:"), "a guess is said: {said}");
    }
    let taken = ntfy.published().len();
    for (arguments, more, why) in [
        ("channels test ops --listen 127.0.0.1:0", None, "IMPRI_PUBLIC_URL (--public-url)"),
        ("channels test ops --public-url https://a.example/inbox", None, "without a path"),
        ("channels test nobody", None, "impri channels list"),
        ("channels test ops", Some("ab".repeat(32)), "Nothing was sent: this shell does not have the key"),
    ] {
        let mut environment = shell(&[]);
        environment.extend(more.map(|key| ("IMPRI_SECRET_KEY", key)));
        let (code, said) = run(&pool, arguments, &environment).await;
        assert!(code == 1 && said.contains(why), "{code} {said}");
    }
    assert_eq!(ntfy.published().len(), taken);
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn a_test_that_this_shell_can_not_send_is_no_event(pool: PgPool) {
    let smtp = FakeSmtp::start(Protection::Nothing).await;
    let mut desk = desk(pool.clone()).await;
    desk.services = desk.services.with_platforms(reaching(&smtp));
    desk.channel("mail", "email", json!({"address": "ops@acme.example"})).await;
    let tests = async || -> i64 {
        let count = sqlx::query_scalar("select count(*) from audit_event where kind = 'channel.tested'");
        count.fetch_one(&pool).await.expect("a database")
    };
    let (code, said) = run(&pool, "channels test mail", &vec![]).await;
    assert!(code == 1 && said.contains("Nothing was sent: this shell has no IMPRI_SMTP_HOST"), "{said}");
    assert_eq!((tests().await, smtp.taken().len()), (0, 0));
    let (code, said) = run(&pool, "channels test mail", &mail(&smtp)).await;
    assert_eq!((code, tests().await, smtp.taken().len()), (0, 1, 1), "{said}");
}

#[sqlx::test(migrator = "impri::server::db::MIGRATOR")]
async fn two_of_one_name_are_told_apart_by_their_ids_and_one_never_used_is_not_said_to_work(pool: PgPool) {
    let (desk, ntfy) = (desk(pool.clone()).await, FakeNtfy::start().await);
    let first = desk.channel("twin", "ntfy", ntfy.config()).await.to_string();
    let second = desk.channel("twin", "ntfy", ntfy.config()).await.to_string();
    desk.channel("own", "ntfy", ntfy.config()).await;
    let shell = with_key(vec![("IMPRI_ALLOW_PRIVATE_TARGETS", "true".to_owned())]);

    let (code, said) = run(&pool, "channels test twin", &shell).await;
    assert_eq!((code, ntfy.published().len()), (1, 0), "{said}");
    assert!(said.contains("2 channels have this name") && said.contains(&first), "{said}");
    assert!(said.contains(&second), "{said}");
    let (code, said) = run(&pool, &format!("channels test {second}"), &shell).await;
    assert_eq!((code, ntfy.published().len()), (0, 1), "{said}");

    let (code, said) = run(&pool, "channels list", &shell).await;
    assert_eq!(code, 0, "{said}");
    for (start, end) in [(&first, "0 waiting, not used yet"), (&second, "0 waiting, works")] {
        let line = said.lines().find(|line| line.starts_with(start.as_str())).expect("its line");
        assert!(line.ends_with(end), "{line}");
    }

    let (code, said) = run(&pool, "channels doctor", &shell).await;
    assert_eq!(code, 0, "{said}");
    for id in [&first, &second] {
        assert!(said.contains(&format!("“twin” {id}: ")), "{said}");
    }
    assert!(said.contains("“own”: "), "{said}");
}
