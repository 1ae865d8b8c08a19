//! `impri audit`: the history as a file that proves itself, and the proof.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use time::format_description::well_known::Rfc3339;

use super::keys::printable;
use super::verify::named_keys;
use super::{Desk, explain};
use crate::boot::cli::{AuditArgs, AuditCommand, AuditExportArgs, AuditVerifyArgs, DatabaseArgs};
use crate::domain::Instant;
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;
use crate::domain::seal::StoredFact;
use crate::server::proof::{Check, Finding, Outcome, Source, read_lines};
use crate::server::receipts::KeySet;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or what is wrong with the history.
pub async fn run(args: AuditArgs) -> anyhow::Result<()> {
    match args.command {
        AuditCommand::Export(what) => {
            let desk = Desk::open(&args.database).await?;
            let outcome = export(&desk, what).await;
            desk.close().await;
            outcome
        }
        AuditCommand::Verify(what) => verify(&args.database, what).await,
    }
}

async fn export(desk: &Desk, args: AuditExportArgs) -> anyhow::Result<()> {
    let (project, services) = (desk.project.id, &desk.services);
    let began =
        services.begin_audit_file(project, args.since, args.until, Actor::Operator, Channel::cli()).await;
    let (head, mut range) = began.map_err(explain)?;
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("{} can't be written", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    out.write_all(head.to_text()?.as_bytes())?;
    loop {
        let lines = services.audit_file_page(&mut range).await.map_err(explain)?;
        if lines.is_empty() {
            return out.flush().context("The end could not be written");
        }
        for line in lines {
            out.write_all(line.to_text()?.as_bytes())?;
        }
    }
}

async fn verify(database: &DatabaseArgs, args: AuditVerifyArgs) -> anyhow::Result<()> {
    let named = match &args.jwks {
        Some(place) => Some(named_keys(place).await?),
        None => None,
    };
    let desk = match (&named, &args.file) {
        (Some(_), Some(_)) => None,
        _ => Some(
            Desk::open(database)
                .await
                .context("Name a file and the public keys (--jwks), or the database")?,
        ),
    };
    let outcome = compare(desk.as_ref(), named, &args).await;
    if let Some(desk) = desk {
        desk.close().await;
    }
    outcome
}

async fn compare(desk: Option<&Desk>, named: Option<KeySet>, args: &AuditVerifyArgs) -> anyhow::Result<()> {
    let keys = match (named, desk) {
        (Some(keys), _) => keys,
        (None, Some(desk)) => desk.services.receipt_keys().await.map_err(explain)?.set().clone(),
        (None, None) => bail!("There are no keys to verify with"),
    };
    let previous = args.previous.as_deref();
    let previous =
        previous.map(|path| Ok::<_, anyhow::Error>((path, check_file(path, Source::Previous, &keys)?)));
    let previous = previous.transpose()?;
    let mut waiting = 0;
    let found = match (&args.file, desk) {
        (Some(path), _) => check_file(path, Source::File, &keys)?,
        (None, Some(desk)) => {
            let (found, unsealed) = check_database(desk, &keys).await?;
            waiting = unsealed;
            found
        }
        (None, None) => bail!("There is no history to verify"),
    };
    let outcome = found.map_err(|finding| anyhow!("The history is not intact: {}", said(&finding)))?;
    say(&outcome, waiting);
    let Some((path, previous)) = previous else { return Ok(()) };
    let shown = path.display();
    let previous = previous.map_err(|finding| anyhow!("{shown} is not intact: {}", said(&finding)))?;
    let project = outcome.project.context("It is the history of no project")?;
    if let Some(other) = previous.project.filter(|other| *other != project) {
        let finding = Finding::OtherProject { expected: project, found: other };
        bail!("It does not continue {shown}: {finding}");
    }
    let continued = outcome.trail.continues(&previous.trail, project);
    let continued =
        continued.map_err(|finding| anyhow!("It does not continue {shown}: {}", said(&finding)))?;
    println!("It continues {shown}: the same up to event {}, {} new.", continued.same_to, continued.new);
    Ok(())
}

fn check_file(path: &Path, source: Source, keys: &KeySet) -> anyhow::Result<Result<Outcome, Finding>> {
    let mut check = Check::new(source, keys);
    let read = if path == Path::new("-") {
        read_lines(io::stdin().lock(), |line| check.line(line))
    } else {
        let file = File::open(path).with_context(|| format!("{} can't be read", path.display()))?;
        read_lines(BufReader::new(file), |line| check.line(line))
    };
    Ok(read.and_then(|()| check.end()))
}

/// Checks the history where it is; says how many events wait for their seal, too.
async fn check_database(desk: &Desk, keys: &KeySet) -> anyhow::Result<(Result<Outcome, Finding>, i64)> {
    let (services, project) = (&desk.services, desk.project.id);
    let mut check = Check::new(Source::Live, keys);
    let (head, mut range) = services.whole_history(project).await.map_err(explain)?;
    check.line(head);
    loop {
        let lines = services.audit_file_page(&mut range).await.map_err(explain)?;
        if lines.is_empty() {
            break;
        }
        for line in lines {
            check.line(line);
        }
    }
    let (stray, waiting) = services.unsealed(project).await.map_err(explain)?;
    let found = check.end().and_then(|outcome| match stray {
        Some(StoredFact { id, kind, at, .. }) => {
            Err(Finding::Unsealed(format!("the event with id {id} ({kind}, {at})")))
        }
        None => Ok(outcome),
    });
    Ok((found, waiting))
}

/// A sentence about texts that somebody else may have written.
fn said(finding: &Finding) -> String {
    printable(&finding.to_string())
}

fn say(outcome: &Outcome, waiting: i64) {
    let project = outcome.project.map(|project| project.to_string()).unwrap_or_default();
    let (first, last) = (outcome.trail.first, outcome.trail.last());
    match &outcome.span {
        Some((from, to)) => println!(
            "The history of {project} is intact: events {first} to {last}, from {} to {}.",
            printable(from),
            printable(to)
        ),
        None => println!("The history of {project} is intact: there are no events in it."),
    }
    if let Some((seq, at)) = outcome.signed {
        let at =
            Instant::from_unix_timestamp(at).ok().and_then(|at| at.format(&Rfc3339).ok()).unwrap_or_default();
        println!(
            "Checkpoints that vouch for it: {}. The last is of event {seq}, signed at {at}.",
            outcome.checkpoints
        );
        if seq < last {
            println!("Sealed and not signed yet: {}.", last - seq);
        }
    }
    if waiting > 0 {
        println!("Not sealed yet: {waiting}.");
    }
    if outcome.strangers > 0 {
        println!(
            "Checkpoints of keys that are not in the set, which count for nothing: {}.",
            outcome.strangers
        );
    }
    if outcome.erased > 0 {
        println!("Events whose particulars were erased: {}.", outcome.erased);
    }
    for (event, (at, by)) in &outcome.erasures {
        let place = if *event > last { ", outside this file" } else { "" };
        println!("Erased by {} at {} (event {event}{place}).", printable(by), printable(at));
    }
}
