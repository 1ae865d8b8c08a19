//! `impri audit verify`: whether a history is as it was sealed, and whether it continues an older one.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};
use time::format_description::well_known::Rfc3339;

use super::keys::printable;
use super::verify::named_keys;
use super::{Desk, explain};
use crate::boot::cli::{AuditVerifyArgs, DatabaseArgs};
use crate::domain::Instant;
use crate::domain::ids::ProjectId;
use crate::domain::seal::StoredFact;
use crate::server::proof::{Check, Finding, Outcome, Source, read_lines};
use crate::server::receipts::KeySet;

/// The history is intact, and its end waits for longer than it does where a server runs.
const LATE: u8 = 3;

/// What an older file came to, and its name.
type Previous<'a> = Option<(&'a Path, Outcome)>;

pub(super) async fn verify(database: &DatabaseArgs, args: AuditVerifyArgs) -> anyhow::Result<ExitCode> {
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

async fn compare(
    desk: Option<&Desk>,
    named: Option<KeySet>,
    args: &AuditVerifyArgs,
) -> anyhow::Result<ExitCode> {
    let keys = match (named, desk) {
        (Some(keys), _) => keys,
        (None, Some(desk)) => desk.services.receipt_keys().await.map_err(explain)?.set().clone(),
        (None, None) => bail!("There are no keys to verify with"),
    };
    let previous = match args.previous.as_deref() {
        Some(path) => Some((path, check_file(path, Source::Previous, &keys)?)),
        None => None,
    };
    match (&args.file, desk) {
        (Some(path), _) => {
            let found = check_file(path, Source::File, &keys)?;
            let outcome =
                found.map_err(|finding| anyhow!("The history is not intact: {}", said(&finding)))?;
            say(&outcome);
            let project = outcome.project.context("It is the history of no project")?;
            let previous = sound(previous)?;
            if let Some((path, older)) = &previous
                && let Some(other) = older.project.filter(|other| *other != project)
            {
                let finding = Finding::OtherProject { expected: project, found: other };
                bail!("It does not continue {}: {finding}", path.display());
            }
            continues(&previous, project, &outcome)?;
            Ok(ExitCode::SUCCESS)
        }
        (None, Some(desk)) => database(desk, &keys, previous).await,
        (None, None) => bail!("There is no history to verify"),
    }
}

/// Checks every history in the database, one after the other, whatever is wrong with the ones before.
async fn database(
    desk: &Desk,
    keys: &KeySet,
    previous: Option<(&Path, Result<Outcome, Finding>)>,
) -> anyhow::Result<ExitCode> {
    let projects = desk.services.projects_with_history().await.map_err(explain)?;
    let (mut wrong, mut is_late) = (Vec::new(), false);
    let mut intact = Vec::new();
    for project in &projects {
        match check_database(desk, *project, keys).await? {
            Ok(outcome) => {
                say(&outcome);
                is_late |= say_end(desk, *project, &outcome).await?;
                intact.push((*project, outcome));
            }
            Err(finding) => wrong.push(format!("The history of {project} is not intact: {}", said(&finding))),
        }
    }
    // What is wrong with the older file is no reason to hide what is wrong with the history.
    match sound(previous) {
        Ok(previous) => wrong.extend(against(&previous, &projects, &intact)),
        Err(error) => wrong.push(error.to_string()),
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(if is_late { ExitCode::from(LATE) } else { ExitCode::SUCCESS })
}

/// What is not as an older file has it.
fn against(previous: &Previous<'_>, projects: &[ProjectId], intact: &[(ProjectId, Outcome)]) -> Vec<String> {
    let Some((path, older)) = previous else { return Vec::new() };
    let mut of: Vec<ProjectId> =
        older.trail.signed.iter().map(|(whose, ..)| *whose).chain(older.project).collect();
    of.sort_unstable_by_key(|project| project.uuid());
    of.dedup();
    if of.is_empty() {
        return vec![format!("{} is nothing to continue: {}", path.display(), Finding::NothingBefore)];
    }
    let mut wrong = Vec::new();
    for project in of {
        match intact.iter().find(|(whose, _)| *whose == project) {
            Some((_, outcome)) => {
                wrong.extend(continues(previous, project, outcome).err().map(|error| error.to_string()));
            }
            // A history that is not intact was said to be so.
            None if projects.contains(&project) => {}
            None => wrong.push(format!(
                "It does not continue {}: nothing is here of {project}, whose history is in that file",
                path.display()
            )),
        }
    }
    wrong
}

/// An older file, if it is intact.
fn sound(previous: Option<(&Path, Result<Outcome, Finding>)>) -> anyhow::Result<Previous<'_>> {
    let Some((path, found)) = previous else { return Ok(None) };
    let outcome = found.map_err(|finding| anyhow!("{} is not intact: {}", path.display(), said(&finding)))?;
    Ok(Some((path, outcome)))
}

fn continues(previous: &Previous<'_>, project: ProjectId, outcome: &Outcome) -> anyhow::Result<()> {
    let Some((path, older)) = previous else { return Ok(()) };
    let shown = path.display();
    let continued = outcome.trail.continues(&older.trail, project);
    let continued = continued.map_err(|finding| {
        anyhow!("The history of {project} does not continue {shown}: {}", said(&finding))
    })?;
    println!(
        "The history of {project} continues {shown}: the same up to event {}, {} new.",
        continued.same_to, continued.new
    );
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

/// Checks a history where it is.
async fn check_database(
    desk: &Desk,
    project: ProjectId,
    keys: &KeySet,
) -> anyhow::Result<Result<Outcome, Finding>> {
    let services = &desk.services;
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
    let stray = services.stray_event(project).await.map_err(explain)?;
    Ok(check.end().and_then(|outcome| match stray {
        Some(StoredFact { id, kind, at, .. }) => {
            Err(Finding::Unsealed(format!("the event with id {id} ({kind}, {at})")))
        }
        None => Ok(outcome),
    }))
}

/// Says what nothing vouches for yet; whether it waits for longer than it should.
async fn say_end(desk: &Desk, project: ProjectId, outcome: &Outcome) -> anyhow::Result<bool> {
    let signed = outcome.signed.map_or(0, |(seq, _)| seq);
    let (waiting, unsigned_since) = desk.services.end_of_history(project, signed).await.map_err(explain)?;
    if waiting.number > 0 {
        println!("Not sealed yet: {}.", waiting.number);
    }
    if let Some((number, first)) = waiting.late {
        println!(
            "Late: {number} of them, the first with id {first}, did not happen within the last minute. A server that \
             runs seals within a second; until then nothing shows whether somebody changes them."
        );
    }
    if let Some(since) = unsigned_since {
        println!(
            "Late: what is sealed from event {} on is not signed since {}. A server that runs signs within a minute; \
             until then whoever writes the database can write it anew.",
            signed + 1,
            since.format(&Rfc3339).unwrap_or_default()
        );
    }
    Ok(waiting.late.is_some() || unsigned_since.is_some())
}

/// A sentence about texts that somebody else may have written.
fn said(finding: &Finding) -> String {
    printable(&finding.to_string())
}

fn say(outcome: &Outcome) {
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
