//! `impri receipts verify`: needs no server, and with `--jwks` no database.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail, ensure};
use serde_json::Value;
use time::format_description::well_known::Rfc3339;

use super::keys::printable;
use super::{Desk, explain};
use crate::boot::cli::{DatabaseArgs, VerifyArgs};
use crate::domain::Instant;
use crate::domain::content::ContentDigest;
use crate::domain::decision::Verdict;
use crate::domain::receipt::Claims;
use crate::server::clock::Clock;
use crate::server::receipts::{self, KeySet};

/// How long whoever publishes the keys may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A text that holds a receipt: the receipt alone, or an action around it.
struct Sent {
    receipt: String,
    action: Option<Value>,
}

pub(super) async fn run(database: &DatabaseArgs, args: VerifyArgs) -> anyhow::Result<()> {
    let sent = read_sent(&read(&args.file)?)?;
    let keys = match &args.jwks {
        Some(place) => named_keys(place).await?,
        None => own_keys(database).await?,
    };
    let claims = receipts::verify(&sent.receipt, &keys).context("The receipt is not genuine")?;
    let content = match (&args.content, sent.action) {
        (Some(path), _) => Some(content_digest(path)?),
        (None, Some(action)) => {
            let id = claims.sub.to_string();
            ensure!(action["id"] == id.as_str(), "The receipt is genuine and about another action, {id}");
            Some(
                receipts::digest_of(&action)
                    .map_err(|wrong| anyhow!("The action can't be compared: {wrong}"))?,
            )
        }
        (None, None) => None,
    };
    let now = Clock::System.now().unix_timestamp();
    say(&claims, now);
    compare(&claims, content)?;
    if args.to_run {
        ensure!(claims.verdict == Verdict::Approve, "It permits nothing: the action was rejected");
        ensure!(claims.exp.is_none_or(|end| now < end), "It permits nothing any more: its time is over");
        println!("It permits running this content, for whoever claims the action first.");
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("stdin can't be read")?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}

fn read_sent(text: &str) -> anyhow::Result<Sent> {
    let text = text.trim();
    ensure!(!text.is_empty(), "There is no receipt: nothing was sent");
    if !text.starts_with('{') {
        return Ok(Sent { receipt: text.to_owned(), action: None });
    }
    let value: Value = serde_json::from_str(text).context("That is neither a receipt nor JSON with one")?;
    let receipt = value["receipt"].as_str().context(
        "That JSON has no member receipt: the action is not decided, or was decided before there were receipts",
    )?;
    let is_action = value["id"].is_string() && value["preview"].is_object();
    Ok(Sent { receipt: receipt.to_owned(), action: is_action.then_some(value.clone()) })
}

fn content_digest(path: &Path) -> anyhow::Result<ContentDigest> {
    let content = serde_json::from_str(&read(path)?);
    let content = content.with_context(|| format!("{} is not JSON", path.display()))?;
    receipts::digest_of(&content).map_err(|wrong| anyhow!("{} can't be compared: {wrong}", path.display()))
}

async fn own_keys(database: &DatabaseArgs) -> anyhow::Result<KeySet> {
    let desk = Desk::open(database).await.context("Name the public keys with --jwks, or the database")?;
    let keys = desk.services.receipt_keys().await.map_err(explain);
    desk.close().await;
    Ok(keys?.set().clone())
}

pub(super) async fn named_keys(place: &str) -> anyhow::Result<KeySet> {
    let text = match place.starts_with("https://") || place.starts_with("http://") {
        true => fetch(place).await.with_context(|| format!("The keys can't be fetched from {place}"))?,
        false => read(Path::new(place))?,
    };
    KeySet::parse(&text).with_context(|| format!("{place} can't be used"))
}

async fn fetch(url: &str) -> anyhow::Result<String> {
    let client =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE).build()?;
    let answer = client.get(url).send().await?;
    let status = answer.status();
    if !status.is_success() {
        bail!("it answered {status}");
    }
    Ok(answer.text().await?)
}

fn say(claims: &Claims, now: i64) {
    let verb = match (claims.verdict, claims.edited) {
        (Verdict::Approve, false) => "approved",
        (Verdict::Approve, true) => "edited and approved",
        (Verdict::Reject, _) => "rejected",
    };
    let by = &claims.decided_by;
    println!("The receipt is genuine: {} signed it.", printable(&claims.iss));
    println!(
        "{} ({} {}) {verb} {} at {}, through {}.",
        printable(&by.name),
        printable(&by.kind),
        printable(&by.id),
        claims.sub,
        at(claims.iat),
        printable(&claims.channel)
    );
    println!("The action is of the kind {} in {}.", printable(&claims.kind), claims.project);
    println!("proposed  sha256 {}", claims.proposed_sha256);
    if let Some(digest) = claims.approved_sha256 {
        println!("approved  sha256 {digest}");
        match claims.exp {
            None => println!("The approval has no end."),
            Some(end) if now < end => println!("The approval ends at {}.", at(end)),
            Some(end) => println!("The approval ended at {}: it proves, and permits nothing.", at(end)),
        }
    }
}

fn compare(claims: &Claims, content: Option<ContentDigest>) -> anyhow::Result<()> {
    let Some(content) = content else {
        println!("No content was compared: name it with --content, or send the whole action.");
        return Ok(());
    };
    let (decided, word) = match claims.approved_sha256 {
        Some(approved) => (approved, "approved"),
        None => (claims.proposed_sha256, "rejected"),
    };
    if content == decided {
        println!("The content is the one that was {word}.");
        return Ok(());
    }
    if content == claims.proposed_sha256 {
        bail!("The content is the one that was proposed, and something else was approved");
    }
    bail!("The content is not the one that was {word}: its sha256 is {content}")
}

fn at(unix: i64) -> String {
    let at = Instant::from_unix_timestamp(unix).ok().and_then(|at| at.format(&Rfc3339).ok());
    at.unwrap_or_else(|| format!("second {unix}"))
}
