//! `impri audit`: the history as a file that proves itself; the proof is [`super::proof`]'s.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anyhow::Context as _;

use super::{Desk, explain, proof};
use crate::boot::cli::{AuditArgs, AuditCommand, AuditExportArgs};
use crate::domain::audit::Actor;
use crate::domain::decision::Channel;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or what is wrong with the history.
pub async fn run(args: AuditArgs) -> anyhow::Result<ExitCode> {
    match args.command {
        AuditCommand::Export(what) => {
            let desk = Desk::open(&args.database).await?;
            let outcome = export(&desk, what).await;
            desk.close().await;
            outcome.map(|()| ExitCode::SUCCESS)
        }
        AuditCommand::Verify(what) => proof::verify(&args.database, what).await,
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
            out.flush().context("The end could not be written")?;
            if let Err(lost) = services.receipt_keys().await.map_err(explain)?.signing() {
                // The file may be on stdout.
                writeln!(io::stderr(), "Its end is not signed: {lost}.")?;
            }
            return Ok(());
        }
        for line in lines {
            out.write_all(line.to_text()?.as_bytes())?;
        }
    }
}
